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
#include "runtime/crew.h"
#include "runtime/handshake.h"
#include "runtime/node_call.h"
#include "runtime/run.h"
#include "runtime/run_steps.h"
#include "runtime/steal_deque.h"
#include "runtime/strand_host.h"

// One worker: a state machine that takes ready nodes, runs their bodies and passes tokens on.
// Threads and the simulator call the same steps; between `start` and `finish` the simulator lets
// virtual time pass. Nothing here blocks: `idle` says what the driver should do.
//
// The states of a worker, and the steps between them:
//
// clang-format off
//   state      it has                     step                    next state
//   ---------  -------------------------  ----------------------  -----------------------------------
//   free       nothing                    pick, adopt             strand; free if it was a job
//   strand     a run, its next node       start_node              in body
//                                         end_strand              free: nothing of it is left here
//                                         abandon_strand          free: the run is to stop
//   in body    a run, a node             finish                  strand, or one of the next three
//                                         end_strand              free
//                                         abandon_strand          free: the node failed, or came late
//                                         requeue_strand          free: others have their turn (D4)
//                                         suspend_strand          free: the body runs another flow
//   free       a suspended strand below   resume_strand           in body, of the suspended strand
// clang-format on
//
// What a node goes through is in node_states.h. A loop's scheduler (loop_scheduler.h) has the
// states free, strand and in body too, and shares the steps of run_steps.h.
//
// Where ready nodes lie:
//   - the continuation: handed from `finish` to `start_node` directly (D2)
//   - the private stack: nodes not worth a hand-over; nobody else touches it, except through
//     `Handshake` while the worker is inside a body (D6)
//   - node deques, per class: nodes worth sharing; newest first for the owner, oldest for thieves
//   - run deques, per class: runs that bodies and answers submit here; oldest first
//   - the pool's inbox, per class: what threads outside the pool submit, jobs, and strands that
//     have made room for others; oldest first
//
// Why it is right. Each point names what keeps it.
//  1. No node runs twice: the decrement that takes a counter to zero is unique
//     (RunSteps::give_tokens), a node without counter has one producer, and a ready node lies in
//     exactly one of the places above: a move from one to another is a pop or steal that only one
//     thread wins (steal_deque.h), or happens while the private stack is held (handshake.h).
//  2. No node is lost: a strand ends only with an empty private stack, or when the run is to stop.
//     Everything else that is ready lies in a deque or an inbox.
//  3. No wake-up is lost: see crew.h.
//  4. The work ends once: whoever holds a place with ready nodes holds credit (credit.h), so the
//     last credit comes back after the last node; `end_strand` gives it back as its last touch.
//  5. The answer goes out once: by whoever ends the work (4); in runs that may be answered before
//     that, `Run::try_answer` is one compare-exchange, and after it no body publishes anything
//     (node_states.h).
//  6. Storage outlives its users: work, answer and a deadline that goes off hold one reference each
//     (Run::references_); the work's is dropped after 4, and a caller that waits in `run` goes on
//     only after the thread that answered has left the run (delivery.h). An alarm that is set
//     while nobody uses the run is closed before the run goes (standing_alarm.h).
//  7. A strand leaves its worker to others in time: every node is charged to the turn, also across
//     strands of the same run; when the turn is used up, what waits goes first (D4, D10).

namespace millrace::runtime {

/// Counts of one worker. Each cell is written by its worker and read by anyone; none publishes.
struct WorkerCounters {
  std::atomic<std::uint64_t> executed{0};  ///< bodies called
  std::atomic<std::uint64_t> inlined{0};   ///< bodies called without a queue before
  /// Dispatches: runs, nodes and jobs taken out of some queue, by class.
  std::array<std::atomic<std::uint64_t>, kPriorityCount> queued{};
  std::atomic<std::uint64_t> published{0};  ///< items made available to other workers
  std::atomic<std::uint64_t> stolen{0};     ///< items taken from another worker
  std::atomic<std::uint64_t> rescued{0};    ///< private backlogs taken from a worker in a body
  std::atomic<std::uint64_t> wakes{0};      ///< parked peers woken
  std::atomic<std::uint64_t> parks{0};
  std::atomic<std::uint64_t> moves{0};             ///< times it left a busy peer's processor
  std::atomic<std::uint64_t> starvation_guard{0};  ///< turns given to a lower class (P4)

