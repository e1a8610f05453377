#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "base/result.h"
#include "base/sync/atomics.h"
#include "base/sync/parking.h"
#include "loop/loop.h"
#include "loop/stop.h"
#include "runtime/admission.h"
#include "runtime/flow/staged_value.h"
#include "runtime/node_call.h"
#include "runtime/protocols/credit.h"
#include "runtime/protocols/delivery.h"
#include "runtime/protocols/idle_counts.h"
#include "runtime/protocols/node_states.h"
#include "runtime/topology/cost_model.h"
#include "runtime/topology/sharing_forecast.h"
#include "runtime/topology/topology.h"
#include "trace/trace_context.h"

// One execution of a topology.
//
// Tokens. `counters_` is copied from the topology's template. As long as one thread holds the whole
// run the counters are ordinary numbers; the first hand-over marks the run *shared*, and from then
// on every decrement is atomic. The mark is made before the hand-over publishes anything, so
// whoever takes part later sees both the mark and the plain decrements before it.
//
// Credit. Whoever has a part of the run's work (a strand, a published node, a node on the loop)
// holds a part of its credit; the work is over when everything has come back (credit.h). As long as
// one thread holds the whole run, nothing is counted at all. The clock of its nodes holds nothing
// and joins the work when it goes off (run_watch.h).
//
// Answer. The answer goes out exactly once: when the work is over, or before that at a deadline, a
// cancellation or a failure if the run owns its context (`may_answer_early_`). Storage is free when
// the answer is out *and* the work is over.

namespace millrace::runtime {

class LoopHost;
class Run;
struct QueueEntry;
class RunExtras;

enum class RunOutcome : std::uint8_t { kOpen, kOk, kError, kCancelled, kDeadline };

/// An answer that is made later than this after its deadline is never ok (C11).
inline constexpr base::Duration kAnswerLatenessMax = std::chrono::milliseconds(1);

/// A node that was not over when the run's time was (C12).
struct PendingNode {
  std::uint32_t node = kNoNode;
  bool was_running = false;  ///< else its inputs were there and it waited for a thread
  base::Duration elapsed{};  ///< since its body began; 0 where that is not known
};

/// Gets the answer of a run that nobody waits for.
struct RunObserver {
  /// Is called once, on the thread that produced the answer. The run may be started again from here
  /// unless it was started with references.
  void (*on_answer)(Run& run, void* data) = nullptr;
  /// Is called once when the run's storage is free again, if it was started with references. May be
  /// null.
  void (*on_release)(Run& run, void* data) = nullptr;
  void* data = nullptr;
};

/// The thread that waits for an answer.
struct Waiter {
  base::ParkingSpot<>* spot = nullptr;  ///< where it sleeps; null: nobody waits
  /// Of the pool for which it works meanwhile; null if it does not, or only for its own run.
  IdleCounts<>* idle = nullptr;

  /// Any thread: wakes it if it sleeps, because what it waits for besides work has come.
  void wake() const;
};

/// Settings of the pool that one run has its own way; unset ones are the pool's.
struct InlineOverrides {
  std::optional<bool> enable_inline_execution = {};
  std::optional<base::Duration> inline_threshold = {};
  std::optional<std::uint32_t> max_inline_depth = {};

  [[nodiscard]] bool any() const {
    return enable_inline_execution || inline_threshold || max_inline_depth;
  }
};

/// What holds for one run: its own settings, else the pool's.
struct InlineRule {
  bool enabled = true;
  base::Duration threshold{};
  std::uint32_t depth_max = UINT32_MAX;  ///< nodes in a row while others wait
};

/// How one run is to be executed.
struct RunOptions {
  Priority priority = Priority::kNormal;
  std::optional<base::TimePoint> deadline = {};
  /// Time from the start of the run to its answer: another way to say `deadline`. If both are set,
  /// the earlier one counts.
  std::optional<base::Duration> budget = {};
  loop::Loop* loop = nullptr;  ///< needed for async nodes, timeouts, a deadline and a budget
  trace::TraceContext trace = {};
  InlineOverrides inlining = {};
};

/// Threading: created and started by one thread at a time; then whatever the members say.
/// Lifetime: borrows topology and cost model; must not be destroyed before it is released.
class Run {
 public:
  using Credit = CreditAccount<>::Credit;
  static constexpr Credit kFullCredit = CreditAccount<>::kFull;

