#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "base/random.h"
#include "base/sync/atomics.h"
#include "base/sync/parking.h"
#include "runtime/class_set.h"
#include "runtime/handshake.h"
#include "runtime/node_call.h"
#include "runtime/run.h"
#include "runtime/run_steps.h"
#include "runtime/sequence_trace.h"
#include "runtime/steal_deque.h"
#include "runtime/strand_host.h"

// One worker: a state machine that takes a ready node, runs its body and passes tokens on.
//
//   pick ──► start(node) ──► body ──► finish(node) ──► next node of the strand, or pick again
//
// Threads call start and finish back to back; a simulator lets virtual time pass in between.
// Nothing here blocks: `idle` says what the driver should do.
//
// Where ready nodes lie:
//   the continuation   handed from finish to start directly (a strand, D2)
//   private stack      cheap siblings, not worth a hand-over; nobody else touches it, except
//   through
//                      `Handshake` while the worker is inside a body (D6)
//   node deques        nodes worth sharing, per class: newest first for the owner, oldest for
//   thieves run deques         whole runs and strands that made room for others, per class: oldest
//   first the pool's inbox   what threads outside the pool submit

namespace millrace::runtime {

class WorkerPool;

/// Counts of one worker. Each cell is written by its worker and read by anyone; none publishes.
struct WorkerCounters {
  std::atomic<std::uint64_t> executed{0};  ///< bodies called
  std::atomic<std::uint64_t> inlined{0};   ///< full path: bodies called without a queue before
  /// Dispatches: runs, nodes and jobs taken out of some queue, by class.
  std::array<std::atomic<std::uint64_t>, kPriorityCount> queued{};
  std::atomic<std::uint64_t> published{0};  ///< items made available to other workers
  std::atomic<std::uint64_t> stolen{0};     ///< items taken from another worker
  std::atomic<std::uint64_t> rescued{0};    ///< private backlogs taken from a worker in a body
  std::atomic<std::uint64_t> wakes{0};      ///< parked peers woken
  std::atomic<std::uint64_t> parks{0};
  std::atomic<std::uint64_t> starvation_guard{0};  ///< turns given to a lower class (P4)

  static void add(std::atomic<std::uint64_t>& cell, std::uint64_t count = 1) {
    cell.store(cell.load(std::memory_order_relaxed) + count, std::memory_order_relaxed);
  }
};

/// What a worker without work asks its driver to do.
struct IdleAction {
  enum class Kind : std::uint8_t {
    kRetry,  ///< look again at once
    kPark,   ///< sleep on the parking spot, at most for `timeout`; call `unparked` afterwards
  };
  Kind kind = Kind::kRetry;
  std::optional<base::Duration> timeout = {};
};

/// Threading: owned by its driver (a thread, or the simulator); members that others may call say
/// so.
class alignas(base::kApartBytes) Worker final : public StrandHost {
 public:
  Worker(WorkerPool& pool, std::uint32_t index, std::uint64_t seed);

  /// Takes the next node and calls its body. False: there is nothing to do here.
  [[nodiscard]] bool start();
  /// Ends the node that `start` began: passes its tokens on and chooses what follows.
  void finish();
  /// Does start and finish until the strand ends. False: there was nothing to do.
  bool work_strand();

  /// Decides how to wait.
  [[nodiscard]] IdleAction idle();
  /// Ends a park; `notified` is what the parking spot's `wait` said.
  void unparked(bool notified);
  /// Leaves the idle state because the driver found something itself.
  void stop_idling();

  /// Makes a fresh run this worker's own: the next `start` begins with its sources.
  void adopt(Run& run);
  /// Queues a run behind those that wait in this worker.
  void enqueue_run(Run& run);

  /// A strand that a nested run interrupts.
  struct Suspended {
    Run* run = nullptr;
    std::uint32_t node = kNoNode;
    const SequenceStep* step = nullptr;
    std::optional<SequenceTrace> sequence_trace;
    std::uint32_t carried_tokens = 0;
    trace::Arrival arrival;
    Run::Credit credit = 0;
    std::optional<NodeCall> call;
    base::TimePoint body_start{};
    std::uint32_t stack_top = 0;
    bool was_in_body =
        false;            // as the handshake shows it; only bodies with a backlog behind them do
    bool body_ok = true;  // of a body that has returned already, because its driver goes by steps
  };
  /// Makes the worker free in the middle of a body, and back.
  [[nodiscard]] Suspended suspend_strand();
  void resume_strand(Suspended&& outer);

  void make_ready(Run& run, std::uint32_t node) override;
  /// A worker knows what it hands over from the node that it runs.
  void begin_handing_over(std::uint32_t /*node*/, bool /*was_running*/) override {}