  static void add(std::atomic<std::uint64_t>& cell, std::uint64_t count = 1) {
    cell.store(cell.load(std::memory_order_relaxed) + count, std::memory_order_relaxed);
  }
};

/// What a worker without work asks its driver to do.
struct IdleAction {
  enum class Kind : std::uint8_t {
    kRetry,  ///< look again at once
    kYield,  ///< look again, after others that want this processor
    kPark,   ///< sleep on the parking spot, at most for `timeout`; call `unparked` afterwards
  };
  Kind kind = Kind::kRetry;
  std::optional<base::Duration> timeout = {};
};

/// Threading: owned by its driver (a thread, or the simulator); members that others may call say
/// so.
class alignas(base::kApartBytes) Worker final : public StrandHost {
 public:
  Worker(Crew& crew, std::uint32_t index, std::uint64_t seed);

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
  /// The driver leaves, between two strands. If it was `woken` for work since it last had some, it
  /// passes the call on.
  void leave(bool woken);

  /// Makes a fresh run this worker's own: the next `start` begins with its sources.
  void adopt(Run& run);
  /// Queues a run behind those that wait in this worker.
  void enqueue_run(Run& run);
  /// From now on takes nothing but parts of `run`, because its caller has a deadline and a body of
  /// another run could take too long; null: everything again. Such a worker counts neither as
  /// searching nor as watching, and nobody wakes it for work: others would rely on it in vain.
  void take_only(Run* run) { only_run_ = run; }

  /// A node on its way from before its body to after it.
  struct Step {
    Run* run = nullptr;
    std::uint32_t node = kNoNode;  // as `node_`
    const HotNode* hot = nullptr;
    NodeCell<>* cell = nullptr;  // its state; null where nothing but its body ends it
    std::uint32_t needs = 0;     // its own and those of the run
    bool ok = true;              // what the body returned
  };
  /// A strand that a nested run interrupts; without a run where a job is interrupted.
  struct Suspended {
    Run* run = nullptr;
    std::uint32_t node = kNoNode;
    std::uint32_t carried_tokens = 0;
    std::uint64_t executed_count = 0;
    trace::Arrival arrival;
    Run::Credit credit = 0;
    std::optional<NodeCall> call;
    base::TimePoint body_start{};
    std::uint32_t stack_top = 0;
    bool was_in_body = false;  // as the handshake shows it
    Step step = {};            // of a body that has returned already: its driver goes by steps
  };
  /// Makes the worker free in the middle of a body, and back.
  [[nodiscard]] Suspended suspend_strand();
  void resume_strand(Suspended&& outer);
  /// Runs inside bodies inside bodies: how many strands are suspended here.
  [[nodiscard]] std::uint32_t nesting() const { return nesting_; }
  /// From so many on a worker keeps the nodes of inner runs to itself, because whoever waits for a
  /// thief might take up yet another strand meanwhile.
  static constexpr std::uint32_t kNestingShares = 16;
  /// More are refused: each is a frame on the stack.
  static constexpr std::uint32_t kNestingMax = 256;

  void make_ready(Run& run, std::uint32_t node) override;
  /// A worker knows what it hands over from the node that it runs.
  void begin_handing_over(std::uint32_t /*node*/, bool /*was_running*/) override {}

