#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "base/tick_clock.h"
#include "loop/executor.h"
#include "loop/loop.h"
#include "loop/task.h"
#include "runtime/node_call.h"
#include "runtime/run.h"

// What a run carries beyond tokens, for the full path: node states, timers, asynchronous operations
// and times. Made once per run object, when it first needs it.

namespace millrace::runtime {

class LoopScheduler;
class RunExtras;

/// A node that is waited for by a clock as well. Exactly one of body and clock wins the state.
enum class NodeState : std::uint8_t {
  kWaiting,
  kStarting,  ///< only in traced runs: its NodeStart is being written
  kRunning,
  kEnding,     ///< only in traced runs: its NodeEnd is being written
  kDone,       ///< the body won; its result counts
  kAbandoned,  ///< the clock won; whatever the body still does is late (C2, C3)
};

/// A node's timeout, or the moment at which it gives up in favour of its fallback (C8).
struct NodeTimer final : loop::Timer {
  NodeTimer(RunExtras& owner, std::uint32_t timed_node, bool is_give_up);
  RunExtras& extras;
  const std::uint32_t node;
  const bool gives_up;
  std::uint32_t credit = 0;
  base::TimePoint when{};  // of meaning while it is armed
};

struct DeadlineTimer final : loop::Timer {
  explicit DeadlineTimer(RunExtras& owner);
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
  explicit RunExtras(Run& run);

  /// Makes everything as new for the next execution. States are of meaning only if it is `timed`.
  void reset(LoopScheduler* lane, bool timed);

  [[nodiscard]] Run& run() { return run_; }
  [[nodiscard]] LoopScheduler* lane() { return lane_; }
  [[nodiscard]] bool is_traced() const { return run_.options_.trace.enabled(); }
  /// Some clock may end a node before its body does, so states decide who wins.
  [[nodiscard]] bool is_timed() const { return timed_; }

  // --- States. Any thread.
  [[nodiscard]] NodeState state(std::uint32_t node) const {
    return states_[node].load(std::memory_order_acquire);
  }
  [[nodiscard]] bool try_move(std::uint32_t node, NodeState from, NodeState to) {
    return states_[node].compare_exchange_strong(
        from, to, std::memory_order_seq_cst, std::memory_order_acquire);
  }
  void set_state(std::uint32_t node, NodeState state) {
    states_[node].store(state, std::memory_order_release);
  }
  /// Takes the node away from its body, whatever it does. False: it is done or abandoned already.
  /// `was_running` tells whether a body is under way that will come back late.
  [[nodiscard]] bool try_abandon(std::uint32_t node, bool& was_running);

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
    return begin_ns_[node].load(std::memory_order_relaxed) != 0;
  }
  [[nodiscard]] base::TimePoint body_begin(std::uint32_t node) const {
    return base::TimePoint(base::Duration(begin_ns_[node].load(std::memory_order_relaxed) - 1));
  }
  /// When the run was started, by the clock that all its other times go by.
  void set_start(const base::TickAnchor& start);
  [[nodiscard]] base::TimePoint started_at() const { return start_.time; }
  /// The time in this run; `clock` is its host's.
  [[nodiscard]] base::TimePoint now(const base::Clock& clock) const {
    return start_.has_rate() ? start_.at(base::read_ticks_in_order()) : clock.now();
  }
  /// The same for a strand that has the run to itself, and so nothing to be in order with.
  [[nodiscard]] base::TimePoint now_alone(const base::Clock& clock) const {
    return start_.has_rate() ? start_.at(base::read_ticks()) : clock.now();
  }
  /// End of a node of a sequence (sequence_trace.h); that of "node `node_count`" is the run's
  /// start.
  void set_end_time(std::uint32_t node, base::TimePoint time) { end_times_[node] = time; }
  [[nodiscard]] base::TimePoint end_time(std::uint32_t node) const { return end_times_[node]; }
  [[nodiscard]] std::uint32_t row_count(std::uint32_t node) const {
    return row_counts_[node].load(std::memory_order_relaxed);
  }
  void add_row_count(std::uint32_t node, std::uint32_t rows) {
    row_counts_[node].fetch_add(rows, std::memory_order_relaxed);
  }

