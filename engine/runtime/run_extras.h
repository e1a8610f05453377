#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "loop/executor.h"
#include "loop/loop.h"
#include "loop/task.h"
#include "runtime/node_call.h"
#include "runtime/pool_inbox.h"
#include "runtime/protocols/fallback_marks.h"
#include "runtime/protocols/node_states.h"
#include "runtime/protocols/run_watch.h"
#include "runtime/protocols/standing_alarm.h"
#include "runtime/topology/topology.h"

// What a run carries beyond tokens: node states, timers, asynchronous operations and times. Made
// once per run object, when it first needs it.

namespace millrace::runtime {

struct AsyncOperation;
class Run;
class RunExtras;

/// What the timers and operations of a run call on the loop where they live: its scheduler.
/// Threading: loop thread, except `finish_async`, which is called where the task ended.
class LoopHost {
 public:
  LoopHost(const LoopHost&) = delete;
  LoopHost& operator=(const LoopHost&) = delete;

  virtual void begin_run(Run& run) = 0;
  virtual void start_async(AsyncOperation& operation) = 0;
  virtual void finish_async(AsyncOperation& operation, base::Status status) = 0;
  virtual void end_async(AsyncOperation& operation) = 0;
  virtual void on_watch(Run& run) = 0;
  virtual void on_deadline(Run& run) = 0;
  virtual void answer_cancelled(Run& run) = 0;

 protected:
  LoopHost() = default;
  ~LoopHost() = default;
};

/// A timer of a run on its loop: the alarm of its deadlines, or that of its `RunWatch`.
struct RunTimer final : loop::Timer {
  RunTimer(RunExtras& owner, Fire fire, Fire drop) : loop::Timer(fire, drop), extras(owner) {}
  RunExtras& extras;
};

/// One asynchronous node of a run: a job that starts it on the loop, and its completion.
struct AsyncOperation final : loop::Job {
  AsyncOperation(RunExtras& owner, std::uint32_t async_node);
  RunExtras& extras;
  const std::uint32_t node;
  std::uint32_t credit = 0;
  struct Done final : loop::Completion<base::Status> {
    explicit Done(AsyncOperation& owner);
    AsyncOperation& operation;
  };
  Done completion;
  struct EndJob final : loop::Job {
    explicit EndJob(AsyncOperation& owner);
    AsyncOperation& operation;
  } end_job;
  std::optional<NodeCall> call;
  base::Status status;
  base::TimePoint body_start{};
};

/// Threading: each member says who touches it. Lifetime: with its run.
class RunExtras {
 public:
  /// Called when the alarm of deadlines goes off, or when its loop stops, on the thread of that
  /// loop, whether anybody uses the run or not.
  using DeadlineCall = void (*)(Run& run, bool loop_stops);

  RunExtras(Run& run, const Topology& topology, DeadlineCall on_deadline);
  ~RunExtras();
  RunExtras(const RunExtras&) = delete;
  RunExtras& operator=(const RunExtras&) = delete;

  /// One execution.
  struct Use {
    LoopHost* loop_host = nullptr;  ///< of the run's loop; null without one
    loop::Loop* loop = nullptr;
    bool is_timed = false;      ///< states are of meaning
    bool times_bodies = false;  ///< begins of bodies are of meaning
    bool is_traced = false;
  };
  /// Makes everything as new for the next execution.
  void reset(const Use& use);

  [[nodiscard]] Run& run() { return run_; }
  [[nodiscard]] LoopHost* loop_host() { return use_.loop_host; }
  /// The run must have one.
  [[nodiscard]] loop::Loop& loop() { return *use_.loop; }
  [[nodiscard]] bool is_traced() const { return use_.is_traced; }
  [[nodiscard]] NodeStates<>& states() { return states_; }

  // --- Times. Written before the hand-over or state change that publishes them.
  void set_ready_time(std::uint32_t node, base::TimePoint time) {
    ready_ns_[node] = time.time_since_epoch().count();
  }
  [[nodiscard]] base::TimePoint ready_time(std::uint32_t node) const {
    return base::TimePoint(base::Duration(ready_ns_[node]));
  }
  /// Begin of a node's body, where it is known; of meaning in runs that have a deadline.
  void set_body_begin(std::uint32_t node, base::TimePoint time) {
    begin_ns_[node].store(time.time_since_epoch().count() + 1, std::memory_order_relaxed);
  }
  [[nodiscard]] bool knows_body_begin(std::uint32_t node) const {
    return use_.times_bodies && begin_ns_[node].load(std::memory_order_relaxed) != 0;
  }
  [[nodiscard]] base::TimePoint body_begin(std::uint32_t node) const {
    return base::TimePoint(base::Duration(begin_ns_[node].load(std::memory_order_relaxed) - 1));
  }
  /// When the run was started; of meaning in traced runs.
  void set_started_at(base::TimePoint time) { started_at_ = time; }
  [[nodiscard]] base::TimePoint started_at() const { return started_at_; }
  [[nodiscard]] std::uint32_t row_count(std::uint32_t node) const {
    return row_counts_[node].load(std::memory_order_relaxed);
  }
  void add_row_count(std::uint32_t node, std::uint32_t rows) {
    row_counts_[node].fetch_add(rows, std::memory_order_relaxed);
  }

