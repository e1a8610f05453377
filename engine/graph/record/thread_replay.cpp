#include "graph/record/thread_replay.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <istream>
#include <limits>
#include <memory>
#include <optional>
#include <semaphore>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "base/formats/json_document.h"
#include "base/formats/json_reader.h"
#include "base/result.h"
#include "graph/body/invocation_record.h"
#include "graph/body/message.h"
#include "graph/compile/compiled_graph.h"
#include "graph/compile/component_registry.h"
#include "graph/format/words.h"
#include "graph/payload.h"
#include "graph/record/comparing_journal.h"
#include "graph/record/entry_stream.h"
#include "graph/record/exact_json.h"
#include "graph/record/journal_entry.h"
#include "graph/record/record_file.h"
#include "graph/record/replay_result.h"
#include "graph/run/domain.h"
#include "graph/run/engine.h"
#include "graph/run/run_journal.h"
#include "graph/run/run_options.h"
#include "graph/run/run_result.h"
#include "graph/run/run_tables.h"
#include "graph/threads/run_lock.h"

namespace millrace::graph {
namespace {

/// The thread of a domain. It and the thread of the replay take turns: one of them waits.
class DomainThread {
 public:
  DomainThread() : thread_([this] { run(); }) {}
  DomainThread(const DomainThread&) = delete;
  DomainThread& operator=(const DomainThread&) = delete;
  /// It must not be in a job.
  ~DomainThread() {
    job_ = {};
    go_.release();
    thread_.join();
  }

  [[nodiscard]] bool is_in_job() const { return is_in_job_; }
  /// Both return when the job waits, or has ended.
  void begin(std::function<void()> job) {
    job_ = std::move(job);
    is_in_job_ = true;
    go_on();
  }
  void go_on() {
    go_.release();
    back_.acquire();
  }
  /// Called by the job: lets the other thread go on until that calls `go_on`.
  void wait() {
    back_.release();
    go_.acquire();
  }

 private:
  void run() {
    while (true) {
      go_.acquire();
      if (!job_) return;
      job_();
      is_in_job_ = false;
      back_.release();
    }
  }

  std::binary_semaphore go_{0};
  std::binary_semaphore back_{0};
  std::function<void()> job_;
  bool is_in_job_ = false;
  std::thread thread_;  // declared last: it uses all of the above
};

/// Compares what the domains do with the record.
/// Threading: one thread at a time. Lifetime: borrows.
class ThreadReplayJournal final : public ComparingJournal {
 public:
  explicit ThreadReplayJournal(std::istream& stream) : entries_(stream) {}

  void call(const RunTables& tables, const InvocationRecord& record) override {
    compare(call_entry(tables, record));
    entries_.forget(tables.graph.components[record.component].id, record.call);
  }
  void resume(const RunTables& tables, const DomainRun& domain) override {
    compare(section_entry(tables, domain, "resume"));
  }
  void hand_over(const RunTables& tables, const DomainRun& domain) override {
    compare(section_entry(tables, domain, "hand_over"));
  }
  bool sees_stop(const RunTables& tables, const DomainRun& domain, bool) override {
    if (!is_good()) return true;  // nothing is compared any more, and loops must end
    const RecordEntry* const next = entries_.front();
    if (next == nullptr || next->kind != "stop") return false;
    compare(section_entry(tables, domain, "stop"));
    return true;
  }
  base::Result<Payload> ask(const RunTables& tables,
                            const InvocationRecord& record,
                            const std::function<base::Result<Payload>()>&) override {
    auto answer = entries_.next_answer(tables.graph.components[record.component].id, record.call);
    return answer ? *std::move(answer) : unknown_answer();
  }
  std::optional<std::string> read_line(
      const RunTables& tables,
      const InvocationRecord& record,
      const std::function<std::optional<std::string>()>&) override {
    return entries_.next_line(tables.graph.components[record.component].id, record.call);
  }
  bool admit_task(const RunTables& tables, const TaskKey& key, bool) override {
    return entries_.admits_task(tables.graph.components[key.component].id, key.call, key.number);
  }
  TaskAnswer run_task(const RunTables&,
                      const InvocationRecord&,
                      const std::function<TaskAnswer()>&) override {
    return {.result = unknown_answer()};
  }

