#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "base/check.h"
#include "base/sync/asymmetric_fence.h"
#include "base/sync/planted_bug.h"
#include "runtime/loop_scheduler.h"
#include "runtime/node_call.h"
#include "runtime/run.h"
#include "runtime/run_extras.h"
#include "runtime/run_steps.h"
#include "runtime/steal_deque.h"
#include "runtime/topology/cost_model.h"
#include "runtime/topology/node.h"
#include "runtime/topology/topology.h"
#include "runtime/worker.h"
#include "runtime/worker_pool.h"

// The steps of a strand; worker.h has the table. A node takes one of two ways (node_states.h): the
// quick one is all here, the careful one uses run_steps.h around the same body. What follows from a
// node is the same for both.

namespace millrace::runtime {

// --- A node

// What is inlined here runs once per node; together it decides what an empty node costs.
[[gnu::always_inline]] inline bool Worker::start_node() {
  Run& run = *run_;
  const std::uint32_t node = node_;
  const HotNode& hot = run.nodes_[node];
  NodeCall& call = *call_;  // NOLINT(bugprone-unchecked-optional-access): `enter_run` made it.
  call.node_ = node;
  call.row_count_ = 0;
  if (run.is_careful(hot)) [[unlikely]] {
    if (!begin_careful(run)) return false;
  } else {
    if (!run.begin_quick(node)) [[unlikely]] {
      abandon_strand();
      return false;
    }
    if (run.times_bodies_ && run.is_worth_timing(node))
      run.extras_->set_body_begin(node, clock().now());
    ++executed_count_;
  }
  counters_.add(counters_.executed);
  counters_.add(counters_.inlined, is_direct_ ? 1 : 0);
  handshake_.enter_body();
  body_ok_ = hot.body(hot.closure, call);
  return true;
}

bool Worker::begin_careful(Run& run) {
  if (run.stopped()) {
    abandon_strand();
    return false;
  }
  if (RunSteps(*this, run).begin_node(node_, arrival_)) return true;
  // A clock took the node.
  node_ = kNoNode;
  is_direct_ = false;
  arrival_ = {};
  return false;
}

[[gnu::always_inline]] inline bool Worker::finish_quick(Run& run, const HotNode& hot) {
  NodeCall& call = *call_;  // NOLINT(bugprone-unchecked-optional-access): `enter_run` made it.
  const Run::NodeEnd end = run.publish_quick(hot, call, body_ok_);
  if (end != Run::NodeEnd::kComplete) [[unlikely]] {
    if (end == Run::NodeEnd::kFailed) fail_node(run);
    abandon_strand();
    return false;
  }
  if (run.counts_rows_) RunSteps(*this, run).note_rows(call);
  if ((hot.needs & HotNode::kRoutesApart) != 0) {
    RunSteps(*this, run).pass_tokens(node_);
  } else if ((hot.needs & HotNode::kOutput) != 0) {
    if (run.may_answer_early_) RunSteps(*this, run).close_output();
  } else {
    route(run, hot);
  }
  return true;
}

void Worker::fail_node(Run& run) {
  base::Error error = call_->take_error();  // NOLINT(bugprone-unchecked-optional-access)
  if (!run.has_extras_) return run.fail(node_, error);
  RunSteps(*this, run).fall_back_or_fail(node_, std::move(error));
}

[[gnu::always_inline]] inline void Worker::route(Run& run, const HotNode& hot) {
  std::uint32_t top = stack_top_.load(std::memory_order_relaxed);
  if (hot.single.target != kNoNode) {
    if (hot.single.counter == kNoCounter) {
      best_ = hot.single.target;
      return;
    }
    // What comes next here leads to the same target, which must wait for it anyway: one operation
    // for both tokens, on a counter that others write too.
    if (top != 0) {
      const HotNode& next = run.nodes_[stack_[top - 1]];
      if (next.single.counter == hot.single.counter && next.needs == 0) {
        ++carried_tokens_;
        return;
      }
    }
    const std::uint32_t count = std::exchange(carried_tokens_, 0) + 1;
    if (run.give_tokens(hot.single.counter, count)) best_ = hot.single.target;
    return;
  }
  std::uint32_t best = kNoNode;
  for (const Edge* edge = run.edges_ + hot.edge_begin; edge != run.edges_ + hot.edge_end; ++edge) {
    if (!run.give_token(edge->counter)) continue;
    // Edges come worst first: what was the best so far is now one of the others (D3).
    if (best != kNoNode) stack_[top++] = best;
    best = edge->target;
  }
  stack_top_.store(top, std::memory_order_relaxed);
  best_ = best;
}

[[gnu::always_inline]] inline bool Worker::go_on(Run& run, std::uint32_t mark) {
  const std::uint32_t node = node_;
  const std::uint32_t top = stack_top_.load(std::memory_order_relaxed);
  if (top > mark && top >= share_check_) [[unlikely]]
    share_pushed(run, mark);
  if (node_classes_.any() && pool_.has_parked()) [[unlikely]]
    pool_.count_missed(*this, run, node);
  last_charge_ns_ = charge_of(run, node);
  turn_left_ns_ -= last_charge_ns_;
  node_ = std::exchange(best_, kNoNode);
  is_direct_ = node_ != kNoNode;
  if (run.careful_) {
    const trace::Arrival handed{.parent = node, .depth = arrival_.depth + 1};
    arrival_ = is_direct_ ? arrival_at(run.topology(), node_, handed) : trace::Arrival{};
  }
  if (!is_direct_ && !pop_private()) {
    end_strand();
    return false;
  }
  if (turn_left_ns_ > 0) [[likely]]
    return true;
  begin_turn();
  if (!others_are_due(run)) return true;
  requeue_strand(run);
  return false;
}

[[gnu::always_inline]] inline std::int64_t Worker::charge_of(const Run& run,
                                                             std::uint32_t node) const {
  // A node of unknown cost counts as much as ten of them are allowed in one turn by default.
  constexpr std::uint32_t kUnknownChargeNs = 10'000;
  if (run.measured_) [[unlikely]] {
    const std::int64_t took = (last_boundary() - body_start()).count();
    return std::max<std::int64_t>(took, run.node_charge_min_ns_);
  }
  const std::uint32_t hint = run.hints_[node].load(std::memory_order_relaxed);
  const std::uint32_t cost =
      hint == CostModel::kUnknown ? kUnknownChargeNs : hint & CostModel::kCostMask;
  return std::max(cost, run.node_charge_min_ns_);
}

void Worker::finish_careful(Run& run) {
  RunSteps steps(*this, run);
  // NOLINTNEXTLINE(bugprone-unchecked-optional-access): `enter_run` made it.
  if (steps.end_node(*call_, body_ok_)) steps.pass_tokens(node_);
}

[[gnu::always_inline]] inline bool Worker::finish_node() {
  handshake_.leave_body();
  Run& run = *run_;
  const HotNode& hot = run.nodes_[node_];
  const std::uint32_t mark = stack_top_.load(std::memory_order_relaxed);
  if (run.is_careful(hot)) [[unlikely]] {
    finish_careful(run);
  } else if (!finish_quick(run, hot)) {
    return false;
  }
  return go_on(run, mark);
}

bool Worker::find_node() {
  if (node_ != kNoNode || pop_private()) return true;
  end_strand();
  return false;
}

// --- Driving: threads, and the simulator step by step

bool Worker::work_strand() {
  if (run_ == nullptr && !pick()) return false;
  // To its end: whoever drives this worker may leave it between two strands, never within one.
  while (run_ != nullptr) {
    if (!find_node()) continue;
    while (start_node() && finish_node()) {
    }
  }
  return true;
}

bool Worker::start() {
  while (run_ != nullptr || pick()) {
    if (run_ != nullptr && find_node() && start_node()) return true;
  }
  return false;
}

void Worker::finish() { finish_node(); }

bool Worker::others_are_due(const Run& run) {
  if (only_run_ != nullptr || MR_PLANTED(kGreedyStrand)) return false;
  ++dispatches_;  // a turn counts as one (P4)
  const auto priority = static_cast<std::size_t>(run.priority_);
  if (run_classes_.any_up_to(priority) || pool_.inbox_classes().any_up_to(priority)) return true;
  if (priority != 0 && node_classes_.any_up_to(priority - 1)) return true;
  return is_guard_due() &&
         (run_classes_.any() || pool_.inbox_classes().any() || node_classes_.any());
}

// --- Readiness on the careful way

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
  if (pool_.config().enable_continuation_chaining) return true;
  const bool is_chain = node_ != kNoNode && run.topology().single_continuation(node_) == node;
  if (!is_chain) return true;
  const std::uint32_t rows = run.counts_rows_ ? run.extras_->row_count(node) : 0;
  return wants_inlining(run, node, run.inlining_, rows);
}

