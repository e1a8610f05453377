#include <atomic>
#include <cstdint>
#include <utility>

#include "base/sync/asymmetric_fence.h"
#include "runtime/loop_scheduler.h"
#include "runtime/node_call.h"
#include "runtime/run.h"
#include "runtime/run_extras.h"
#include "runtime/run_steps.h"
#include "runtime/topology/node.h"
#include "runtime/topology/topology.h"
#include "runtime/worker.h"
#include "runtime/worker_pool.h"

// A worker's path of a node for runs that are traced, timed, measured, have hints, fallbacks or
// asynchronous nodes. Same strands and queues as the short path, with the steps of run_steps.h
// around every body.

namespace millrace::runtime {

void Worker::make_ready(Run& run, std::uint32_t node) {
  RunExtras& extras = *run.extras_;
  if (extras.is_traced()) extras.set_ready_time(node, boundary_time());
  if (run.topology().spec(node).kind == NodeKind::kAsync) {
    AsyncOperation& operation = extras.operation(node);
    operation.credit = run.split_credit(credit_);
    return extras.lane()->loop().post(operation);
  }
  if (!may_continue_with(run, node)) return enqueue(run, node);
  if (best_ != kNoNode) keep(best_);
  best_ = node;
}

bool Worker::may_continue_with(const Run& run, std::uint32_t node) const {
  if (!run.inlining_.enabled) return false;
  if (run.topology().spec(node).inline_hint == InlineHint::kNever) return false;
  if (pool_.config().enable_continuation_chaining) return true;
  const bool is_chain = node_ != kNoNode && run.topology().single_continuation(node_) == node;
  if (!is_chain) return true;
  const std::uint32_t rows =
      run.topology().traits().has_row_cost ? run.extras_->row_count(node) : 0;
  return wants_inlining(run, node, run.inlining_, rows);
}

void Worker::begin_run_full(Run& run) {
  RunSteps(*this, run).begin_run();
  if (run.traced_only_ && may_follow_sequence(run)) return follow_sequence(run, 0);
  // What the sources waited for includes the way here.
  const bool traced = run.extras_->is_traced();
  if (traced) set_boundary_time(run.extras_->started_at());
  // Sources are always queued, never inlined (I1).
  std::uint32_t best = kNoNode;
  std::uint32_t async_head = kNoNode;
  for (const std::uint32_t source : run.order_->sources) {
    if (traced) run.extras_->set_ready_time(source, boundary_time());
    if (run.topology().spec(source).kind == NodeKind::kAsync) {
      run.links_[source] = async_head;
      async_head = source;
    } else if (!run.inlining_.enabled) {
      enqueue(run, source);
    } else {
      if (best != kNoNode) keep(best);
      best = source;
    }
  }
  RunSteps(*this, run).make_async_ready(async_head);
  forget_boundary_time();
  share_kept(run, 0);
  if (best != kNoNode) keep(best);
  node_ = kNoNode;
  arrival_ = {};
}

bool Worker::start_full() {
  Run& run = *run_;
  if (node_ == kNoNode) {
    arrival_ = {};
    node_ = next_of_strand();
    if (node_ == kNoNode) {
      end_strand();
      return false;
    }
  }
  RunSteps steps(*this, run);
  if (run.stopped()) {
    abandon_strand();
    return false;
  }
  if (!steps.begin_node(node_, arrival_)) {
    node_ = kNoNode;
    return false;
  }
  call_.emplace(run, run.context());
  call_->node_ = node_;
  counters_.add(counters_.executed);
  if (arrival_.parent != kNoNode) counters_.add(counters_.inlined);
  const HotNode& hot = run.nodes_[node_];
  handshake_.enter_body();
  body_ok_ = hot.body(hot.closure, *call_);
  return true;
}

void Worker::finish_full() {
  handshake_.leave_body();
  Run& run = *run_;
  RunSteps steps(*this, run);
  const std::uint32_t mark = stack_top_.load(std::memory_order_relaxed);
  // NOLINTNEXTLINE(bugprone-unchecked-optional-access): `start` made it.
  if (steps.end_node(*call_, body_ok_)) steps.pass_tokens(node_);
  go_on_full(run, mark);
}

void Worker::go_on_full(Run& run, std::uint32_t mark) {
  share_kept(run, mark);
  const std::uint32_t parent = node_;
  node_ = std::exchange(best_, kNoNode);
  const trace::Arrival handed{.parent = parent, .depth = arrival_.depth + 1};
  arrival_ = node_ == kNoNode ? trace::Arrival{} : arrival_at(run.topology(), node_, handed);
  if (node_ == kNoNode) node_ = next_of_strand();
  if (node_ == kNoNode) return end_strand();
  if (++depth_ < run.inlining_.depth_max) return;
  depth_ = 0;
  if (others_wait()) make_room_for_others(run, node_);
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

void Worker::run_strand_full() {
  while (run_ != nullptr && run_->full_path_ && step_ == nullptr) {
    if (start_full()) finish_full();
  }
}

}  // namespace millrace::runtime