  // --- Clocks of nodes, where the topology has timed ones. Any thread.
  /// When the body of `node` must be over: set before it begins; `max` without a timeout.
  [[nodiscard]] base::TimePoint due(std::uint32_t node) const { return time_in(due_ns_, node); }
  void set_due(std::uint32_t node, base::TimePoint when) { set_time_in(due_ns_, node, when); }
  /// When `node` gives up in favour of its fallback (C8); `max` without a deadline.
  [[nodiscard]] base::TimePoint give_up_time(std::uint32_t node) const {
    return time_in(give_up_ns_, node);
  }
  void set_give_up_time(std::uint32_t node, base::TimePoint when) {
    set_time_in(give_up_ns_, node, when);
  }
  [[nodiscard]] RunWatch<>& watch() { return watch_; }
  /// Makes sure that the watch goes off at `when` or before.
  void watch_until(base::TimePoint when);
  /// The work is over.
  void close_watch();

  // --- Timers and operations.
  [[nodiscard]] AsyncOperation& operation(std::uint32_t node) { return *operations_[node]; }
  [[nodiscard]] QueueEntry& entry(std::uint32_t node) { return entries_[node]; }

  // --- The deadline of a run that answers early.
  /// Before the run is visible: from now on the alarm of deadlines belongs to the loop in use.
  void move_deadlines_to_loop();
  /// Once the run is visible: sees to it that it is answered at `deadline`.
  void watch_deadline(base::TimePoint deadline);
  [[nodiscard]] StandingAlarm<>& deadlines() { return deadlines_; }
  void call_on_deadline(bool loop_stops) { on_deadline_(run_, loop_stops); }

  // --- Fallbacks. Any thread. Only where the topology has some.
  [[nodiscard]] FallbackMarks<>& marks(std::uint32_t node) { return marks_[node]; }
  [[nodiscard]] bool used_fallback(std::uint32_t node) const { return marks_[node].is_used(); }
  [[nodiscard]] bool is_activated(std::uint32_t node) const {
    return marks_ && marks_[node].is_activated();
  }
  /// Notes that a clock took a node whose body may still be running.
  void count_taken() { taken_count_.fetch_add(1, std::memory_order_relaxed); }
  [[nodiscard]] bool was_any_taken() const {
    return taken_count_.load(std::memory_order_relaxed) != 0;
  }
  void set_finish_time(std::uint32_t node, base::TimePoint time) {
    finish_ns_[node].store(time.time_since_epoch().count(), std::memory_order_relaxed);
  }
  [[nodiscard]] std::int64_t finish_ns(std::uint32_t node) const {
    return finish_ns_[node].load(std::memory_order_relaxed);
  }

  /// Counts a node without dependents as complete; true for the last of them. Whoever has a run
  /// that is not shared has it alone.
  [[nodiscard]] bool close_sink(bool is_shared) {
    if (is_shared) return open_sinks_.fetch_sub(1, std::memory_order_acq_rel) == 1;
    const std::uint32_t left = open_sinks_.load(std::memory_order_relaxed) - 1;
    open_sinks_.store(left, std::memory_order_relaxed);
    return left == 0;
  }

  /// Work that a thread without a host leaves to the loop: answering a cancelled run.
  struct AnswerJob final : loop::Job {
    explicit AnswerJob(RunExtras& owner);
    RunExtras& extras;
  } answer_job;
  /// Begins a run on the loop.
  struct StartJob final : loop::Job {
    explicit StartJob(RunExtras& owner);
    RunExtras& extras;
  } start_job;

 private:
  using Times = std::unique_ptr<std::atomic<std::int64_t>[]>;
  [[nodiscard]] static base::TimePoint time_in(const Times& times, std::uint32_t node) {
    if (!times) return base::TimePoint::max();
    return base::TimePoint(base::Duration(times[node].load(std::memory_order_relaxed)));
  }
  static void set_time_in(const Times& times, std::uint32_t node, base::TimePoint when) {
    times[node].store(when.time_since_epoch().count(), std::memory_order_relaxed);
  }

  Run& run_;
  const Topology& topology_;
  const DeadlineCall on_deadline_;
  Use use_;
  base::TimePoint started_at_{};
  NodeStates<> states_;
  std::unique_ptr<std::int64_t[]> ready_ns_;
  Times begin_ns_;  // plus 1; 0: not known
  std::unique_ptr<std::atomic<std::uint32_t>[]> row_counts_;
  Times finish_ns_;
  Times due_ns_;
  Times give_up_ns_;
  std::unique_ptr<FallbackMarks<>[]> marks_;
  std::unique_ptr<QueueEntry[]> entries_;
  std::vector<std::unique_ptr<AsyncOperation>> operations_;
  RunTimer deadline_timer_;
  StandingAlarm<> deadlines_;
  loop::Loop* deadline_loop_ = nullptr;  // where the timer is set, or was last
  RunTimer alarm_;                       // of the watch
  RunWatch<> watch_;
  std::uint32_t sink_count_ = 0;
  // The decrement to zero has seen all outputs of the run.
  std::atomic<std::uint32_t> open_sinks_{0};
  // Nodes that clocks took; whoever closes the last output has seen all of them.
  std::atomic<std::uint32_t> taken_count_{0};
};

}  // namespace millrace::runtime
