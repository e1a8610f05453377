#include "runtime/worker.h"

#include <bit>
#include <cstdint>
#include <optional>

#include "base/clock.h"
#include "runtime/asymmetric_fence.h"
#include "runtime/run.h"
#include "runtime/worker_pool.h"

// Queues, sharing, stealing and idling. The path of a node is in strand.cpp.

namespace millrace::runtime {

Worker::Worker(WorkerPool& pool, std::uint32_t index, std::uint64_t seed)
    : StrandHost(pool.clock(), pool.clock_overhead()),
      pool_(pool),
      index_(index), random_(seed), spin_budget_(pool.config().spin_time) {}

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
  handshake_.leave_body();
  // The body will take as long as the nested run: nothing of the outer run may wait for it here.
  publish_backlog(stack_top_.load(std::memory_order_relaxed));
  Suspended outer{run_, node_, arrival_, credit_, std::move(call_), body_start()};
  run_ = nullptr;
  return outer;
}

void Worker::resume_strand(const Suspended& outer) {
  run_ = outer.run;
  node_ = outer.node;
  arrival_ = outer.arrival;
  credit_ = outer.credit;
  call_ = outer.call;
  set_body_start(outer.body_start);
  best_ = kNoNode;
  handshake_.enter_body();
}

bool Worker::looks_busy() const { return handshake_.looks_in_body() || ready_hint() > 0; }

// --- Taking work

bool Worker::pick() {
  if (dispatches_ >= pool_.config().starvation_guard_every) [[unlikely]] {
    dispatches_ = 0;
    if (pick_starved()) return true;
  }
  for (std::uint32_t priority = 0; priority < kPriorityCount; ++priority) {
    if (pick_from_class(priority)) return true;
  }
  return steal();
}

bool Worker::pick_from_class(std::uint32_t priority) {
  if (pick_own_node(priority) || pick_own_run(priority)) return true;
  return pool_.fetch_inbox(*this, priority) && pick_own_run(priority);
}

bool Worker::pick_own_node(std::uint32_t priority) {
  if (!node_classes_.has(priority)) return false;
  DequeItem item;
  if (!nodes_[priority].try_pop(item)) {
    node_classes_.remove(priority);
    return false;
  }
  take(item);
  return true;
}

bool Worker::pick_own_run(std::uint32_t priority) {
  if (!run_classes_.has(priority)) return false;
  DequeItem item;
  // Runs are served oldest first, so the owner takes from the same end as thieves.
  StealResult result = StealResult::kLost;
  while (result == StealResult::kLost) result = runs_[priority].steal(item);
  if (result == StealResult::kEmpty) {
    run_classes_.remove(priority);
    return false;
  }
  if (runs_[priority].looks_empty()) run_classes_.remove(priority);
  take(item);
  return true;
}

bool Worker::pick_starved() {
  // P4: serve the lowest class that has something, once.
  for (std::uint32_t priority = kPriorityCount; priority-- > 0;) {
    if (!pick_from_class(priority)) continue;
    if (node_classes_.has_above(priority) || run_classes_.has_above(priority) ||
        pool_.inbox_classes().has_above(priority)) {
      counters_.add(counters_.starvation_guard);
    }
    return true;
  }
  return false;
}

void Worker::take(const DequeItem& item) {
  stop_idling();
  ++dispatches_;
  if (item.payload == kJobPayload) {
    Job& job = *static_cast<Job*>(item.run);
    return job.run(job);
  }
  forget_boundary_time();
  counters_.add(counters_.queued);
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
    if (victim.run_classes_.has(priority) && steal_item(victim.runs_[priority])) return true;
    if (victim.node_classes_.has(priority) && steal_item(victim.nodes_[priority])) return true;
  }
  return false;
}

bool Worker::steal_item(StealDeque<>& deque) {
  DequeItem item;
  if (deque.looks_empty() || deque.steal(item) != StealResult::kTaken) return false;
  counters_.add(counters_.stolen);
  pool_.wake_for_rest(*this, deque);
  take(item);
  return true;
}