void Worker::enqueue(Run& run, std::uint32_t node) {
  const std::uint32_t hint = run.costs().hint(node);
  publish(run, node);
  base::light_fence();
  if (pool_.has_parked()) {
    pool_.consider_wake(*this,
                        hint == CostModel::kUnknown ? UINT64_MAX : hint & CostModel::kCostMask);
  }
  if (pool_.can_share() && !pool_.is_watched()) pool_.wake_watcher(*this);
}

// --- A strand: its begin

void Worker::adopt(Run& run) {
  MR_DCHECK(run_ == nullptr);
  reserve_stack(run.topology_->node_count());
  enter_run(run);
  credit_ = Run::kFullCredit;
  forget_boundary_time();
  begin_turn();
  begin_run(run);
}

void Worker::enter_strand(Run& run, std::uint64_t payload) {
  reserve_stack(run.topology_->node_count());
  enter_run(run);
  credit_ = payload >> 32U;
  const auto head = static_cast<std::uint32_t>(payload);
  if (head == kNoNode) return begin_run(run);
  node_ = head & ~kChainBit;
  if ((head & kChainBit) == 0) return;
  for (std::uint32_t node = run.links_[node_]; node != kNoNode; node = run.links_[node])
    push_private(node);
  share_begun(run);
}

void Worker::enter_run(Run& run) {
  run_ = &run;
  node_ = kNoNode;
  best_ = kNoNode;
  is_direct_ = false;
  carried_tokens_ = 0;
  executed_count_ = 0;
  arrival_ = {};
  call_.emplace(run, run.context_);
  in_strand_.store(true, std::memory_order_relaxed);
  base::light_fence();
  look_when_sharing_pays(run);
}