  [[nodiscard]] bool is_in_strand() const { return run_ != nullptr; }
  [[nodiscard]] base::ParkingSpot<>& spot() { return spot_; }
  [[nodiscard]] std::uint32_t index() const { return index_; }
  [[nodiscard]] const WorkerCounters& counters() const { return counters_; }
  /// Any thread: nodes and runs that lie here ready, as a hint.
  [[nodiscard]] std::uint64_t ready_hint() const;
  /// Any thread: a body is running here, or something lies in a queue.
  [[nodiscard]] bool looks_busy() const;
  /// One look at everything that could be taken; cheap enough to spin on.
  [[nodiscard]] bool sees_work() const;
  /// For its driver: whether something of class `priority` lies where this worker looks before it
  /// steals.
  [[nodiscard]] bool has_ready(std::size_t priority) const;
  /// Any thread: wakes the driver if it sleeps, because what it waits for besides work has come.
  void call_back();
  /// Any thread: items that others could take, as a hint.
  [[nodiscard]] std::uint64_t shared_item_count() const;

 private:
  friend class WorkerPool;

  static constexpr std::uint64_t pack(std::uint32_t node, std::uint32_t credit) {
    return (static_cast<std::uint64_t>(credit) << 32U) | node;
  }
  /// In an item's node: more nodes follow it along the run's links.
  static constexpr std::uint32_t kChainBit = 1U << 31U;
  /// It is no node but a place in the run's sequence, from which on one strand does everything.
  static constexpr std::uint32_t kSequenceBit = 1U << 30U;
  /// Marks an item that is a `Job`, not a run.
  static constexpr std::uint64_t kJobPayload = UINT64_MAX;

  // strand.cpp: the path of a node through the worker.
  template <bool kSharing>
  void run_strand_fast();
  [[nodiscard]] bool start_fast();
  void finish_fast();
  void go_on_with_tokens(Run& run, const HotNode& hot);
  template <bool kSharing>
  [[nodiscard]] std::uint32_t route_fast(Run& run,
                                         const HotNode& hot,
                                         std::uint32_t& top,
                                         bool& shares);
  [[nodiscard]] std::uint32_t next_of_strand();
  void keep(std::uint32_t node);
  void share_kept(Run& run, std::uint32_t mark);
  void share_new(Run& run, std::uint32_t mark);
  void share_dear(Run& run, std::uint32_t mark);
  void enter_run(Run& run);
  void leave_run();
  void look_when_sharing_pays(const Run& run);
  /// Private nodes of a run of cheap ones that may be worth sharing.
  [[nodiscard]] std::uint32_t share_count(const Run& run) const;
  /// How many nodes that cost at most `dearest_ns` are needed to cost `limit_ns`.
  [[nodiscard]] static std::uint32_t nodes_worth(std::uint64_t limit_ns, std::uint32_t dearest_ns) {
    const std::uint64_t count = limit_ns / std::max(dearest_ns, 1U) + 1;
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(count, UINT32_MAX));
  }
  void end_strand();
  void abandon_strand();
  void fail_node(Run& run, NodeCall& call);
  void begin_run(Run& run);
  void make_room_for_others(Run& run, std::uint32_t node);
  void put_behind_others(Run& run, std::uint32_t head);
  [[nodiscard]] bool others_wait() const;
  [[nodiscard]] std::uint32_t link_chain(Run& run,
                                         std::uint32_t head,
                                         std::uint32_t first,
                                         std::uint32_t count);
  void enter_strand(Run& run, std::uint64_t payload);
  void reserve_stack(std::uint32_t node_count);

  // sequence.cpp: the same where one strand has the run to itself.
  [[nodiscard]] bool may_follow_sequence(const Run& run) const;
  void follow_sequence(const Run& run, std::uint32_t place);
  template <bool kSharing>
  void run_sequence();
  template <bool kSharing>
  void run_traced_sequence();
  template <bool kSharing, class Trace>
  void run_sequence(Trace& trace);
  enum class SequencePause : std::uint8_t {
    kOthers,   // time to look whether others wait
    kStopped,  // before the next node
    kFailed,   // the last node did
    kTaken,    // somebody turned what is left into tokens
  };
  template <bool kSharing, class Trace>
  [[nodiscard]] SequencePause run_steps(NodeCall& call,
                                        const SequenceStep*& next,
                                        const SequenceStep* until,
                                        Trace& trace);
  void start_of_sequence();
  void finish_of_sequence();
  void finish_traced();
  /// Goes on by tokens after a node that was noted in `trace`.
  void go_on_traced(Run& run, const SequenceTrace& trace);
  /// Makes tokens and stack what they would be had the strand counted them all along.
  void leave_sequence();

