#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "base/check.h"
#include "base/sync/asymmetric_fence.h"
#include "runtime/node_call.h"
#include "runtime/run.h"
#include "runtime/steal_deque.h"
#include "runtime/topology/cost_model.h"
#include "runtime/topology/node.h"
#include "runtime/topology/topology.h"
#include "runtime/worker.h"
#include "runtime/worker_pool.h"

// The short path of a node: for runs that need nothing but tokens. What is here runs once per node
// and decides what an empty node costs.

namespace millrace::runtime {

template <bool kSharing>
void Worker::run_strand_fast() {
  // Few values live across the call of a body: more would not fit the registers that survive it.
  Run& run = *run_;
  NodeCall call(run, run.context_);
  std::uint32_t node = node_;
  std::uint32_t top = stack_top_.load(std::memory_order_relaxed);
  std::uint32_t executed = 0;
  std::uint32_t next_look = pool_.config().max_inline_depth;
  // Whether something of this worker lies where others can take it, as far as the strand knows.
  bool shares = kSharing && node_classes_.any();
  for (;;) {
    if (run.stopped()) [[unlikely]] {
      abandon_strand();
      break;
    }
    const HotNode& hot = run.nodes_[node];
    call.node_ = node;
    // With nothing private there is nothing that a peer could want from here.
    if (kSharing && top != 0) handshake_.enter_body();
    const bool ok = hot.body(hot.closure, call);
    ++executed;
    if (kSharing && top != 0 && handshake_.leave_body()) [[unlikely]] {
      top = stack_top_.load(std::memory_order_relaxed);
      shares = true;
    }
    if (!ok) [[unlikely]] {
      fail_node(run, call);
      break;
    }
    node = route_fast<kSharing>(run, hot, top, shares);
    if (kSharing && shares && pool_.has_parked()) [[unlikely]]
      pool_.count_missed(*this, run, hot);
    if (node == kNoNode) {
      if (top == 0) {
        end_strand();
        break;
      }
      node = stack_[--top];
      stack_top_.store(top, std::memory_order_relaxed);
    }
    if (executed >= next_look) {
      next_look = executed + pool_.config().max_inline_depth;
      if (others_wait()) [[unlikely]] {
        make_room_for_others(run, node);
        break;
      }
    }
  }
  counters_.add(counters_.executed, executed);
}

bool Worker::start_fast() {
  Run& run = *run_;
  if (run.stopped()) {
    abandon_strand();
    return false;
  }
  if (step_ != nullptr) start_of_sequence();
  call_.emplace(run, run.context_);
  const HotNode& hot = run.nodes_[node_];
  call_->node_ = node_;
  counters_.add(counters_.executed);
  handshake_.enter_body();
  body_ok_ = hot.body(hot.closure, *call_);
  return true;
}

void Worker::finish_fast() {
  Run& run = *run_;
  handshake_.leave_body();
  MR_DCHECK(call_.has_value());
  if (!body_ok_) return fail_node(run, *call_);
  if (step_ != nullptr) return finish_of_sequence();
  go_on_with_tokens(run, run.nodes_[node_]);
  if (run_ == nullptr || ++depth_ < pool_.config().max_inline_depth) return;
  depth_ = 0;
  if (others_wait()) make_room_for_others(run, node_);
}

void Worker::go_on_with_tokens(Run& run, const HotNode& hot) {
  std::uint32_t top = stack_top_.load(std::memory_order_relaxed);
  bool shares = false;
  std::uint32_t node = pool_.can_share() ? route_fast<true>(run, hot, top, shares)
                                         : route_fast<false>(run, hot, top, shares);
  if (node == kNoNode) node = next_of_strand();
  if (node == kNoNode) return end_strand();
  node_ = node;
}

template <bool kSharing>
[[gnu::always_inline]] inline std::uint32_t Worker::route_fast(Run& run,
                                                               const HotNode& hot,
                                                               std::uint32_t& top,
                                                               bool& shares) {
  if (hot.single.target != kNoNode) {
    if (hot.single.counter == kNoCounter) return hot.single.target;
    // What comes next here leads to the same target, which must wait for it anyway: one operation
    // for both tokens, on a counter that others write too.
    if (top != 0 && run.nodes_[stack_[top - 1]].single.counter == hot.single.counter) {
      ++carried_tokens_;
      return kNoNode;
    }
    const std::uint32_t count = std::exchange(carried_tokens_, 0) + 1;
    return run.give_tokens(hot.single.counter, count) ? hot.single.target : kNoNode;
  }
  const Edge* edge = run.edges_ + hot.edge_begin;
  const Edge* const end = run.edges_ + hot.edge_end;
  if (edge == end) return kNoNode;
  std::uint32_t best = kNoNode;
  const std::uint32_t mark = top;
  do {
    if (!run.give_token(edge->counter)) continue;
    // Edges come worst first: what was the best so far is now one of the others (D3).
    if (best != kNoNode) stack_[top++] = best;
    best = edge->target;
  } while (++edge != end);
  if (top != mark) {
    stack_top_.store(top, std::memory_order_relaxed);
    if constexpr (kSharing) {
      if (top >= share_check_) [[unlikely]] {
        share_new(run, mark);
        shares = true;
        top = stack_top_.load(std::memory_order_relaxed);
      }
    }
  }
  return best;
}

void Worker::keep(std::uint32_t node) {
  const std::uint32_t top = stack_top_.load(std::memory_order_relaxed);
  stack_[top] = node;
  stack_top_.store(top + 1, std::memory_order_relaxed);
}

void Worker::share_kept(Run& run, std::uint32_t mark) {
  const std::uint32_t top = stack_top_.load(std::memory_order_relaxed);
  if (pool_.can_share() && top > mark && top >= share_check_) share_new(run, mark);
}

void Worker::share_new(Run& run, std::uint32_t mark) {
  if (run.dearest_ns_ == CostModel::kUnknown) {
    share_dear(run, mark);
  } else if (stack_top_.load(std::memory_order_relaxed) >= share_count(run)) {
    share_backlog(run);
  }
  if (!pool_.is_watched()) pool_.wake_watcher(*this);
  if (share_check_ == 0) look_when_sharing_pays(run);
}

void Worker::share_dear(Run& run, std::uint32_t mark) {
  const std::uint32_t top = stack_top_.load(std::memory_order_relaxed);
  if (top == mark + 1) {
    const std::uint32_t hint = run.hints_[stack_[mark]].load(std::memory_order_relaxed);
    if ((hint & CostModel::kWorthSharing) != 0) return publish_one(run, mark, hint);
  }
  std::uint32_t hints = 0;
  for (std::uint32_t index = mark; index < top; ++index) {
    const std::uint32_t hint = run.hints_[stack_[index]].load(std::memory_order_relaxed);
    hints |= hint;
    backlog_ns_ += hint & CostModel::kCostMask;
  }
  if ((hints & CostModel::kWorthSharing) != 0) {
    publish_new(run, mark);
  } else if (backlog_ns_ >= pool_.backlog_limit_ns()) {
    share_backlog(run);
  }
}

std::uint32_t Worker::share_count(const Run& run) const {
  const std::uint64_t limit = pool_.backlog_limit_ns();
  return run.total_ns_ < limit ? UINT32_MAX : nodes_worth(limit, run.dearest_ns_);
}

void Worker::look_when_sharing_pays(const Run& run) {
  // Where every node is cheap, many must lie here before they can be worth sharing: until then a
  // push needs no look at costs. Somebody must watch meanwhile, in case that a cost is wrong;
  // nobody who watches goes to sleep while a worker is in a strand.
  const bool by_count = run.dearest_ns_ != CostModel::kUnknown && pool_.is_watched();
  share_check_ = by_count ? share_count(run) : 0;
}

void Worker::enter_run(Run& run) {
  run_ = &run;
  step_ = nullptr;
  sequence_trace_.reset();
  carried_tokens_ = 0;
  in_strand_.store(true, std::memory_order_relaxed);
  base::light_fence();
  depth_ = 0;
  arrival_ = {};
  look_when_sharing_pays(run);
}

void Worker::leave_run() {
  run_ = nullptr;
  in_strand_.store(false, std::memory_order_relaxed);
}

std::uint32_t Worker::next_of_strand() {
  const std::uint32_t top = stack_top_.load(std::memory_order_relaxed);
  if (top == 0) return kNoNode;
  stack_top_.store(top - 1, std::memory_order_relaxed);
  return stack_[top - 1];
}

bool Worker::others_wait() const { return run_classes_.any() || pool_.inbox_classes().any(); }

bool Worker::work_strand() {
  if (run_ == nullptr && !pick()) return false;
  if (run_ == nullptr) return true;  // what was picked was a job, and is done
  // To its end: whoever drives this worker may leave it between two strands, never within one.
  do {
    if (step_ != nullptr) {
      pool_.can_share() ? run_sequence<true>() : run_sequence<false>();
    } else if (run_->full_path_) {
      run_strand_full();
    } else {
      pool_.can_share() ? run_strand_fast<true>() : run_strand_fast<false>();
    }
  } while (run_ != nullptr);
  return true;
}

bool Worker::start() {
  while (run_ != nullptr || pick()) {
    if (run_ == nullptr) continue;
    if (run_->full_path_ && step_ == nullptr ? start_full() : start_fast()) return true;
  }
  return false;
}

void Worker::finish() {
  if (sequence_trace_) {
    finish_traced();
  } else if (run_->full_path_) {
    finish_full();
  } else {
    finish_fast();
  }
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

void Worker::begin_run(Run& run) {
  if (run.full_path_) return begin_run_full(run);
  if (may_follow_sequence(run)) return follow_sequence(run, 0);
  const auto& sources = run.order_->sources;
  for (std::size_t index = 0; index + 1 < sources.size(); ++index) keep(sources[index]);
  share_kept(run, 0);
  node_ = sources.back();
}

void Worker::adopt(Run& run) {
  MR_DCHECK(run_ == nullptr);
  reserve_stack(run.topology_->node_count());
  enter_run(run);
  credit_ = Run::kFullCredit;
  forget_boundary_time();
  begin_run(run);
}

void Worker::enter_strand(Run& run, std::uint64_t payload) {
  reserve_stack(run.topology_->node_count());
  enter_run(run);
  credit_ = payload >> 32U;
  const auto head = static_cast<std::uint32_t>(payload);
  if (head == kNoNode) return begin_run(run);
  if ((head & (kChainBit | kSequenceBit)) == kSequenceBit)
    return follow_sequence(run, head & ~kSequenceBit);
  node_ = head & ~kChainBit;
  if ((head & kChainBit) == 0) return;
  for (std::uint32_t node = run.links_[node_]; node != kNoNode; node = run.links_[node]) keep(node);
  share_kept(run, 0);
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

void Worker::make_room_for_others(Run& run, std::uint32_t node) {
  // The strand goes behind those that wait, as one item with everything it holds; if nobody else
  // has a part of the run, it stays unshared.
  if (carried_tokens_ != 0) {
    const std::uint32_t counter = run.nodes_[node].single.counter;
    // This node still has one for the same target.
    static_cast<void>(run.give_tokens(counter, std::exchange(carried_tokens_, 0)));
  }
  put_behind_others(run, link_chain(run, node, 0, stack_top_.load(std::memory_order_relaxed)));
}

void Worker::put_behind_others(Run& run, std::uint32_t head) {
  stack_top_.store(0, std::memory_order_relaxed);
  backlog_ns_ = 0;
  if (credit_ > UINT32_MAX) {
    // An item carries 32 bits of credit; the rest goes back, and cannot be the last of it.
    static_cast<void>(run.return_credit(credit_ - UINT32_MAX));
    credit_ = UINT32_MAX;
  }
  const auto priority = static_cast<std::size_t>(run.priority_);
  leave_run();
  runs_[priority].push({&run, pack(head, static_cast<std::uint32_t>(credit_))});
  run_classes_.insert(priority);
  if (pool_.can_share() && !pool_.is_watched()) pool_.wake_watcher(*this);
}

void Worker::abandon_strand() {
  stack_top_.store(0, std::memory_order_relaxed);
  backlog_ns_ = 0;
  end_strand();
}

void Worker::fail_node(Run& run, NodeCall& call) {
  run.fail(call.node_, call.take_error());
  abandon_strand();
}

void Worker::end_strand() {
  Run& run = *run_;
  DequeItem item;
  // The newest item of the own deque is most often of the same run: then the credit stays here.
  const auto priority = static_cast<std::size_t>(run.priority_);
  const bool may_pop = node_classes_.only(priority) && !is_guard_due();
  const bool popped = may_pop && nodes_[priority].try_pop(item);
  if (may_pop && !popped) node_classes_.remove(priority);
  if (popped && item.run == &run) {
    const Run::Credit held = credit_;
    count_dispatch(priority);
    enter_strand(run, item.payload);
    credit_ += held;
    return;
  }
  if (popped) nodes_[priority].push(item);
  leave_run();
  if (run.return_credit(credit_)) run.finish_work(*this);
}

}  // namespace millrace::runtime