  Run(const Topology& topology, CostModel& costs);
  ~Run();
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  [[nodiscard]] const Topology& topology() const { return *topology_; }
  [[nodiscard]] CostModel& costs() const { return *costs_; }
  [[nodiscard]] void* context() const { return context_; }
  [[nodiscard]] Priority priority() const { return priority_; }
  [[nodiscard]] const RunOptions& options() const { return options_; }

  /// How it ended, from the answer on. An error's `where` names the node and its op (C4).
  [[nodiscard]] RunOutcome outcome() const { return outcome_.load(std::memory_order_acquire); }
  [[nodiscard]] base::Status status() const;
  /// The node whose error decided the outcome, or `kNoNode`. Of meaning from the answer on.
  [[nodiscard]] std::uint32_t failed_node() const { return failed_node_; }
  /// What a run that ended by its deadline was waiting for: running nodes first, the longest first.
  /// Of meaning from the answer on.
  [[nodiscard]] std::span<const PendingNode> pending() const { return pending_; }
  /// Errors after the first, which decided the outcome.
  [[nodiscard]] std::uint32_t suppressed_error_count() const {
    return suppressed_errors_.load(std::memory_order_relaxed);
  }
  /// Bodies that returned after the answer was out; complete once the run is released.
  [[nodiscard]] std::uint32_t late_completion_count() const {
    return late_completions_.load(std::memory_order_relaxed);
  }
  /// From the answer on, until the run is released: whether it answered before its work was over,
  /// so that bodies may still run (C2).
  [[nodiscard]] bool may_have_late_bodies() const {
    return answered_early_.load(std::memory_order_relaxed);
  }
  /// Whether a fallback took the place of `node`.
  [[nodiscard]] bool used_fallback(NodeId node) const;
  [[nodiscard]] std::uint32_t executed_count() const {
    return executed_.load(std::memory_order_relaxed);
  }

  /// For whoever waits in `WorkerPool::run` or drives a worker until then: the answer is out, and
  /// the thread that produced it has left this run and its waiter.
  [[nodiscard]] bool is_done() const { return delivery_.is_done(); }

  /// Asks the run to stop within one node boundary. Any thread, while the run is not released.
  void cancel();

 private:
  friend class LoopScheduler;
  friend class NodeCall;
  friend class Worker;
  friend class RunHandle;
  friend class RunPool;
  friend class RunSteps;
  friend class WorkerPool;

  // --- Start. `prepare` is called by the submitting thread, before anyone else can see the run.
  struct Start {
    void* context = nullptr;
    std::shared_ptr<void> context_owner = {};
    const RunOptions& options;
    RunObserver observer = {};
    Waiter waiter = {};  ///< the caller, if it waits in `run`
    LoopHost* loop_host = nullptr;
    /// Holders besides the engine; 0 = the caller waits and owns the run.
    std::uint32_t references = 0;
    InlineRule inlining = {};
    bool waiter_takes_only = false;        ///< it helps with this run and no other
    bool steps_apart = false;              ///< every node takes the steps of run_steps.h
    SharingPlan sharing = {};              ///< by measured costs (D11)
    std::uint32_t node_charge_min_ns = 0;  ///< what a node takes of a turn at least (D4)
  };
  void prepare(Start&& start, const base::Clock& clock);
  void prepare_extras(const Start& start);
  /// Shares all it can, whatever that gains.
  void share_all() {
    sharing_ = {.gain_ns = UINT64_MAX, .worth_min_ns = 0};
    dearest_ns_ = CostModel::kUnknown;
  }
  void share_nothing() {
    sharing_ = {.worth_min_ns = SharingPlan::kNothing};
    dearest_ns_ = costs_->dearest_ns();
  }
  void forget_last_stop();