  // full_path.cpp: the same for runs that are traced, timed, measured, or have async nodes.
  void run_strand_full();
  [[nodiscard]] bool start_full();
  void finish_full();
  /// Chooses what follows a node whose tokens have been passed on; `mark` is the size that the
  /// private stack had before.
  void go_on_full(Run& run, std::uint32_t mark);
  void begin_run_full(Run& run);
  void enqueue(Run& run, std::uint32_t node);
  [[nodiscard]] bool may_continue_with(const Run& run, std::uint32_t node) const;

  // worker.cpp: queues, sharing and stealing.
  [[nodiscard]] bool pick();
  [[nodiscard]] bool pick_from_class(std::uint32_t priority);
  [[nodiscard]] bool pick_own_node(std::uint32_t priority);
  [[nodiscard]] bool pick_own_run(std::uint32_t priority);
  [[nodiscard]] bool pick_starved();
  [[nodiscard]] bool steal();
  [[nodiscard]] bool steal_from(Worker& victim);
  [[nodiscard]] bool steal_item(StealDeque<>& deque, std::uint32_t priority);
  [[nodiscard]] bool rescue_from(Worker& victim);
  void publish(Run& run, std::uint32_t head);
  void publish_one(Run& run, std::uint32_t mark, std::uint32_t hint);
  void publish_new(Run& run, std::uint32_t mark);
  void publish_oldest(std::uint32_t count);
  void share_backlog(Run& run);
  void push_item(std::size_t priority, const DequeItem& item);
  void take(const DequeItem& item, std::uint32_t priority);
  /// P4: the lowest class is to be served next.
  [[nodiscard]] bool is_guard_due() const { return dispatches_ >= guard_every_; }
  void count_dispatch(std::size_t priority) {
    ++dispatches_;
    counters_.add(counters_.queued[priority]);
  }

  // Constant after construction.
  WorkerPool& pool_;
  const std::uint32_t index_;
  const std::uint32_t guard_every_;

  // Owner only, or whoever holds `handshake_`.
  Run* run_ = nullptr;
  std::uint32_t node_ = kNoNode;  // the next node of the strand
  // The next step of the run's sequence while the strand follows it: then `stack_top_` tells how
  // many nodes lie ready, and the stack itself is not kept.
  const SequenceStep* step_ = nullptr;
  // What is traced of it, for drivers that go by steps.
  std::optional<SequenceTrace> sequence_trace_;
  // Tokens of nodes that have run for the target of the next one, on the short path.
  std::uint32_t carried_tokens_ = 0;
  std::uint32_t depth_ = 0;       // nodes this strand ran since it last looked at others
  std::uint32_t best_ = kNoNode;  // full path: what finish will continue with
  trace::Arrival arrival_;
  bool sleeps_ = false;  // parked without a time limit
  std::uint32_t* stack_ = nullptr;
  std::uint64_t backlog_ns_ = 0;  // upper bound of what the private stack costs, where it is kept
  // Size of the private stack from which on a push looks whether to share; 0 = at every push.
  std::uint32_t share_check_ = 0;
  // Tells sleepers-to-be that somebody may have to be watched; read after their heavy fence.
  std::atomic<bool> in_strand_{false};
  std::uint64_t missed_ns_ = 0;  // what sharing would have gained while peers slept
  std::uint32_t dispatches_ = 0;
  // Size of the private stack. Written by the owner; read by anyone as a hint.
  std::atomic<std::uint32_t> stack_top_{0};
  std::optional<NodeCall> call_;
  bool body_ok_ = true;
  base::SplitMix64 random_;
  // One private stack per level of nested runs; the last level is the current one.
  struct PrivateStack {
    std::unique_ptr<std::uint32_t[]> nodes;
    std::uint32_t capacity = 0;
  };
  std::vector<PrivateStack> stacks_ = std::vector<PrivateStack>(1);
  std::uint32_t nesting_ = 0;

  // Idle state, owner only.
  bool idling_ = false;
  base::TimePoint idle_since_{};
  base::Duration spin_budget_{};
  std::uint64_t activity_seen_ = 0;

  Handshake<> handshake_;
  // Classes whose deque may hold something. Written by the owner, read by thieves as a hint that
  // saves them from looking at every deque.
  alignas(base::kApartBytes) ClassSet node_classes_;
  ClassSet run_classes_;
  std::array<StealDeque<>, kPriorityCount> nodes_;
  std::array<StealDeque<>, kPriorityCount> runs_;
  base::ParkingSpot<> spot_;
  alignas(base::kApartBytes) WorkerCounters counters_;
};

}  // namespace millrace::runtime
