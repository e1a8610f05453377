#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/sync/mutex.h"
#include "graph/body/component.h"
#include "graph/body/graph_context.h"
#include "graph/body/message.h"
#include "graph/compile/compiled_graph.h"
#include "graph/compile/component_registry.h"
#include "graph/payload.h"
#include "graph/run/channel.h"
#include "graph/run/run_journal.h"
#include "graph/run/run_result.h"
#include "graph/run/state_store.h"
#include "graph/run/trigger.h"
#include "graph/threads/detached_call.h"
#include "graph/threads/run_lock.h"
#include "graph/threads/watchdog.h"
#include "graph/watch/event_log.h"
#include "graph/watch/graph_cells.h"
#include "graph/watch/graph_metrics.h"
#include "graph/watch/health.h"
#include "loop/stop.h"

namespace millrace::graph {

/// An edge that a publication goes to, and what is done with it there.
struct EdgeTarget {
  Channel* channel = nullptr;
  std::uint32_t edge = 0;
  std::uint32_t position = 0;  ///< of the reader, see `RunTables::position`
};

/// An output of a component: the edges that a publication on it goes to.
struct OutputTargets {
  std::vector<std::uint32_t> inner = {};  ///< immediate, to members of the same composite loop
  std::vector<std::uint32_t> outer = {};  ///< all others
  std::vector<EdgeTarget> targets = {};   ///< the same
  // About the last invocation that published.
  std::uint32_t committed = 0;
  std::uint32_t refused = 0;
  std::uint32_t dropped = 0;
  std::uint32_t guilty_edge = kNoIndex;
};

/// What a run knows about a component.
struct ComponentRun {
  /// Shared with an invocation that was given up and still runs.
  std::shared_ptr<Component> instance = nullptr;
  std::unique_ptr<ChannelCells> injected_cells = nullptr;
  std::unique_ptr<Channel> injected = nullptr;  ///< what the host gives to an input boundary
  std::unique_ptr<Trigger> trigger = nullptr;
  std::vector<std::string> output_names = {};
  std::vector<std::string> input_names = {};
  std::vector<OutputTargets> outputs = {};
  std::optional<Payload> last_snapshot = {};
  std::optional<Payload> config = {};  ///< if it was changed during the run

  bool is_isolated = false;
  /// Invocations that were given up and still run in the instance. Unless it is reentrant it is not
  /// called meanwhile.
  std::uint32_t stuck_count = 0;
  std::size_t poll_capacity = 0;  ///< of a `core.output` whose values the host takes; else 0
  std::optional<Duration> down_until = {};  ///< a new instance waits for its backoff
  std::deque<Duration> failures = {};
  std::uint64_t root_count = 0;
  std::uint64_t call_count = 0;
  std::deque<OutputRecord> for_poll = {};

  // What `why` tells.
  std::uint32_t under_way = 0;  ///< in wall time: invocations given to threads and not returned
  std::uint64_t last_run_epoch = 0;
  EventKind last_kind = EventKind::kManual;
  MessageId last_cause = {};
  std::uint64_t last_rejected_epoch = 0;
};

/// What leaves at the end of an epoch.
struct OutboxItem {
  std::uint32_t edge = 0;
  Message message = {};
};

/// A message that has left for a domain and is shown at its next boundary.
struct ArrivalItem {
  std::uint32_t edge = 0;  ///< kNoIndex: injected, see `component`
  std::uint32_t component = kNoIndex;
  std::uint64_t number = 0;
};

/// So many arrivals are kept without a look at whether their messages are still there.
inline constexpr std::size_t kArrivalsKept = 256;

/// Arrivals of an epoch count up from the epoch shifted by this, so that one can tell from an
/// arrival in which epoch it was (unless there are more than that in one epoch; they stay in
/// order).
inline constexpr unsigned kArrivalEpochShift = 20;

/// The time of a run: 0 when it started.
struct RunClock {
  const base::Clock& clock;
  base::TimePoint origin{};

  [[nodiscard]] Duration now() const { return clock.now() - origin; }
};

/// Lines of standard input that were read and not used yet. Each `core.stdin` takes one in an
/// epoch, so they wait until there is one for each, or the input has ended.
struct LineBuffer {
  static constexpr std::size_t kLinesMax = 64;

  std::deque<std::string> lines = {};
  std::size_t reader_count = 0;
  bool has_ended = false;

  [[nodiscard]] bool is_ready() const { return has_ended || lines.size() >= reader_count; }
};

/// What a run knows about a domain. One thread writes it.
struct DomainRun {
  std::uint32_t index = 0;
  std::uint64_t epoch = 0;
  Duration boundary{};  ///< at which the epoch began
  Duration now{};
  std::uint64_t arrival = 0;  ///< counts what became visible
  std::vector<OutboxItem> outbox = {};
  std::vector<StateStore::Write> writes = {};      ///< leave too
  std::vector<ArrivalItem> arrivals = {};          ///< `RunTables::add_arrival` adds to it
  std::size_t arrivals_next_look = kArrivalsKept;  ///< see there
  std::vector<OutputRecord> given = {};            ///< to the host, and not handed over yet
  std::vector<std::uint32_t> returned = {};  ///< components whose abandoned invocation has ended
  /// Where its time comes from; nullptr: it moves by what bodies spend.
  const RunClock* clock = nullptr;
  std::shared_ptr<const StateSnapshot> state = nullptr;
  std::map<std::uint32_t, std::int64_t> abandoned = {};  ///< invocations, by lane
  std::vector<std::uint64_t> ready = {};  ///< a bit for each position that should be looked at