  // --- Tokens.
  [[nodiscard]] bool stopped() const { return stop_.stop_requested(); }
  [[nodiscard]] bool is_shared() const { return shared_.load(std::memory_order_relaxed); }
  /// Writes only on a change: every strand keeps this line in its cache.
  void mark_shared() {
    if (!is_shared()) shared_.store(true, std::memory_order_relaxed);
  }
  [[nodiscard]] Priority class_of(std::uint32_t node) const {
    return topology_->spec(node).priority.value_or(priority_);
  }

  // --- Credit.
  /// Takes a share of `held` for something that is handed over.
  [[nodiscard]] std::uint32_t split_credit(Credit& held) {
    mark_shared();
    return account_.split(held);
  }
  /// Gives credit back. True: it was the last, the work is over, and the caller must call
  /// `finish_work`. False: the caller must not touch the run again.
  [[nodiscard]] bool return_credit(Credit held) { return !is_shared() || account_.give_back(held); }

  // --- Nodes, see node_states.h.
  /// The state of `node`; null where nothing but bodies ends the nodes of this run.
  [[nodiscard]] NodeCell<>* find_cell(std::uint32_t node) {
    return cells_ == nullptr ? nullptr : cells_ + node;
  }
  /// Says that the body is about to run. False: the run is to stop, nothing of it starts any more.
  [[nodiscard]] bool begin_quick(NodeCell<>* cell) {
    if (cell == nullptr) return !stopped();
    return cell->begin([this] { return stopped(); });
  }
  /// Whether a deadline is to know when the body of `node` began (C12). Reading the clock takes as
  /// long as a short node, and a short node is hardly ever what a deadline waits for.
  static constexpr std::uint32_t kWorthTimingNs = 5'000;
  [[nodiscard]] bool is_worth_timing(std::uint32_t node) const {
    if ((needs_ & HotNode::kTimesBody) == 0) return false;
    return (hints_[node].load(std::memory_order_relaxed) & CostModel::kCostMask) >= kWorthTimingNs;
  }
  // --- End.
  void fail(std::uint32_t node, const base::Error& error);
  void stop_with(RunOutcome outcome);
  [[nodiscard]] bool try_answer(RunOutcome outcome);
  /// Brings the answer to whoever gets it, who may then take the run away, and drops `references`
  /// to the run: the answer's, and the work's if that is over with it.
  void deliver(std::uint32_t references = 1);
  /// Holds the storage of a use that is under way. False: there is none.
  [[nodiscard]] bool try_hold();
  void drop_references(std::uint32_t count);
  void drop_reference() { drop_references(1); }
  /// The alarm of the object's deadlines goes off, maybe for a use that is over, or its loop stops.
  static void on_deadline_alarm(Run& run, bool loop_stops);
  /// Whether the run is answered at its deadline by its loop.
  [[nodiscard]] bool has_early_deadline() const {
    return may_answer_early_ && options_.deadline.has_value();
  }
  [[nodiscard]] RunOutcome outcome_when_over() const;
  /// What the run was waiting for when its time was up, to be added to a message.
  [[nodiscard]] std::string pending_text() const;
  void add_executed(std::uint32_t count) {
    if (is_shared()) {
      executed_.fetch_add(count, std::memory_order_relaxed);
    } else {
      executed_.store(executed_.load(std::memory_order_relaxed) + count, std::memory_order_relaxed);
    }
  }

