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
#include "loop/executor.h"
#include "runtime/crew.h"
#include "runtime/loop_scheduler.h"
#include "runtime/pool_inbox.h"
#include "runtime/run.h"
#include "runtime/run_extras.h"
#include "runtime/steal_deque.h"
#include "runtime/topology/cost_model.h"
#include "runtime/topology/node.h"
#include "runtime/topology/topology.h"
#include "trace/trace_collector.h"

// Queues and stealing. The steps of a node are in strand.cpp, those of sharing in sharing.cpp,
// those of waiting in idling.cpp.

namespace millrace::runtime {
Worker::Worker(Crew& crew, std::uint32_t index, std::uint64_t seed)
    : StrandHost(crew.clock(), crew.clock_overhead()),
      crew_(crew),
      index_(index),
      guard_every_(crew.config().starvation_guard_every),
      random_(seed) {
  reserve_stack(1);
  if (trace::TraceCollector* const trace = crew.config().trace) {
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
  if (crew_.inbox().classes().any()) return true;
  const std::uint32_t count = crew_.worker_slots();
  for (std::uint32_t slot = 0; slot < count; ++slot) {
    const Worker* const other = crew_.worker_at(slot);
    if (other == nullptr) continue;
    if (other->run_classes_.any() && other->shared_item_count() != 0) return true;
    for (std::uint32_t priority = 0; other->node_classes_.any() && priority < kPriorityCount;
         ++priority) {
      if (!other->node_classes_.has(priority)) continue;
      // Whoever sees work takes it next: its cache misses overlap with those of this look.
      other->nodes_[priority].prefetch_oldest();
      crew_.idle_counts().prefetch();
      if (!other->nodes_[priority].looks_empty()) return true;
    }
  }
  return false;
}

bool Worker::has_ready(std::size_t priority) const {
  return crew_.inbox().classes().has(priority) || !nodes_[priority].looks_empty() ||
         !runs_[priority].looks_empty();
}

bool Worker::has_waiting_run(std::size_t priority) const {
  return crew_.inbox().classes().has(priority) || !runs_[priority].looks_empty();
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
  if (!crew_.inbox().try_take(priority, item)) return false;
  stop_idling();  // before the next line asks whether anybody still searches
  // Whatever else waits there is for whoever sleeps (D7).
  if (crew_.inbox().classes().has(priority)) wake_for_rest();
  begin_turn();
  take(item, priority);
  return true;
}

void Worker::begin_turn() {
  turn_left_ns_ = crew_.config().strand_quantum.count();
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
    bool found = crew_.inbox().try_take_of(only_run_, priority, item);
    for (std::uint32_t slot = 0; slot < crew_.worker_slots() && !found; ++slot) {
      Worker* const victim = crew_.worker_at(slot);
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

void Worker::take(const DequeItem& item, std::uint32_t priority) {
  stop_idling();
  count_dispatch(priority);
  if (item.payload == PoolInbox<>::kJobPayload) {
    loop::Job& job = *static_cast<loop::Job*>(item.run);
    return job.run(job);
  }
  forget_boundary_time();
  enter_strand(*static_cast<Run*>(item.run), item.payload);
}

// --- Stealing

bool Worker::steal() {
  const std::uint32_t count = crew_.worker_slots();
  if (count <= 1) return false;
  const auto first = static_cast<std::uint32_t>(random_.below(count));
  for (std::uint32_t step = 0; step < count; ++step) {
    Worker* const victim = crew_.worker_at((first + step) % count);
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
  // Some of them, because the clock takes as long as a good part of a hand-over.
  const bool is_timed = crew_.learns_prices() && ++look_count_ % kLooksPerTiming == 0;
  const base::TimePoint begin = is_timed ? clock().now() : base::TimePoint{};
  if (deque.looks_empty() || deque.steal(item) != StealResult::kTaken) return false;
  if (is_timed) crew_.note_taking(clock().now() - begin);
  counters_.add(counters_.stolen);
  stop_idling();  // before the next line asks whether anybody still searches
  if (!deque.looks_empty()) wake_for_rest();
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

// --- Readiness by the steps of run_steps.h

void Worker::make_ready(Run& run, std::uint32_t node) {
  RunExtras& extras = *run.extras_;
  if (extras.is_traced()) extras.set_ready_time(node, boundary_time());
  if (run.topology().spec(node).kind == NodeKind::kAsync) {
    AsyncOperation& operation = extras.operation(node);
    operation.credit = run.split_credit(credit_);
    return extras.loop().post(operation);
  }
  if (!may_continue_with(run, node)) return enqueue(run, node);
  if (best_ != kNoNode) push_private(best_);
  best_ = node;
}

bool Worker::may_continue_with(const Run& run, std::uint32_t node) const {
  if (!run.inlining_.enabled) return false;
  if (run.topology().spec(node).inline_hint == InlineHint::kNever) return false;
  if (crew_.config().enable_continuation_chaining) return true;
  const bool is_chain = node_ != kNoNode && run.topology().single_continuation(node_) == node;
  if (!is_chain) return true;
  const std::uint32_t rows = run.counts_rows_ ? run.extras_->row_count(node) : 0;
  return wants_inlining(run, node, run.inlining_, rows);
}

void Worker::enqueue(Run& run, std::uint32_t node) {
  const std::uint32_t hint = run.costs().hint(node);
  publish(run, node);
  announce(run, hint == CostModel::kUnknown ? UINT64_MAX : hint & CostModel::kCostMask);
  if (crew_.can_share()) call_watcher();
}

// --- Runs

void Worker::push_item(std::size_t priority, const DequeItem& item) {
  nodes_[priority].push(item);
  node_classes_.insert(priority);
  counters_.add(counters_.published);
}

void Worker::enqueue_run(Run& run) {
  const auto priority = static_cast<std::size_t>(run.priority_);
  runs_[priority].push({&run, pack_item(kNoNode, static_cast<std::uint32_t>(Run::kFullCredit))});
  run_classes_.insert(priority);
  base::light_fence();
  if (crew_.has_parked()) [[unlikely]]
    consider_wake(UINT64_MAX);
}

}  // namespace millrace::runtime