  [[nodiscard]] bool is_in_strand() const { return run_ != nullptr; }
  /// Where its driver sleeps.
  [[nodiscard]] base::ParkingSpot<>& spot() {
    return only_run_ == nullptr ? own_spot() : only_run_->caller_spot_;
  }
  /// How its driver is woken for something else than work.
  [[nodiscard]] Waiter waiter() { return {.spot = &own_spot(), .idle = &crew_.idle_counts()}; }
  [[nodiscard]] const Crew& crew() const { return crew_; }
  [[nodiscard]] std::uint32_t index() const { return index_; }
  [[nodiscard]] const WorkerCounters& counters() const { return counters_; }
  /// Any thread: nodes and runs that lie here ready, as a hint.
  [[nodiscard]] std::uint64_t ready_hint() const;
  /// Any thread: a strand is under way here, as a hint.
  [[nodiscard]] bool looks_in_strand() const { return in_strand_.load(std::memory_order_relaxed); }
  /// Any thread: a body is running here, or something lies in a queue.
  [[nodiscard]] bool looks_busy() const { return looks_in_strand() || ready_hint() > 0; }
  /// One look at everything that could be taken; cheap enough to spin on.
  [[nodiscard]] bool sees_work() const;
  /// For its driver: whether something of class `priority` lies where this worker looks before it
  /// steals.
  [[nodiscard]] bool has_ready(std::size_t priority) const;
  /// For its driver: whether a run, a hand-over or a job of class `priority` waits for this worker.
  [[nodiscard]] bool has_waiting_run(std::size_t priority) const;
  /// For its driver, in a strand: the class of its run, and what the last node took of the turn.
  [[nodiscard]] Priority strand_priority() const { return run_->priority(); }
  [[nodiscard]] std::int64_t last_charge_ns() const { return last_charge_ns_; }
  /// Any thread: items that others could take, as a hint.
  [[nodiscard]] std::uint64_t shared_item_count() const;

 private:
  // strand.cpp: the steps of a strand.
  /// Makes sure that there is a next node. False: the strand is over.
  [[nodiscard]] bool find_node();
  /// Runs nodes until the strand ends or gives way.
  template <bool kHasStates>
  void run_nodes();
  [[nodiscard]] bool start_node(Step& step);
  /// True: the strand goes on, with a node.
  [[nodiscard]] bool finish_node(Step& step);
  /// The same for nodes that need something besides (`HotNode::kBeginsApart`, `kEndsApart`).
  /// By value, so that the step itself can stay in registers.
  [[nodiscard]] bool begin_apart(Step step);
  [[nodiscard]] bool finish_apart(Step step);
  /// The quick way of a node that has a timeout.
  [[nodiscard]] bool begin_timed(Run& run, NodeCell<>& cell);
  /// Takes the node from its body, which has just returned, if its time is up.
  void look_at_clock(Run& run);
  /// The time at the end of a timed node is that of the begin of a node that follows it at once.
  [[nodiscard]] base::TimePoint time_at_begin() const {
    const std::uint64_t count = counters_.executed.load(std::memory_order_relaxed);
    return knows_boundary_time() && boundary_count_ == count ? last_boundary() : clock().now();
  }
  [[nodiscard]] bool begin_by_steps(Run& run);
  /// Ends a strand whose node failed or came late. False, always.
  [[nodiscard]] bool end_unpublished(Run& run, RunSteps::NodeEnd end);
  void fail_node(Run& run);
  void record_cost(Run& run, std::uint32_t node);
  /// Passes the tokens of a node on. Gives the best of the nodes that it made ready, and leaves the
  /// others on the private stack or shares them.
  [[nodiscard]] std::uint32_t route(Run& run, const HotNode& hot);
  /// Looks whether to share what was pushed since the private stack had `mark` nodes.
  void share_new(Run& run, std::uint32_t mark);
  /// Goes on with `next`, or else with what is on the private stack.
  [[nodiscard]] bool go_on(Run& run, std::uint32_t& next, std::int64_t charge_ns);
  [[nodiscard]] bool begin_next_turn(Run& run);
  void end_strand();
  void abandon_strand();
  void requeue_strand(Run& run);
  void enter_run(Run& run);
  void leave_run();
  void enter_strand(Run& run, std::uint64_t payload);
  void begin_run(Run& run);
  /// Shares what a strand has beside its first node, if that pays.
  void share_begun(Run& run);
  [[nodiscard]] bool pop_private();
  void push_private(std::uint32_t node);
  void reserve_stack(std::uint32_t node_count);
  [[nodiscard]] std::uint32_t link_chain(Run& run,
                                         std::uint32_t head,
                                         std::uint32_t first,
                                         std::uint32_t count);
  [[nodiscard]] std::uint64_t executed_here() const {
    return counters_.executed.load(std::memory_order_relaxed) - first_executed_;
  }
  /// Adds the bodies of this strand to those of its run.
  void count_executed(Run& run);
  /// What the node that has just ended takes of the turn.
  [[nodiscard]] std::int64_t charge_of(const Run& run, std::uint32_t node) const;
  /// The turn is used up: whether something that waits comes next.
  [[nodiscard]] bool others_are_due(const Run& run);
  void enqueue(Run& run, std::uint32_t node);
  [[nodiscard]] bool may_continue_with(const Run& run, std::uint32_t node) const;