  // Constant while the run is under way; every strand reads these.
  const HotNode* nodes_ = nullptr;
  const Edge* edges_ = nullptr;
  const std::atomic<std::uint32_t>* hints_ = nullptr;
  const std::atomic<std::uint32_t>* worths_ = nullptr;
  std::uint32_t* counters_ = nullptr;
  std::uint32_t* links_ = nullptr;  // chains of ready nodes that travel as one item
  void* context_ = nullptr;
  const PriorityOrder* order_ = nullptr;
  const Topology* topology_;
  CostModel* costs_;
  SharingPlan sharing_;
  // The highest cost of a node; `kUnknown` if some node is worth a hand-over by itself.
  std::uint32_t dearest_ns_ = CostModel::kUnknown;
  std::uint64_t total_ns_ = 0;
  Priority priority_ = Priority::kNormal;
  std::uint32_t needs_ = 0;    // what every node needs, see `HotNode`
  bool routes_apart_ = false;  // what follows from a node is not simply pushed: traced, not inlined
  bool has_extras_ = false;    // this use of the run needs them
  bool measured_ = false;
  bool counts_rows_ = false;
  bool caller_takes_only_ = false;  // its caller helps with this run and no other
  bool may_answer_early_ = false;
  bool counted_ = false;  // storage is held by references_
  std::uint32_t node_charge_min_ns_ = 0;
  InlineRule inlining_;
  NodeCell<>* cells_ = nullptr;  // null: nothing but bodies ends the nodes of this run
  // Tells strands that counters need atomic decrements. Written before the hand-over that makes it
  // so; that hand-over publishes it.
  std::atomic<bool> shared_{false};
  // Read by every strand before every node; written once.
  alignas(base::kApartBytes) loop::StopSource stop_;
  // Publishes the answer (error_, outcome) to whoever reads it.
  std::atomic<RunOutcome> outcome_{RunOutcome::kOpen};

  // Written at hand-overs and at the end.
  alignas(base::kApartBytes) CreditAccount<> account_;
  // What the run will answer when its work is over; kOpen = nothing went wrong. The writer that
  // moves it from kOpen also writes error_, and publishes it with error_ready_.
  std::atomic<RunOutcome> verdict_{RunOutcome::kOpen};
  std::atomic<bool> error_ready_{false};
  std::optional<base::Error> error_;
  std::uint32_t failed_node_ = kNoNode;  // with error_
  std::vector<PendingNode> pending_;     // written by whoever answers, before the answer is out
  std::atomic<std::uint32_t> suppressed_errors_{0};
  std::atomic<std::uint32_t> late_completions_{0};
  std::atomic<std::uint32_t> executed_{0};
  std::atomic<bool> cancel_posted_{false};
  std::atomic<bool> answered_early_{false};  // written before the answer is delivered
  // Holders of the storage: the work, the answer's receiver, a deadline that is answered. Becoming
  // more than 0 publishes the use to whoever holds it.
  std::atomic<std::uint32_t> references_{0};
  Waiter waiter_;                        // the thread that waits in run()
  std::uint32_t waiter_references_ = 1;  // that it drops with the answer, which publishes them
  base::ParkingSpot<> caller_spot_;      // where one sleeps that helps with this run only
  AnswerDelivery<> delivery_;            // to that thread

  RunOptions options_;
  RunObserver observer_;
  RunObserver user_observer_;  // of whoever submitted a pooled run
  AdmissionPermit permit_;     // of a pooled run that had to ask for admission
  std::shared_ptr<void> context_owner_;
  const base::Clock* clock_ = nullptr;
  std::uint64_t uses_ = 0;
  Run* next_spare_ = nullptr;                // while nobody uses it: of its pool
  const std::unique_ptr<QueueEntry> entry_;  // the run itself in a queue
  std::unique_ptr<std::uint32_t[]> counter_storage_;
  std::unique_ptr<std::uint32_t[]> link_storage_;
  StagedValues staged_;                // each by the thread that runs or commits its node
  std::unique_ptr<RunExtras> extras_;  // states, timers, async operations, trace times
};

}  // namespace millrace::runtime