void Worker::begin_run(Run& run) {
  // Sources are always queued, never inlined (I1): they come from the stack.
  if (run.has_extras_) RunSteps(*this, run).begin_run();
  const bool traced = run.options_.trace.enabled();
  // What the sources waited for includes the way here.
  if (traced) set_boundary_time(run.extras_->started_at());
  std::uint32_t async_head = kNoNode;
  for (const std::uint32_t source : run.order_->sources) {
    if (traced) run.extras_->set_ready_time(source, boundary_time());
    if (run.topology().spec(source).kind == NodeKind::kAsync) {
      run.links_[source] = async_head;
      async_head = source;
    } else if (!run.inlining_.enabled) {
      enqueue(run, source);
    } else {
      push_private(source);
    }
  }
  if (async_head != kNoNode) RunSteps(*this, run).make_async_ready(async_head);
  forget_boundary_time();
  // The best source stays here.
  if (pop_private()) share_begun(run);
}

void Worker::share_begun(Run& run) {
  const std::uint32_t top = stack_top_.load(std::memory_order_relaxed);
  if (top != 0 && top >= share_check_) share_pushed(run, 0);
}

[[gnu::always_inline]] inline bool Worker::pop_private() {
  const std::uint32_t top = stack_top_.load(std::memory_order_relaxed);
  if (top == 0) return false;
  stack_top_.store(top - 1, std::memory_order_relaxed);
  node_ = stack_[top - 1];
  return true;
}