  // worker.cpp: queues and stealing.
  [[nodiscard]] bool pick();
  [[nodiscard]] bool pick_from_class(std::uint32_t priority, bool others_first);
  [[nodiscard]] bool pick_own_node(std::uint32_t priority);
  [[nodiscard]] bool pick_own_run(std::uint32_t priority);
  [[nodiscard]] bool pick_from_inbox(std::uint32_t priority);
  [[nodiscard]] bool pick_starved();
  [[nodiscard]] bool pick_of_own_run();
  [[nodiscard]] bool steal();
  [[nodiscard]] bool steal_from(Worker& victim);
  [[nodiscard]] bool steal_item(StealDeque<>& deque, std::uint32_t priority);
  [[nodiscard]] bool rescue_from(Worker& victim);
  void push_item(std::size_t priority, const DequeItem& item);
  void take(const DequeItem& item, std::uint32_t priority);
  void begin_turn();
  /// P4: the lowest class is to be served next.
  [[nodiscard]] bool is_guard_due() const { return dispatches_ >= guard_every_; }
  void count_dispatch(std::size_t priority) {
    ++dispatches_;
    counters_.add(counters_.queued[priority]);
  }

  // sharing.cpp: what is handed to others, and when (D6).
  [[nodiscard]] bool can_share() const;
  /// What a node costs, as far as it is known.
  [[nodiscard]] static std::uint64_t cost_of(const Run& run, std::uint32_t node);
  void share_pushed(Run& run, std::uint32_t mark);
  void publish_costly_nodes(Run& run, std::uint32_t mark);
  void publish(Run& run, std::uint32_t head);
  /// Wakes somebody for what was just published, if that pays.
  void announce(Run& run, std::uint64_t gain_ns);
  void publish_one(Run& run, std::uint32_t mark, std::uint32_t worth);
  void publish_pieces(Run& run, std::uint32_t mark);
  void publish_oldest(std::uint32_t count);
  void share_backlog(Run& run);
  void look_when_sharing_pays(const Run& run);
  /// Private nodes of a run of cheap ones that may be worth sharing.
  [[nodiscard]] std::uint32_t share_count(const Run& run) const;
  /// How many nodes that cost at most `dearest_ns` are needed to cost `limit_ns`.
  [[nodiscard]] static std::uint32_t nodes_worth(std::uint64_t limit_ns, std::uint32_t dearest_ns) {
    const std::uint64_t count = limit_ns / std::max(dearest_ns, 1U) + 1;
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(count, UINT32_MAX));
  }

  // Constant after construction.
  Crew& crew_;
  const std::uint32_t index_;
  const std::uint32_t guard_every_;

