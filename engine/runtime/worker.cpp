#include "runtime/worker.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "base/clock.h"
#include "base/sync/asymmetric_fence.h"
#include "base/sync/planted_bug.h"
#include "base/sync/processor_move.h"
#include "loop/executor.h"
#include "runtime/pool_inbox.h"
#include "runtime/run.h"
#include "runtime/steal_deque.h"
#include "runtime/topology/node.h"
#include "runtime/worker_pool.h"
#include "trace/trace_collector.h"

// Queues, stealing and idling. The steps of a node are in strand.cpp, those of sharing in
// sharing.cpp.

namespace millrace::runtime {
Worker::Worker(WorkerPool& pool, std::uint32_t index, std::uint64_t seed)
    : StrandHost(pool.clock(), pool.clock_overhead()),
      pool_(pool),
      index_(index),
      guard_every_(pool.config().starvation_guard_every),
      random_(seed) {
  reserve_stack(1);
  if (trace::TraceCollector* const trace = pool.config().trace) {
    trace_buffer_ = &trace->add_buffer("worker " + std::to_string(index));
  }
}

std::uint64_t Worker::ready_hint() const {
  std::uint64_t count = stack_top_.load(std::memory_order_relaxed);
  for (const StealDeque<>& deque : nodes_) count += deque.size_hint();
  for (const StealDeque<>& deque : runs_) count += deque.size_hint();
  return count;
}

std::uint64_t Worker::shared_item_count() const {
  std::uint64_t count = 0;
  for (std::size_t priority = 0; priority < kPriorityCount; ++priority) {
    if (node_classes_.has(priority)) count += nodes_[priority].size_hint();
    if (run_classes_.has(priority)) count += runs_[priority].size_hint();
  }
  return count;
}

Worker::Suspended Worker::suspend_strand() {
  const bool was_in_body = handshake_.looks_in_body();
  if (was_in_body) handshake_.leave_body();
  // The body will take as long as the nested run: nothing of the outer run may wait for it here.
  if (run_ != nullptr && !MR_PLANTED(kHostageBacklog))
    publish_oldest(stack_top_.load(std::memory_order_relaxed));
  Suspended outer{.run = run_,
                  .node = node_,
                  .carried_tokens = carried_tokens_,
                  .executed_count = executed_here(),
                  .arrival = arrival_,
                  .credit = credit_,
                  .call = std::exchange(call_, std::nullopt),
                  .body_start = body_start(),
                  .stack_top = stack_top_.load(std::memory_order_relaxed),
                  .was_in_body = was_in_body,
                  .step = step_};
  leave_run();
  stack_top_.store(0, std::memory_order_relaxed);
  if (++nesting_ == stacks_.size()) stacks_.emplace_back();
  return outer;
}

void Worker::resume_strand(Suspended&& outer) {
  --nesting_;
  stack_ = stacks_[nesting_].nodes.get();
  stack_top_.store(outer.stack_top, std::memory_order_relaxed);
  if (outer.run == nullptr) return;
  enter_run(*outer.run);
  node_ = outer.node;
  carried_tokens_ = outer.carried_tokens;
  first_executed_ -= outer.executed_count;
  arrival_ = outer.arrival;
  if (!MR_PLANTED(kForgottenStrand)) credit_ = outer.credit;
  call_ = std::move(outer.call);
  step_ = outer.step;
  set_body_start(outer.body_start);
  if (!outer.was_in_body) return;
  handshake_.enter_body();
}

bool Worker::sees_work() const {
  if (pool_.inbox().classes().any()) return true;
  const std::uint32_t count = pool_.worker_slots();
  for (std::uint32_t slot = 0; slot < count; ++slot) {
    const Worker* const other = pool_.worker_at(slot);
    if (other == nullptr) continue;
    if (other->run_classes_.any() && other->shared_item_count() != 0) return true;
    for (std::uint32_t priority = 0; other->node_classes_.any() && priority < kPriorityCount;
         ++priority) {
      if (!other->node_classes_.has(priority)) continue;
      // Whoever sees work takes it next: its cache misses overlap with those of this look.
      other->nodes_[priority].prefetch_oldest();
      pool_.idle_counts().prefetch();
      if (!other->nodes_[priority].looks_empty()) return true;
    }
  }
  return false;
}

bool Worker::has_ready(std::size_t priority) const {
  return pool_.inbox().classes().has(priority) || !nodes_[priority].looks_empty() ||
         !runs_[priority].looks_empty();
}

bool Worker::has_waiting_run(std::size_t priority) const {
  return pool_.inbox().classes().has(priority) || !runs_[priority].looks_empty();
}

bool Worker::looks_busy() const {
  return in_strand_.load(std::memory_order_relaxed) || ready_hint() > 0;
}

// --- Taking work

bool Worker::pick() {
  if (only_run_ != nullptr) return pick_of_own_run();
  if (is_guard_due()) [[unlikely]] {
    dispatches_ = 0;
    if (!MR_PLANTED(kStarvedClass) && pick_starved()) return true;
  }
  const bool others_first = turn_left_ns_ <= 0;
  if (others_first) {
    begin_turn();
    outside_first_ = !outside_first_;
  }
  for (std::uint32_t priority = 0; priority < kPriorityCount; ++priority) {
    if (pick_from_class(priority, others_first)) return true;
  }
  return steal();
}

bool Worker::pick_from_class(std::uint32_t priority, bool others_first) {
  // The nodes in this worker's deque follow from what it ran last; once its turn is used up, runs
  // and jobs that wait come before them (D10): by turns one that was submitted here and one that
  // came from outside.
  if (!others_first)
    return pick_own_node(priority) || pick_own_run(priority) || pick_from_inbox(priority);
  if (outside_first_ && pick_from_inbox(priority)) return true;
  return pick_own_run(priority) || pick_from_inbox(priority) || pick_own_node(priority);
}

bool Worker::pick_from_inbox(std::uint32_t priority) {
  DequeItem item;
  if (!pool_.inbox().try_take(priority, item)) return false;
  stop_idling();  // before the next line asks whether anybody still searches
  // Whatever else waits there is for whoever sleeps (D7).
  if (pool_.inbox().classes().has(priority)) pool_.wake_for_rest(*this);
  begin_turn();
  take(item, priority);
  return true;
}

void Worker::begin_turn() {
  turn_left_ns_ = pool_.config().strand_quantum.count();
  counted_left_ns_ = turn_left_ns_;
}

bool Worker::pick_own_node(std::uint32_t priority) {
  if (!node_classes_.has(priority)) return false;
  DequeItem item;
  if (!nodes_[priority].try_pop(item)) {
    node_classes_.remove(priority);
    return false;
  }
  take(item, priority);
  return true;
}

bool Worker::pick_own_run(std::uint32_t priority) {
  if (!run_classes_.has(priority)) return false;
  DequeItem item;
  // Runs are served oldest first, so the owner takes from the same end as thieves.
  if (!runs_[priority].try_take_oldest(item)) {
    run_classes_.remove(priority);
    return false;
  }
  if (runs_[priority].looks_empty()) run_classes_.remove(priority);
  take(item, priority);
  return true;
}

bool Worker::pick_starved() {
  // P4: serve the lowest class that has something, once. It counts if a higher one waits for it.
  std::uint32_t highest = 0;
  while (highest < kPriorityCount && !has_ready(highest)) ++highest;
  for (std::uint32_t priority = kPriorityCount; priority-- > highest;) {
    if (!pick_from_class(priority, turn_left_ns_ <= 0)) continue;
    if (priority != highest) counters_.add(counters_.starvation_guard);
    return true;
  }
  return false;
}

bool Worker::pick_of_own_run() {
  // A caller with a deadline: a body of some other run could take longer than it has time. Its own
  // deques hold nothing but parts of its run.
  for (std::uint32_t priority = 0; priority < kPriorityCount; ++priority) {
    if (pick_own_node(priority) || pick_own_run(priority)) return true;
    DequeItem item;
    // Strands that made room for others lie in the inbox or among runs.
    bool found = pool_.inbox().try_take_of(only_run_, priority, item);
    for (std::uint32_t slot = 0; slot < pool_.worker_slots() && !found; ++slot) {
      Worker* const victim = pool_.worker_at(slot);
      if (victim == nullptr || victim == this) continue;
      found = victim->nodes_[priority].steal_of(only_run_, item) ||
              victim->runs_[priority].steal_of(only_run_, item);
      if (found) counters_.add(counters_.stolen);
    }
    if (!found) continue;
    begin_turn();
    take(item, priority);
    return true;
  }
  return false;
}

bool Worker::sees_own_run() const {
  for (std::size_t priority = 0; priority < kPriorityCount; ++priority) {
    if (pool_.inbox().peek_oldest(priority) == only_run_) return true;
  }
  for (std::uint32_t slot = 0; slot < pool_.worker_slots(); ++slot) {
    const Worker* const other = pool_.worker_at(slot);
    if (other == nullptr) continue;
    for (std::size_t priority = 0; priority < kPriorityCount; ++priority) {
      if (other->nodes_[priority].peek_oldest() == only_run_) return true;
      if (other->runs_[priority].peek_oldest() == only_run_) return true;
    }
  }
  return false;
}

void Worker::take(const DequeItem& item, std::uint32_t priority) {
  stop_idling();
  count_dispatch(priority);
  if (item.payload == PoolInbox::kJobPayload) {
    loop::Job& job = *static_cast<loop::Job*>(item.run);
    return job.run(job);
  }
  forget_boundary_time();
  enter_strand(*static_cast<Run*>(item.run), item.payload);
}

// --- Stealing

bool Worker::steal() {
  const std::uint32_t count = pool_.worker_slots();
  if (count <= 1) return false;
  const auto first = static_cast<std::uint32_t>(random_.below(count));
  for (std::uint32_t step = 0; step < count; ++step) {
    Worker* const victim = pool_.worker_at((first + step) % count);
    if (victim != nullptr && victim != this && steal_from(*victim)) return true;
  }
  return false;
}

bool Worker::steal_from(Worker& victim) {
  for (std::uint32_t priority = 0; priority < kPriorityCount; ++priority) {
    // Whole runs first (D7).
    if (victim.run_classes_.has(priority) && steal_item(victim.runs_[priority], priority))
      return true;
    if (victim.node_classes_.has(priority) && steal_item(victim.nodes_[priority], priority))
      return true;
  }
  return false;
}

bool Worker::steal_item(StealDeque<>& deque, std::uint32_t priority) {
  DequeItem item;
  if (deque.looks_empty() || deque.steal(item) != StealResult::kTaken) return false;
  counters_.add(counters_.stolen);
  stop_idling();  // before the next line asks whether anybody still searches
  if (!deque.looks_empty()) pool_.wake_for_rest(*this);
  begin_turn();
  take(item, priority);
  return true;
}

bool Worker::rescue_from(Worker& victim) {
  // The victim is in a body and keeps cheap nodes to itself: publish them on its behalf.
  if (victim.stack_top_.load(std::memory_order_relaxed) == 0) return false;
  if (!victim.handshake_.try_hold()) return false;
  const bool found = victim.stack_top_.load(std::memory_order_relaxed) != 0;
  if (found) {
    victim.publish_oldest(victim.stack_top_.load(std::memory_order_relaxed));
    counters_.add(counters_.rescued);
  }
  victim.handshake_.release();
  return found;
}

// --- Runs

void Worker::push_item(std::size_t priority, const DequeItem& item) {
  nodes_[priority].push(item);
  node_classes_.insert(priority);
  counters_.add(counters_.published);
}

void Worker::enqueue_run(Run& run) {
  const auto priority = static_cast<std::size_t>(run.priority_);
  runs_[priority].push({&run, pack(kNoNode, static_cast<std::uint32_t>(Run::kFullCredit))});
  run_classes_.insert(priority);
  base::light_fence();
  if (pool_.has_parked()) [[unlikely]]
    pool_.consider_wake(*this, UINT64_MAX);
}

// --- Idling

IdleAction Worker::idle() {
  if (only_run_ != nullptr) return idle_for_own_run();
  if (!idling_) {
    idling_ = true;
    pool_.idle_counts().start_idling();
    begin_looking(pool_.config().spin_time);
    activity_seen_ = pool_.activity();
    return {};
  }
  const base::TimePoint now = pool_.clock().now();
  leave_busy_processor(now);
  if (now >= next_watch_ && watch_backlogs(now)) return {};
  return now < look_until_ ? look_again(now) : pool_.try_park(*this);
}

void Worker::begin_looking(base::Duration how_long) {
  look_since_ = pool_.clock().now();
  look_until_ = look_since_ + how_long;
  // Looking at others takes their cache lines away: not at once, and not often.
  next_watch_ = look_since_ + pool_.rescue_after() / 2;
}

IdleAction Worker::look_again(base::TimePoint now) const {
  // What comes soon comes at once. After that, whoever else wants this processor has it: it may be
  // the very peer that this worker waits for.
  constexpr base::Duration kAlone = std::chrono::microseconds(2);
  return {.kind = now - look_since_ < kAlone ? IdleAction::Kind::kRetry : IdleAction::Kind::kYield};
}

void Worker::leave_busy_processor(base::TimePoint now) {
  // The kernel likes to run a woken thread where the thread that woke it runs, and sees no reason
  // to part two threads that sleep often. Two workers on one processor are worth one.
  constexpr base::Duration kMovePeriod = std::chrono::milliseconds(1);
  if (!pool_.spreads_threads() || index_ >= pool_.thread_count() || now < next_move_) return;
  const int here = base::current_processor();
  for (std::uint32_t slot = 0; slot < pool_.worker_slots(); ++slot) {
    const Worker* const other = pool_.worker_at(slot);
    if (other == nullptr || other == this) continue;
    if (!other->in_strand_.load(std::memory_order_relaxed)) continue;
    if (other->processor_.load(std::memory_order_relaxed) != here) continue;
    next_move_ = now + kMovePeriod;
    if (base::leave_processor(here)) counters_.add(counters_.moves);
    return;
  }
}

bool Worker::has_backlog_in_body() const {
  return stack_top_.load(std::memory_order_relaxed) != 0 && handshake_.looks_in_body();
}

bool Worker::watch_backlogs(base::TimePoint now) {
  // A worker that goes from node to node keeps to itself what is not worth a hand-over. One that
  // does not come back from a body holds hostages: its cost was estimated wrongly (D6).
  next_watch_ = now + pool_.rescue_after() / 2;
  watched_.resize(pool_.worker_slots());
  bool is_suspicious = false;
  for (std::uint32_t slot = 0; slot < watched_.size(); ++slot) {
    Worker* const victim = pool_.worker_at(slot);
    if (victim == nullptr || victim == this || !victim->has_backlog_in_body()) continue;
    Watched& seen = watched_[slot];
    const std::uint64_t executed = victim->counters_.executed.load(std::memory_order_relaxed);
    if (seen.executed != executed) {
      seen = {.executed = executed, .since = now};
    } else if (now - seen.since >= pool_.rescue_after() && rescue_from(*victim)) {
      return true;
    }
    is_suspicious = true;
  }
  if (is_suspicious && std::exchange(may_look_longer_, false))
    look_until_ = std::max(look_until_, now + 2 * pool_.rescue_after());
  return false;
}

IdleAction Worker::idle_for_own_run() {
  if (!std::exchange(waits_for_own_run_, true)) begin_looking(pool_.config().spin_time);
  const base::TimePoint now = pool_.clock().now();
  if (now >= next_watch_ && watch_backlogs(now)) return {};
  if (now < look_until_) return look_again(now);
  // Sleeps until its run is answered or has something for it, and looks now and then at what a peer
  // may hold back of it.
  base::ParkingSpot<>& own_spot = spot();
  own_spot.announce();
  base::heavy_fence();
  if (!sees_own_run())
    return {.kind = IdleAction::Kind::kPark, .timeout = pool_.config().watch_period};
  static_cast<void>(own_spot.cancel());
  return {};
}

void Worker::unparked(bool notified) {
  if (!waits_for_own_run_) pool_.leave_parking(*this, notified);
  begin_looking(notified ? pool_.config().spin_time : base::Duration::zero());
  may_look_longer_ = !notified;
  if (notified) return leave_busy_processor(look_since_);
  // One that woke by itself has waited all the time: it looks at what busy workers hold back.
  next_watch_ = look_since_;
  if (MR_PLANTED(kIdleWatcher)) next_watch_ = look_since_ + pool_.rescue_after();
}

void Worker::call_back() {
  if (!spot_.is_waiting()) return;
  // Counted as whoever wakes it for work does: it is about to look around, and stops doing so.
  if (!MR_PLANTED(kUncountedCall)) pool_.idle_counts().start_searching();
  if (!spot_.notify()) pool_.idle_counts().stop_searching();
}

void Worker::stop_idling() {
  waits_for_own_run_ = false;
  if (!idling_) return;
  idling_ = false;
  pool_.idle_counts().stop_idling();
  // The last one that watched is about to be busy: another takes its place.
  if (!pool_.is_watched()) pool_.wake_watcher(*this);
}

}  // namespace millrace::runtime