  // --- Timers and operations.
  [[nodiscard]] NodeTimer* timeout_timer(std::uint32_t node) {
    return timeouts_.empty() ? nullptr : timeouts_[node].get();
  }
  [[nodiscard]] NodeTimer* give_up_timer(std::uint32_t node) {
    return give_ups_.empty() ? nullptr : give_ups_[node].get();
  }
  [[nodiscard]] AsyncOperation& operation(std::uint32_t node) { return *operations_[node]; }
  [[nodiscard]] QueueEntry& entry(std::uint32_t node) { return entries_[node]; }
  [[nodiscard]] DeadlineTimer& deadline_timer() { return deadline_; }

  // --- Fallbacks. Any thread.
  [[nodiscard]] bool used_fallback(std::uint32_t node) const {
    return fallback_used_[node].load(std::memory_order_acquire) != 0;
  }
  void set_fallback_used(std::uint32_t node) {
    fallback_used_[node].store(1, std::memory_order_seq_cst);
  }
  /// True for the first caller: the node gets its activation token once.
  [[nodiscard]] bool try_activate(std::uint32_t node) {
    return activated_[node].exchange(1, std::memory_order_acq_rel) == 0;
  }
  [[nodiscard]] bool is_activated(std::uint32_t node) const {
    return activated_ && activated_[node].load(std::memory_order_relaxed) != 0;
  }
  /// True for the first caller: a node whose fallback came through is completed once.
  [[nodiscard]] bool try_complete_by_fallback(std::uint32_t node) {
    return completed_by_fallback_[node].exchange(1, std::memory_order_acq_rel) == 0;
  }
  [[nodiscard]] bool has_succeeded(std::uint32_t node) const {
    return succeeded_[node].load(std::memory_order_seq_cst) != 0;
  }
  void set_succeeded(std::uint32_t node) { succeeded_[node].store(1, std::memory_order_seq_cst); }
  void set_finish_time(std::uint32_t node, base::TimePoint time) {
    finish_ns_[node].store(time.time_since_epoch().count(), std::memory_order_relaxed);
  }
  [[nodiscard]] std::int64_t finish_ns(std::uint32_t node) const {
    return finish_ns_[node].load(std::memory_order_relaxed);
  }

  /// Counts a node without dependents as complete; true for the last of them.
  [[nodiscard]] bool close_sink() {
    return open_sinks_.fetch_sub(1, std::memory_order_acq_rel) == 1;
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
  Run& run_;
  LoopScheduler* lane_ = nullptr;
  bool timed_ = false;
  base::TickAnchor start_;
  std::unique_ptr<std::atomic<NodeState>[]> states_;
  std::unique_ptr<std::int64_t[]> ready_ns_;
  std::unique_ptr<std::atomic<std::int64_t>[]> begin_ns_;  // plus 1; 0: not known
  std::unique_ptr<base::TimePoint[]> end_times_;           // from the first run on that needs them
  std::unique_ptr<std::atomic<std::uint32_t>[]> row_counts_;
  std::unique_ptr<std::atomic<std::int64_t>[]> finish_ns_;
  std::unique_ptr<std::atomic<std::uint8_t>[]> fallback_used_;
  std::unique_ptr<std::atomic<std::uint8_t>[]> activated_;
  std::unique_ptr<std::atomic<std::uint8_t>[]> completed_by_fallback_;
  std::unique_ptr<std::atomic<std::uint8_t>[]> succeeded_;
  std::unique_ptr<QueueEntry[]> entries_;
  std::vector<std::unique_ptr<NodeTimer>> timeouts_;
  std::vector<std::unique_ptr<NodeTimer>> give_ups_;
  std::vector<std::unique_ptr<AsyncOperation>> operations_;
  DeadlineTimer deadline_;
  std::uint32_t sink_count_ = 0;
  // The decrement to zero has seen all outputs of the run.
  std::atomic<std::uint32_t> open_sinks_{0};
};

}  // namespace millrace::runtime