  [[nodiscard]] bool replays_threads() const override { return true; }
  const CallFacts* find_facts(const RunTables& tables, const InvocationRecord& record) override {
    if (!is_good()) return &no_facts_;
    const CompiledComponent& component = tables.graph.components[record.component];
    const CallFacts* facts =
        entries_.find_call(tables.graph.domains[component.domain].id, component.id, record.call);
    // A pool leaves out invocations of a component that has failed. Any other that the record does
    // not know is executed, and found when it is compared.
    const bool is_on_pool = tables.graph.lanes[component.lane].type == LaneType::kThreadPool;
    return facts == nullptr && !is_on_pool ? &no_facts_ : facts;
  }
  void await_section(const DomainRun& domain) override {
    if (!is_free_) threads_[domain.index]->wait();
  }

  [[nodiscard]] std::optional<std::string> problem() const override { return std::nullopt; }
  [[nodiscard]] bool is_over() const override { return false; }

  /// The record goes on with something that the replay cannot do.
  void refuse_entry_of_record() { compare(R"({"is":"nothing"})"); }
  [[nodiscard]] const RecordEntry* front() { return entries_.front(); }
  void pop() { entries_.pop(); }
  [[nodiscard]] bool is_good() const { return !entries_.error() && !has_diverged(); }
  [[nodiscard]] const std::optional<base::Error>& error() const { return entries_.error(); }
  void set_threads(std::vector<std::unique_ptr<DomainThread>>& threads) {
    threads_ = std::span(threads);
  }
  /// Sections no longer wait for their turn.
  void set_free() { is_free_ = true; }

 private:
  void compare(const std::string& now) override {
    if (!is_good()) return;
    const RecordEntry* const next = entries_.front();
    const std::string recorded = next == nullptr ? R"({"is":"nothing"})" : next->text;
    if (next != nullptr && recorded == now) return entries_.pop();
    base::JsonDocument before;
    if (!reader().read(recorded, before)) return;
    EntryPlace place;
    if (next != nullptr) {
      place = {
          .line = next->line, .domain = next->domain, .epoch = entry_count(before.root(), "epoch")};
    }
    note_difference(before.root(), now, place);
    if (next != nullptr && !has_diverged()) entries_.pop();
  }

  EntryStream entries_;
  std::span<std::unique_ptr<DomainThread>> threads_;
  bool is_free_ = false;
  // Of a call that the record does not know. A body that waits to be told of a cancellation is told
  // at once, so that it ends.
  const CallFacts no_facts_ = {.told_at = 1};
};

/// Does what a record says, entry by entry.
/// Lifetime: borrows.
class ThreadReplay {
 public:
  ThreadReplay(ThreadReplayJournal& journal,
               base::ManualClock& clock,
               const CompiledGraph& graph,
               const ComponentRegistry& registry,
               const RuntimeRunnerOptions& options)
      : journal_(journal),
        clock_(clock),
        graph_(graph),
        engine_(graph, registry, options, false),
        tables_(engine_.tables()) {
    // A replay knows from the record whether there are lines.
    lines_.reader_count = std::numeric_limits<std::size_t>::max();
    for (std::size_t i = 0; i < graph.domains.size(); ++i) {
      threads_.push_back(std::make_unique<DomainThread>());
    }
    journal_.set_threads(threads_);
  }

  RuntimeRunnerResult run(std::string_view reason) {
    if (!engine_.start()) return engine_.result();
    while (journal_.is_good()) {
      const RecordEntry* const first = journal_.front();
      if (first == nullptr || first->kind == "complete") break;
      const RecordEntry next = *first;
      const bool is_done = play(next);
      if (!is_done || is_front(next)) journal_.refuse_entry_of_record();
    }
    journal_.set_free();
    for (const auto& thread : threads_) {
      while (thread->is_in_job()) thread->go_on();
    }
    engine_.finish(reason_of(reason));
    tables_.lines = nullptr;
    return engine_.result();
  }

 private:
  static SchedulerStopReason reason_of(std::string_view text) {
    for (const auto reason : {SchedulerStopReason::kTickBound,
                              SchedulerStopReason::kDurationBound,
                              SchedulerStopReason::kIdle,
                              SchedulerStopReason::kStopRequested}) {
      if (to_string(reason) == text) return reason;
    }
    return SchedulerStopReason::kError;
  }

  [[nodiscard]] bool is_front(const RecordEntry& entry) {
    const RecordEntry* const front = journal_.front();
    return front != nullptr && front->line == entry.line;
  }