bool Worker::rescue_from(Worker& victim) {
  // The victim is in a body and keeps cheap nodes to itself: publish them on its behalf.
  if (victim.stack_top_.load(std::memory_order_relaxed) == 0) return false;
  if (!victim.handshake_.try_hold()) return false;
  const bool found = victim.stack_top_.load(std::memory_order_relaxed) != 0;
  if (found) {
    victim.publish_backlog(victim.stack_top_.load(std::memory_order_relaxed));
    counters_.add(counters_.rescued);
  }
  victim.handshake_.release();
  return found;
}

// --- Sharing

void Worker::push_item(std::size_t priority, const DequeItem& item) {
  nodes_[priority].push(item);
  node_classes_.insert(priority);
  counters_.add(counters_.published);
  light_fence();
}

void Worker::publish(Run& run, std::uint32_t head, std::uint32_t hint) {
  run.links_[head] = kNoNode;
  const std::uint32_t credit = run.split_credit(credit_);
  push_item(static_cast<std::size_t>(run.class_of(head)), {&run, pack(head, credit)});
  if (pool_.has_parked()) [[unlikely]] pool_.consider_wake(*this, hint);
}

void Worker::publish_backlog(std::uint32_t count) {
  // The oldest nodes travel as one item: single cheap nodes are not worth a hand-over.
  if (count == 0 || !pool_.can_share()) return;
  Run& run = *run_;
  const std::uint32_t top = stack_top_.load(std::memory_order_relaxed);
  const std::uint32_t head = stack_[count - 1];
  link_chain(run, head, count - 1);
  for (std::uint32_t index = count; index < top; ++index) stack_[index - count] = stack_[index];
  stack_top_.store(top - count, std::memory_order_relaxed);
  const std::uint64_t cost = backlog_ns_ * count / top;
  backlog_ns_ -= cost;
  const std::uint32_t credit = run.split_credit(credit_);
  push_item(static_cast<std::size_t>(run.options_.priority), {&run, pack(head, credit)});
  const std::uint64_t hint = cost < CostModel::kCostMask ? cost : CostModel::kCostMask - 1;
  if (pool_.has_parked()) pool_.consider_wake(*this, static_cast<std::uint32_t>(hint));
}

void Worker::enqueue_run(Run& run) {
  const auto priority = static_cast<std::size_t>(run.options_.priority);
  runs_[priority].push({&run, pack(kNoNode, static_cast<std::uint32_t>(Run::kFullCredit))});
  run_classes_.insert(priority);
  light_fence();
  if (pool_.has_parked()) [[unlikely]] pool_.consider_wake(*this, CostModel::kUnknown);
}

// --- Idling

IdleAction Worker::idle() {
  if (!idling_) {
    idling_ = true;
    idle_polls_ = 0;
    pool_.start_searching();
    idle_since_ = pool_.clock().now();
    activity_seen_ = pool_.activity();
  }
  // One look at the clock in a few polls: a clock read costs more than a poll.
  constexpr std::uint32_t kPollsPerClockRead = 16;
  if (++idle_polls_ % kPollsPerClockRead != 0) return {};
  const base::Duration waited = pool_.clock().now() - idle_since_;
  if (waited >= pool_.rescue_after()) {
    for (std::uint32_t index = 0; index < pool_.worker_slots(); ++index) {
      Worker* const victim = pool_.worker_at(index);
      if (victim != nullptr && victim != this && rescue_from(*victim)) return {};
    }
  }
  if (waited < spin_budget_) return {};
  return pool_.try_park(*this);
}

void Worker::unparked(bool notified) {
  pool_.leave_parking(*this, notified);
  idle_since_ = pool_.clock().now();
  idle_polls_ = 0;
  spin_budget_ = notified ? pool_.config().spin_time : base::Duration::zero();
}

void Worker::stop_idling() {
  if (!idling_) return;
  idling_ = false;
  spin_budget_ = pool_.config().spin_time;
  pool_.stop_searching();
}

}  // namespace millrace::runtime