  void mark(std::uint32_t position) { ready[position / 64] |= std::uint64_t{1} << (position % 64); }
  void unmark(std::uint32_t position) {
    ready[position / 64] &= ~(std::uint64_t{1} << (position % 64));
  }
  [[nodiscard]] bool is_marked(std::uint32_t position) const {
    return (ready[position / 64] >> (position % 64) & 1) != 0;
  }
  /// The first marked position from `from` on; the number of positions or more if there is none.
  [[nodiscard]] std::uint32_t next_marked(std::uint32_t from) const {
    std::size_t word = from / 64;
    if (word >= ready.size()) return static_cast<std::uint32_t>(ready.size() * 64);
    std::uint64_t bits = ready[word] & (~std::uint64_t{0} << (from % 64));
    while (bits == 0) {
      if (++word == ready.size()) return static_cast<std::uint32_t>(word * 64);
      bits = ready[word];
    }
    const auto position = static_cast<std::uint32_t>(word * 64);
    return position + static_cast<std::uint32_t>(std::countr_zero(bits));
  }
};

struct RunSettings {
  loop::StopToken stop_token = {};
  std::function<std::optional<std::string>()> standard_input = {};
  std::function<void(const OutputRecord&)> on_output = {};
  bool keep_outputs = false;
  bool polls_outputs = false;  ///< the host takes the values of `core.output` one by one
  bool trace = false;
  std::size_t trace_events_max = 0;
  base::MetricsRegistry* metrics = nullptr;
  RunJournal* journal = nullptr;
  bool virtual_time = true;
};

/// Everything that the parts of one run share: dense tables, indexed as in the compiled graph.
/// Lifetime: borrows the graph.
struct RunTables {
  RunTables(const CompiledGraph& compiled, const RunSettings& run_settings);
  RunTables(const RunTables&) = delete;
  RunTables& operator=(const RunTables&) = delete;

  const CompiledGraph& graph;
  const RunSettings settings;
  RunLock lock;  ///< guards all that follows
  GraphMetrics metrics;
  EventLog events;
  HealthSink health;
  StateStore states;
  std::vector<std::unique_ptr<Channel>> channels;
  std::vector<ComponentRun> components;
  std::vector<DomainRun> domains;
  std::vector<std::uint32_t> position;  ///< of each component's region among those of its domain
  std::vector<RunError> errors;
  std::vector<std::string_view> loop_reasons;
  std::vector<OutputRecord> outputs;
  std::uint64_t invocations = 0;
  std::vector<LaneSettingReport> lane_settings;
  LineBuffer* lines = nullptr;   ///< of standard input; in wall time only
  Watchdog* watchdog = nullptr;  ///< in wall time only
  /// Calls that were given up; they must not reach the run after its end.
  std::vector<std::shared_ptr<DetachedCall>> abandoned_calls;

  /// Whether the component must not be called because an abandoned invocation still runs in it.
  [[nodiscard]] bool is_stuck(std::uint32_t component) const {
    return components[component].stuck_count > 0 &&
           !graph.components[component].execution.reentrant;
  }
  /// Whether its instance may be called: it is not isolated, waits for no backoff and is not stuck.
  [[nodiscard]] bool can_be_called(std::uint32_t component) const {
    const ComponentRun& run = components[component];
    return !run.is_isolated && !run.down_until && !is_stuck(component);
  }
  /// Whether it reads lines of standard input, and there is none yet.
  [[nodiscard]] bool waits_for_line(std::uint32_t component) const {
    return lines != nullptr && !lines->is_ready() &&
           graph.components[component].type == "core.stdin";
  }
  /// Notes a message that has left for the domain of its reader. A domain that begins no epoch for
  /// long keeps as many as its channels hold: now and then what was evicted meanwhile is forgotten.
  void add_arrival(const ArrivalItem& item);
  /// Hands over what was committed for the host. Called with the lock held, which it lets go of.
  void hand_over(DomainRun& domain);
  /// Notes a health event, in the trace too.
  void report(const HealthEvent& event, const DomainRun& domain);
  void trace(const DomainRun& domain, GraphEvent event) {
    if (!events.is_on()) [[likely]]
      return;
    trace_slowly(domain, event);
  }
  void fail(std::string_view phase,
            std::uint32_t component,
            std::string_view code,
            std::string message);
  [[nodiscard]] std::string correlation_text(const Correlation& correlation) const;
  [[nodiscard]] std::string message_text(const MessageId& id) const;

 private:
  void trace_slowly(const DomainRun& domain, GraphEvent event);
  void forget_evicted(DomainRun& domain);
  void add_channels();
  void add_component(std::uint32_t index);
  void add_outputs(std::uint32_t index, ComponentRun& run) const;
  void add_trigger(std::uint32_t index, ComponentRun& run);
  void add_positions();

  base::Mutex output_mutex_;  // one output at a time is handed over
};

/// Lets go of the lock of a run for a scope, at whose end the next section of a domain begins.
class OutsideSection {
 public:
  OutsideSection(RunTables& tables, const DomainRun& domain) : tables_(tables), domain_(domain) {
    tables_.lock.unlock();
  }
  ~OutsideSection() {
    RunJournal* const journal = tables_.settings.journal;
    if (journal != nullptr) [[unlikely]]
      journal->await_section(domain_);
    tables_.lock.lock();
  }
  OutsideSection(const OutsideSection&) = delete;
  OutsideSection& operator=(const OutsideSection&) = delete;

 private:
  RunTables& tables_;
  const DomainRun& domain_;
};

}  // namespace millrace::graph