  // Owner only, or whoever holds `handshake_`.
  Run* run_ = nullptr;
  std::uint32_t node_ = kNoNode;  // the next node of the strand, or the one whose body runs
  std::uint32_t best_ = kNoNode;  // the best that `make_ready` was given since the body
  // Tokens of nodes that have run for the target of the next one.
  std::uint32_t carried_tokens_ = 0;
  // What `counters_.executed` was when this strand began: the rest is not yet added to the run's.
  std::uint64_t first_executed_ = 0;
  // What is left of the turn. Other work goes first once it is used up.
  std::int64_t turn_left_ns_ = 0;
  std::int64_t last_charge_ns_ = 0;
  std::uint64_t boundary_count_ = 0;  // what `counters_.executed` was at the end of a timed node
  bool outside_first_ = false;        // whose turn it was when the last turn was used up
  std::int64_t counted_left_ns_ = 0;  // what was left when `count_missed` last looked
  Step step_;  // of a driver that goes by steps: the node whose body it has called
  trace::Arrival arrival_;
  Run* only_run_ = nullptr;  // of a caller that helps with its own run only
  bool sleeps_ = false;      // parked without a time limit
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
  base::SplitMix64 random_;
  // One private stack per level of nested runs; the last level is the current one.
  struct PrivateStack {
    std::unique_ptr<std::uint32_t[]> nodes;
    std::uint32_t capacity = 0;
  };
  std::vector<PrivateStack> stacks_ = std::vector<PrivateStack>(1);
  std::uint32_t nesting_ = 0;

  // idling.cpp: how it waits, and whom it wakes.
  [[nodiscard]] base::ParkingSpot<>& own_spot() { return crew_.spot(index_); }
  [[nodiscard]] IdleAction idle_for_own_run();
  [[nodiscard]] IdleAction try_park();
  [[nodiscard]] bool sees_own_run() const;
  [[nodiscard]] bool any_other_busy() const;
  /// Changes whenever a worker calls a body.
  [[nodiscard]] std::uint64_t activity() const;
  /// Notes what could have been saved by waking a peer since it was last called.
  void count_missed();
  /// Wakes a sleeper for what was just published, if the gain or what was missed is worth it.
  void consider_wake(std::uint64_t gain_ns);
  /// Whoever takes something and leaves more behind calls the next one: sleepers are woken one
  /// after the other.
  void wake_for_rest();
  bool wake_one();
  /// Makes sure that somebody looks at what this worker holds back.
  void call_watcher() {
    if (!crew_.is_watched()) wake_one();
  }
  void begin_looking(base::Duration how_long);
  /// Moves its thread away from a processor on which a peer works.
  void leave_busy_processor(base::TimePoint now);
  [[nodiscard]] IdleAction look_again(base::TimePoint now) const;
  [[nodiscard]] bool watch_backlogs(base::TimePoint now);
  [[nodiscard]] bool has_backlog_in_body() const;

  // Idle state, owner only.
  bool idling_ = false;
  bool waits_for_own_run_ = false;
  bool may_look_longer_ = false;  // once after it woke by itself
  static constexpr std::uint32_t kLooksPerTiming = 4;
  std::uint32_t look_count_ = 0;  // at queues of others that seemed to hold something
  base::TimePoint look_since_{};
  base::TimePoint look_until_{};
  base::TimePoint next_watch_{};
  base::TimePoint next_move_{};
  std::uint64_t activity_seen_ = 0;
  Handshake<> handshake_;
  // Classes whose deque may hold something. Written by the owner, read by thieves as a hint that
  // saves them from looking at every deque.
  alignas(base::kApartBytes) ClassSet<> node_classes_;
  // Where it ran when it last shared something. A hint for peers that look for work.
  std::atomic<int> processor_{-1};
  ClassSet<> run_classes_;
  std::array<StealDeque<>, kPriorityCount> nodes_;
  std::array<StealDeque<>, kPriorityCount> runs_;
  alignas(base::kApartBytes) WorkerCounters counters_;
  // What peers saw while this worker held nodes back in a body: how many bodies it had called, and
  // when a peer first saw that number. Written by whoever watches, so that the next one goes on
  // where a watcher stopped that found work. `executed` publishes `since_ns` to other watchers.
  struct Watched {
    std::atomic<std::uint64_t> executed{0};
    std::atomic<std::int64_t> since_ns{0};
  };
  alignas(base::kApartBytes) Watched watched_;
};

}  // namespace millrace::runtime