void Worker::push_private(std::uint32_t node) {
  const std::uint32_t top = stack_top_.load(std::memory_order_relaxed);
  stack_[top] = node;
  stack_top_.store(top + 1, std::memory_order_relaxed);
}

void Worker::reserve_stack(std::uint32_t node_count) {
  // Every node of a run is pushed at most once, and a strand belongs to one run.
  // Never small, so that most workers need room once in their life.
  constexpr std::uint32_t kCapacityMin = 1024;
  PrivateStack& stack = stacks_[nesting_];
  if (stack.capacity < node_count) {
    stack.capacity = std::max(node_count, kCapacityMin);
    stack.nodes = std::make_unique_for_overwrite<std::uint32_t[]>(stack.capacity);
  }
  stack_ = stack.nodes.get();
}

// --- A strand: its end

void Worker::leave_run() {
  run_ = nullptr;
  in_strand_.store(false, std::memory_order_relaxed);
}

void Worker::abandon_strand() {
  stack_top_.store(0, std::memory_order_relaxed);
  backlog_ns_ = 0;
  end_strand();
}

void Worker::end_strand() {
  Run& run = *run_;
  // The newest item of the own deque is most often of the same run: then the credit stays here.
  const auto priority = static_cast<std::size_t>(run.priority_);
  const bool may_pop = node_classes_.only(priority) && !is_guard_due() && turn_left_ns_ > 0;
  DequeItem item;
  const bool popped = may_pop && nodes_[priority].try_pop(item);
  if (may_pop && !popped) node_classes_.remove(priority);
  if (popped && item.run == &run) {
    const Run::Credit held = credit_;
    const std::uint32_t executed = executed_count_;
    count_dispatch(priority);
    enter_strand(run, item.payload);
    credit_ += held;
    executed_count_ += executed;
    return;
  }
  if (popped) nodes_[priority].push(item);
  if (executed_count_ != 0) run.add_executed(executed_count_);
  leave_run();
  if (run.return_credit(credit_)) run.finish_work(*this);
}

void Worker::requeue_strand(Run& run) {
  // The strand goes behind those that wait, as one item with everything it holds; if nobody else
  // has a part of the run, it stays unshared.
  if (carried_tokens_ != 0) {
    const std::uint32_t counter = run.nodes_[node_].single.counter;
    // This node still has one for the same target.
    static_cast<void>(run.give_tokens(counter, std::exchange(carried_tokens_, 0)));
  }
  const auto priority = static_cast<std::uint32_t>(run.priority_);
  for (std::uint32_t higher = 0; higher <= priority; ++higher)
    static_cast<void>(pool_.fetch_inbox(*this, higher));
  const std::uint32_t head = link_chain(run, node_, 0, stack_top_.load(std::memory_order_relaxed));
  stack_top_.store(0, std::memory_order_relaxed);
  backlog_ns_ = 0;
  if (executed_count_ != 0) run.add_executed(executed_count_);
  if (credit_ > UINT32_MAX) {
    // An item carries 32 bits of credit; the rest goes back, and cannot be the last of it.
    static_cast<void>(run.return_credit(credit_ - UINT32_MAX));
    credit_ = UINT32_MAX;
  }
  leave_run();
  runs_[priority].push({&run, pack(head, static_cast<std::uint32_t>(credit_))});
  run_classes_.insert(priority);
  if (pool_.can_share() && !pool_.is_watched()) pool_.wake_watcher(*this);
}

std::uint32_t Worker::link_chain(Run& run,
                                 std::uint32_t head,
                                 std::uint32_t first,
                                 std::uint32_t count) {
  // Oldest first behind the head, so that whoever unpacks it ends up with the best on top.
  if (count == 0) return head;
  std::uint32_t last = head;
  for (std::uint32_t index = first; index < first + count; ++index) {
    run.links_[last] = stack_[index];
    last = stack_[index];
  }
  run.links_[last] = kNoNode;
  return head | kChainBit;
}

}  // namespace millrace::runtime
