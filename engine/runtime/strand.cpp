#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "base/check.h"
#include "base/sync/asymmetric_fence.h"
#include "base/sync/planted_bug.h"
#include "runtime/crew.h"
#include "runtime/node_call.h"
#include "runtime/run.h"
#include "runtime/run_extras.h"
#include "runtime/run_steps.h"
#include "runtime/steal_deque.h"
#include "runtime/topology/cost_model.h"
#include "runtime/topology/node.h"
#include "runtime/topology/topology.h"
#include "runtime/worker.h"

// The steps of a strand; worker.h has the table. What most nodes need is all here; nodes with a
// clock of their own, and those of traced runs, take the steps of run_steps.h around the same body.
// Both go through the same states (node_states.h), and what follows from a node is the same.

namespace millrace::runtime {

// --- A node

// What is inlined here runs once per node; together it decides what an empty node costs. A `Step`
// lives in registers from before the body to after it: suspended strands come back as they were.
[[gnu::always_inline]] inline bool Worker::start_node(Step& step) {
  Run& run = *step.run;
  const std::uint32_t node = step.node;
  step.hot = run.nodes_ + node;
  step.needs = step.hot->needs | run.needs_;
  NodeCall& call = *call_;  // NOLINT(bugprone-unchecked-optional-access): `enter_run` made it.
  call.node_ = node;
  if ((step.needs & HotNode::kBeginsApart) != 0) [[unlikely]] {
    if (!begin_apart(step)) return false;
  } else if (!run.begin_quick(step.cell)) [[unlikely]] {
    abandon_strand();
    return false;
  }
  counters_.add(counters_.executed);
  handshake_.enter_body();
  step.ok = step.hot->body(step.hot->closure, call);
  return true;
}

bool Worker::begin_apart(Step step) {
  Run& run = *step.run;
  if ((step.needs & (HotNode::kStepsApart | HotNode::kTimed)) == HotNode::kTimed) [[likely]]
    return begin_timed(run, *step.cell);
  if ((step.needs & HotNode::kStepsApart) != 0) return begin_by_steps(run);
  if (!run.begin_quick(step.cell)) {
    abandon_strand();
    return false;
  }
  const bool is_measured = (step.needs & HotNode::kMeasured) != 0;
  const bool times_body = run.is_worth_timing(node_);
  if (!is_measured && !times_body) return true;
  const base::TimePoint now = clock().now();
  set_body_start(now);
  if (times_body) run.extras_->set_body_begin(node_, now);
  return true;
}

bool Worker::begin_timed(Run& run, NodeCell<>& cell) {
  RunExtras& extras = *run.extras_;
  const base::TimePoint now = time_at_begin();
  const base::TimePoint due = now + run.topology().timeout(node_);
  extras.set_due(node_, due);
  if (!cell.begin_unless_taken(false, [&run] { return run.stopped(); })) {
    abandon_strand();
    return false;
  }
  if (due.time_since_epoch().count() < extras.watch().time()) [[unlikely]]
    RunSteps(*this, run).watch_until(due);
  if (run.is_worth_timing(node_)) extras.set_body_begin(node_, now);
  return true;
}

bool Worker::begin_by_steps(Run& run) {
  if (RunSteps(*this, run).begin_node(node_, arrival_)) {
    if (run.extras_->is_traced()) ++first_executed_;  // this one is counted already
    return true;
  }
  if (run.stopped()) {
    abandon_strand();
  } else {
    // A clock took the node.
    node_ = kNoNode;
    arrival_ = {};
  }
  return false;
}

[[gnu::always_inline]] inline bool Worker::finish_node(Step& step) {
  Run& run = *step.run;
  if ((step.needs & HotNode::kEndsApart) != 0) [[unlikely]] {
    if ((step.needs & HotNode::kEndsApart) != HotNode::kTimed) {
      const bool goes_on = finish_apart(step);
      step.node = node_;
      return goes_on;
    }
    look_at_clock(run);
  }
  // The fence in `leave_body` orders this mark, too (node_states.h).
  if (step.cell != nullptr) step.cell->mark_ending();
  handshake_.leave_body();
  NodeCall& call = *call_;  // NOLINT(bugprone-unchecked-optional-access): `enter_run` made it.
  const RunSteps::NodeEnd end = RunSteps::publish_quick(run, *step.hot, step.cell, call, step.ok);
  if (end != RunSteps::NodeEnd::kComplete) [[unlikely]]
    return end_unpublished(run, end);
  const std::uint32_t hint = run.hints_[step.node].load(std::memory_order_relaxed);
  step.node = step.hot->direct != kNoNode ? step.hot->direct : route(run, *step.hot);
  return go_on(run, step.node, (hint & CostModel::kCostMask) + run.node_charge_min_ns_);
}

void Worker::look_at_clock(Run& run) {
  const base::TimePoint now = clock().now();
  set_boundary_time(now);
  boundary_count_ = counters_.executed.load(std::memory_order_relaxed);
  if (now <= run.extras_->due(node_) || MR_PLANTED(kLateReturn)) [[likely]]
    return;
  handshake_.leave_body();
  RunSteps(*this, run).take_if_overdue(node_, now);
}

bool Worker::finish_apart(Step step) {
  Run& run = *step.run;
  const HotNode& hot = *step.hot;
  NodeCall& call = *call_;  // NOLINT(bugprone-unchecked-optional-access): `enter_run` made it.
  const std::uint32_t node = node_;
  const bool by_steps = (step.needs & HotNode::kStepsApart) != 0;
  if ((step.needs & HotNode::kTimed) != 0 && !by_steps) look_at_clock(run);
  std::uint32_t mark = stack_top_.load(std::memory_order_relaxed);
  if (step.cell != nullptr && !by_steps) step.cell->mark_ending();
  handshake_.leave_body();
  bool is_complete = true;
  if (by_steps) {
    is_complete = RunSteps(*this, run).end_node(call, step.ok);
    // What it has carried for this node's target is for nobody any more.
    if (!is_complete && run.stopped()) return end_unpublished(run, RunSteps::NodeEnd::kLate);
  } else {
    if (run.measured_) set_boundary_time(clock().now());
    const RunSteps::NodeEnd end = RunSteps::publish_quick(run, hot, step.cell, call, step.ok);
    if (end != RunSteps::NodeEnd::kComplete) return end_unpublished(run, end);
    if (run.measured_) record_cost(run, node);
    if (run.counts_rows_) RunSteps(*this, run).note_rows(call);
  }
  if (is_complete) {
    if (run.routes_apart_ || (hot.needs & HotNode::kRoutesApart) != 0) {
      RunSteps(*this, run).pass_tokens(node);
    } else {
      best_ = route(run, hot);
      mark = stack_top_.load(std::memory_order_relaxed);  // it has looked at what it pushed
    }
  }
  call.row_count_ = 0;
  const std::uint32_t next = std::exchange(best_, kNoNode);
  if (run.routes_apart_) {
    const trace::Arrival handed{.parent = node, .depth = arrival_.depth + 1};
    arrival_ = next != kNoNode ? arrival_at(run.topology(), next, handed) : trace::Arrival{};
  }
  share_new(run, mark);
  step.node = next;
  return go_on(run, step.node, charge_of(run, node));
}

bool Worker::end_unpublished(Run& run, RunSteps::NodeEnd end) {
  if (end == RunSteps::NodeEnd::kFailed) fail_node(run);
  abandon_strand();
  return false;
}

void Worker::record_cost(Run& run, std::uint32_t node) {
  const std::uint32_t rows =
      run.topology().traits().has_row_cost ? run.extras_->row_count(node) : 0;
  run.costs().record(node, boundary_time() - body_start() - clock_overhead(), rows);
}

void Worker::fail_node(Run& run) {
  base::Error error = call_->take_error();  // NOLINT(bugprone-unchecked-optional-access)
  if (!run.has_extras_) return run.fail(node_, error);
  RunSteps(*this, run).fall_back_or_fail(node_, std::move(error));
}

[[gnu::always_inline]] inline std::uint32_t Worker::route(Run& run, const HotNode& hot) {
  if (hot.direct != kNoNode) return hot.direct;
  std::uint32_t top = stack_top_.load(std::memory_order_relaxed);
  if (hot.single.target != kNoNode) {
    // What comes next here leads to the same target, which must wait for it anyway: one operation
    // for both tokens, on a counter that others write too.
    if (top != 0) {
      const HotNode& next = run.nodes_[stack_[top - 1]];
      if (next.single.counter == hot.single.counter && next.needs == 0) {
        ++carried_tokens_;
        return kNoNode;
      }
    }
    const std::uint32_t count = std::exchange(carried_tokens_, 0) + 1;
    return RunSteps::give_tokens(run, run.is_shared(), hot.single.counter, count)
               ? hot.single.target
               : kNoNode;
  }
  if (hot.edge_begin == hot.edge_end) {
    if (run.may_answer_early_ && (hot.needs & HotNode::kOutput) != 0)
      RunSteps(*this, run).close_output();
    return kNoNode;
  }
  const std::uint32_t mark = top;
  std::uint32_t best = kNoNode;
  const bool is_shared = run.is_shared();
  const Edge* const end = run.edges_ + hot.edge_end;
  for (const Edge* edge = run.edges_ + hot.edge_begin; edge != end; ++edge) {
    if (edge->counter != kNoCounter && !RunSteps::give_tokens(run, is_shared, edge->counter, 1))
      continue;
    // Edges come worst first: what was the best so far is now one of the others (D3).
    if (best != kNoNode) stack_[top++] = best;
    best = edge->target;
  }
  stack_top_.store(top, std::memory_order_relaxed);
  share_new(run, mark);
  return best;
}

[[gnu::always_inline]] inline void Worker::share_new(Run& run, std::uint32_t mark) {
  const std::uint32_t top = stack_top_.load(std::memory_order_relaxed);
  if (top > mark && top >= share_check_) [[unlikely]]
    share_pushed(run, mark);
}

[[gnu::always_inline]] inline bool Worker::go_on(Run& run,
                                                 std::uint32_t& next,
                                                 std::int64_t charge_ns) {
  last_charge_ns_ = charge_ns;
  turn_left_ns_ -= charge_ns;
  node_ = next;
  if (next != kNoNode) {
    counters_.add(counters_.inlined);
  } else if (!pop_private()) {
    end_strand();
    return false;
  } else {
    next = node_;
  }
  if (turn_left_ns_ > 0) [[likely]]
    return true;
  return begin_next_turn(run);
}

bool Worker::begin_next_turn(Run& run) {
  count_missed();
  if (others_are_due(run)) {
    requeue_strand(run);
    return false;
  }
  begin_turn();
  return true;
}

std::int64_t Worker::charge_of(const Run& run, std::uint32_t node) const {
  const std::int64_t cost =
      run.measured_ ? std::max<std::int64_t>((last_boundary() - body_start()).count(), 0)
                    : run.hints_[node].load(std::memory_order_relaxed) & CostModel::kCostMask;
  return cost + run.node_charge_min_ns_;
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
    if (run_->cells_ != nullptr) {
      run_nodes<true>();
    } else {
      run_nodes<false>();
    }
  }
  return true;
}