  /// False if the entry is not possible here.
  bool play(const RecordEntry& next) {
    base::JsonDocument document;
    if (!reader_.read(next.text, document)) return false;
    const base::JsonValue entry = document.root();
    if (next.kind == "inject") return inject(entry);
    if (next.kind == "task") return end_task(entry);
    if (next.kind == "returned") return end_abandoned(entry);
    const std::optional<std::size_t> domain = find_domain(next.domain);
    if (!domain) return false;
    DomainThread& thread = *threads_[*domain];
    if (next.kind == "call" || next.kind == "hand_over") {
      // Several pools of a stage let go of the lock one after the other, before their first `call`.
      while (thread.is_in_job() && is_front(next)) thread.go_on();
      return true;
    }
    const bool is_begin = next.kind == "begin";
    if (!is_begin && next.kind != "resume") return false;
    const DomainState expected = is_begin ? DomainState::kIdle : DomainState::kBlocked;
    if (thread.is_in_job() || engine_.domain(*domain).state() != expected) return false;
    if (const auto has_lines = entry.find_member("has_lines")) {
      lines_.has_ended = has_lines->find_bool() == true;
      tables_.lines = &lines_;
    }
    const Duration at = entry_time(entry, "time");
    if (tables_.domains[*domain].clock != nullptr) set_clock(at);
    thread.begin([this, index = *domain, at, is_begin] { run_epoch(index, at, is_begin); });
    return true;
  }

  void run_epoch(std::size_t index, Duration at, bool is_begin) {
    const RunLocked locked(tables_.lock);
    Domain& domain = engine_.domain(index);
    is_begin ? domain.begin(at) : domain.resume(at);
    if (domain.state() == DomainState::kBusy) domain.leave();
  }

  bool inject(const base::JsonValue& entry) {
    const auto component = graph_.find_component(entry_text(entry, "component"));
    const auto value = entry.find_member("value");
    if (!component || !value) return false;
    set_clock(entry_time(entry, "time"));
    std::optional<Duration> event_time;
    if (entry.find_member("event_time")) event_time = entry_time(entry, "event_time");
    const RunLocked locked(tables_.lock);
    engine_.inject_or_fail(*component, read_exact_json(*value), event_time);
    return true;
  }

  bool end_task(const base::JsonValue& entry) {
    const auto component = graph_.find_component(entry_text(entry, "component"));
    auto answer = read_answer(entry);
    if (!component || !answer) return false;
    const TaskKey key{.component = *component,
                      .call = entry_count(entry, "call"),
                      .number = static_cast<std::uint32_t>(entry_count(entry, "number"))};
    const Duration at = entry_time(entry, "time");
    set_clock(at);
    const RunLocked locked(tables_.lock);
    if (!engine_.has_task(key)) return false;
    journal_.pop();
    return engine_.end_task(
        key, at, {.spent = entry_time(entry, "spent"), .result = *std::move(answer)});
  }

  bool end_abandoned(const base::JsonValue& entry) {
    const auto component = graph_.find_component(entry_text(entry, "component"));
    if (!component || tables_.components[*component].stuck_count == 0) return false;
    journal_.pop();
    const RunLocked locked(tables_.lock);
    --tables_.components[*component].stuck_count;
    tables_.domains[graph_.components[*component].domain].returned.push_back(*component);
    return true;
  }

  [[nodiscard]] std::optional<std::size_t> find_domain(std::string_view id) const {
    for (std::size_t i = 0; i < graph_.domains.size(); ++i) {
      if (graph_.domains[i].id == id) return i;
    }
    return std::nullopt;
  }

  void set_clock(Duration at) { clock_.set(base::TimePoint(at)); }

  ThreadReplayJournal& journal_;
  base::ManualClock& clock_;
  const CompiledGraph& graph_;
  Engine engine_;
  RunTables& tables_;
  base::JsonReader reader_{record_json_limits()};
  LineBuffer lines_;
  std::vector<std::unique_ptr<DomainThread>> threads_;
};

}  // namespace

base::Result<ReplayResult> replay_threads(const RecordFile& file,
                                          std::istream& stream,
                                          const CompiledGraph& graph,
                                          const ComponentRegistry& registry,
                                          const ReplayOptions& options) {
  ThreadReplayJournal journal(stream);
  base::ManualClock clock;
  RuntimeRunnerOptions run_options = file.options;
  run_options.clock = &clock;
  run_options.journal = &journal;
  run_options.injections.clear();  // the entries say when they came
  run_options.trace = options.trace;
  run_options.keep_outputs = options.keep_outputs;
  if (file.hands_over) run_options.on_output = [](const OutputRecord&) {};
  ReplayResult result;
  if (!journal.error()) {
    ThreadReplay replay(journal, clock, graph, registry, run_options);
    result.run = replay.run(file.reason);
    journal.compare_end(result.run);
  }
  if (journal.error()) return std::unexpected(*journal.error());
  result.first_divergence = journal.take_divergence();
  return result;
}

}  // namespace millrace::graph
