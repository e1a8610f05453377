#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "graph/body/body_services.h"
#include "graph/body/graph_context.h"
#include "graph/body/invocation_record.h"
#include "graph/body/message.h"
#include "graph/compile/compiled_graph.h"
#include "graph/compile/component_registry.h"
#include "graph/payload.h"
#include "graph/run/domain.h"
#include "graph/run/lifecycle.h"
#include "graph/run/run_journal.h"
#include "graph/run/run_options.h"
#include "graph/run/run_result.h"
#include "graph/run/run_tables.h"
#include "graph/run/task_board.h"

namespace millrace::graph {

/// When a run, or a part of it, ends.
struct PlayBounds {
  std::optional<std::uint64_t> steps = {};  ///< epochs of the domain of lowest rank
  std::optional<Duration> duration = {};
  bool until_idle = false;
  std::optional<EpochBound> epoch = {};  ///< ends with the end of this epoch
};

/// Who is told, in wall time, that something has come for a domain or for the run as a whole.
class RunWaker {
 public:
  virtual ~RunWaker() = default;
  virtual void wake_domain(std::uint32_t domain) = 0;
  /// A task was submitted: its end is to be looked for.
  virtual void wake_for_events() = 0;
  /// A line of standard input was used: there is room for another.
  virtual void wake_for_input() = 0;
};

/// The parts of a run, and what its bodies are given.
///
/// In virtual time `play` plays all domains on one timeline. What comes first in time happens
/// first; at the same time ends of epochs, then ends of tasks, then injections, then beginnings of
/// epochs, each by rank or order. In wall time a `WallRun` has threads that drive the same domains;
/// they hold the lock of the tables when they call anything here but what bodies ask for.
/// Threading: see above. Lifetime: borrows the graph and the registry.
class Engine final : public BodyServices {
 public:
  Engine(const CompiledGraph& graph,
         const ComponentRegistry& registry,
         RuntimeRunnerOptions options,
         bool polls_outputs);

  [[nodiscard]] bool start();
  /// Goes on until a bound is reached, or nothing more can happen.
  [[nodiscard]] SchedulerStopReason play(const PlayBounds& bounds);
  /// Ends the run: takes snapshots if all went well, and deactivates. Does nothing the second time.
  void finish(SchedulerStopReason reason);

  [[nodiscard]] base::Status inject(std::uint32_t component,
                                    Payload value,
                                    std::optional<Duration> event_time);
  /// The same; a refusal fails the run.
  void inject_or_fail(std::uint32_t component, Payload value, std::optional<Duration> event_time);
  /// Gives the injections of the options that are due by then, and ends tasks that have ended;
  /// gives when the next one is due.
  [[nodiscard]] std::optional<Duration> handle_events(Duration now);
  /// Whether no domain has anything to do, no task is in flight and no injection is left.
  [[nodiscard]] bool is_idle() const;
  /// Whether tasks or injections can still cause something.
  [[nodiscard]] bool has_events() const;
  void set_waker(RunWaker* waker);
  /// The clock of domains that live in wall time.
  [[nodiscard]] const RunClock& clock() const { return clock_; }
  /// The time of the run is 0 now.
  void start_clock();
  void pause(bool is_paused) { is_paused_ = is_paused; }
  [[nodiscard]] bool is_paused() const { return is_paused_; }
  [[nodiscard]] bool is_running() const { return is_running_; }
  [[nodiscard]] RunTables& tables() { return tables_; }
  [[nodiscard]] const RunTables& tables() const { return tables_; }
  [[nodiscard]] Domain& domain(std::size_t index) { return *domains_[index]; }
  [[nodiscard]] const Domain& domain(std::size_t index) const { return *domains_[index]; }
  [[nodiscard]] const RuntimeRunnerOptions& options() const { return options_; }
  [[nodiscard]] Lifecycle& lifecycle() { return lifecycle_; }
  [[nodiscard]] Duration now() const { return now_; }
  [[nodiscard]] RuntimeRunnerResult result() const;
  /// Fails the run if its journal cannot go on.
  void check_journal();

  // For replays of runs on threads.

  /// Ends a task with the answer that it gave; false if none such is in flight.
  [[nodiscard]] bool has_task(const TaskKey& key) const { return tasks_.has(key); }
  [[nodiscard]] bool end_task(const TaskKey& key, Duration at, TaskAnswer answer) {
    return tasks_.end_again(key, at, std::move(answer));
  }

  // What bodies ask for.
  [[nodiscard]] std::uint32_t find_output(std::uint32_t component,
                                          std::string_view name) const override;
  [[nodiscard]] PublishReport publish_report(std::uint32_t component,
                                             std::string_view output) const override;
  [[nodiscard]] bool cancel_requested(const InvocationRecord& record) const override;
  void note_late_publish(const InvocationRecord& record) override;
  void note_return(const InvocationRecord& record, const Component* instance) override;
  void spend(InvocationRecord& record, Duration duration, bool is_busy) override;
  [[nodiscard]] base::Status submit_task(InvocationRecord& record,
                                         std::string_view output,
                                         TaskFunction function,
                                         Duration budget) override;
  [[nodiscard]] base::Result<Payload> ask(
      InvocationRecord& record, const std::function<base::Result<Payload>()>& question) override;
  [[nodiscard]] std::optional<std::string> read_line(InvocationRecord& record) override;
  [[nodiscard]] std::optional<Payload> read_state(const InvocationRecord& record,
                                                  std::string_view table,
                                                  std::string_view key) const override;
  [[nodiscard]] std::vector<Message> read_channel(const InvocationRecord& record,
                                                  std::string_view input,
                                                  std::string_view reader) override;

 private:
  /// What happens next on the timeline; a lower kind comes first at the same time.
  enum class Kind : std::uint8_t { kEnd, kTaskEnd, kInjection, kBegin, kNothing };
  struct Next {
    Duration at{};
    Kind kind = Kind::kNothing;
    std::size_t domain = 0;
  };

  [[nodiscard]] Next find_next(bool only_ends) const;
  [[nodiscard]] static bool is_past(const PlayBounds& bounds, const Next& next);
  void end_epoch(Domain& domain, Duration at);
  [[nodiscard]] std::optional<std::string> take_line();
  void wake_for_arrivals();
  void inject_next();
  void fail_injection(std::string component, std::string message);
  [[nodiscard]] Duration time_of(std::uint32_t domain) const;
  /// Begins an epoch, unless too many have begun at the same instant.
  [[nodiscard]] bool begin_epoch(Domain& domain, Duration at, bool has_step_bound);
  [[nodiscard]] bool is_stop_requested() const;
  /// Lets the epochs in progress end.
  void drain();

  RuntimeRunnerOptions options_;
  RunClock clock_;
  RunWaker* waker_ = nullptr;
  RunTables tables_;
  Lifecycle lifecycle_;
  TaskBoard tasks_;
  std::vector<std::unique_ptr<Domain>> domains_;
  std::vector<std::size_t> injection_order_;
  std::size_t next_injection_ = 0;
  Duration now_{};
  Duration instant_{};  // of the last begin
  std::uint64_t begun_at_instant_ = 0;
  bool is_running_ = false;
  bool is_paused_ = false;
  SchedulerStopReason reason_ = SchedulerStopReason::kNotStarted;
  std::vector<ComponentSnapshot> snapshots_;
};

}  // namespace millrace::graph