template <bool kHasStates>
void Worker::run_nodes() {
  // Whether nodes have states is asked here once, and not at each of their steps.
  Run& run = *run_;
  Step step{.run = &run, .node = node_};
  do {
    step.cell = kHasStates ? run.cells_ + step.node : nullptr;
    [[assume(!kHasStates || step.cell != nullptr)]];
  } while (start_node(step) && finish_node(step));
}

bool Worker::start() {
  while (run_ != nullptr || pick()) {
    if (run_ == nullptr || !find_node()) continue;
    step_ = {.run = run_, .node = node_, .cell = run_->find_cell(node_)};
    if (start_node(step_)) return true;
  }
  return false;
}

void Worker::finish() { static_cast<void>(finish_node(step_)); }

bool Worker::others_are_due(const Run& run) {
  if (only_run_ != nullptr || MR_PLANTED(kGreedyStrand)) return false;
  ++dispatches_;  // a turn counts as one (P4)
  const auto priority = static_cast<std::size_t>(run.priority_);
  if (run_classes_.any_up_to(priority) || crew_.inbox().classes().any_up_to(priority)) return true;
  if (priority != 0 && node_classes_.any_up_to(priority - 1)) return true;
  return is_guard_due() &&
         (run_classes_.any() || crew_.inbox().classes().any() || node_classes_.any());
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
  carried_tokens_ = 0;
  first_executed_ = counters_.executed.load(std::memory_order_relaxed);
  counted_left_ns_ = turn_left_ns_;
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

void Worker::count_executed(Run& run) {
  const std::uint64_t count = executed_here();
  if (count != 0) run.add_executed(static_cast<std::uint32_t>(count));
}

void Worker::abandon_strand() {
  stack_top_.store(0, std::memory_order_relaxed);
  backlog_ns_ = 0;
  end_strand();
}

void Worker::end_strand() {
  Run& run = *run_;
  count_missed();
  // The newest item of the own deque is most often of the same run: then the credit stays here.
  const auto priority = static_cast<std::size_t>(run.priority_);
  const bool may_pop = node_classes_.only(priority) && !is_guard_due() && turn_left_ns_ > 0;
  DequeItem item;
  const bool popped = may_pop && nodes_[priority].try_pop(item);
  if (may_pop && !popped) node_classes_.remove(priority);
  if (popped && item.run == &run) {
    const Run::Credit held = credit_;
    const std::uint64_t first = first_executed_;
    count_dispatch(priority);
    enter_strand(run, item.payload);
    credit_ += held;
    first_executed_ = first;
    return;
  }
  if (popped) nodes_[priority].push(item);
  count_executed(run);
  leave_run();
  if (run.return_credit(credit_)) RunSteps::finish_work(*this, run);
}

void Worker::requeue_strand(Run& run) {
  // The strand goes behind those that wait, as one item with everything it holds; if nobody else
  // has a part of the run, it stays unshared.
  if (carried_tokens_ != 0) {
    const std::uint32_t counter = run.nodes_[node_].single.counter;
    // This node still has one for the same target.
    const std::uint32_t carried = std::exchange(carried_tokens_, 0);
    static_cast<void>(RunSteps::give_tokens(run, run.is_shared(), counter, carried));
  }
  const auto priority = static_cast<std::size_t>(run.priority_);
  const std::uint32_t head = link_chain(run, node_, 0, stack_top_.load(std::memory_order_relaxed));
  stack_top_.store(0, std::memory_order_relaxed);
  backlog_ns_ = 0;
  count_executed(run);
  if (credit_ > UINT32_MAX) {
    // An item carries 32 bits of credit; the rest goes back, and cannot be the last of it.
    static_cast<void>(run.return_credit(credit_ - UINT32_MAX));
    credit_ = UINT32_MAX;
  }
  leave_run();
  const DequeItem item{&run, pack_item(head, static_cast<std::uint32_t>(credit_))};
  if (run_classes_.has(priority)) {
    runs_[priority].push(item);
  } else {
    crew_.inbox().push_strand(item, priority);
  }
  if (crew_.can_share()) call_watcher();
}

}  // namespace millrace::runtime
