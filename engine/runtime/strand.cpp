#include <atomic>
#include <cstdint>
#include <utility>

#include "base/check.h"
#include "runtime/node_call.h"
#include "runtime/run.h"
#include "runtime/worker.h"
#include "runtime/worker_pool.h"

// The short path of a node: for runs that need nothing but tokens. What is here runs once per node
// and decides what an empty node costs.

namespace millrace::runtime {

void Worker::run_strand_fast() {
  Run& run = *run_;
  NodeCall call(run, run.context_);
  const HotNode* const nodes = run.nodes_;
  const std::uint32_t depth_max = pool_.config().max_inline_depth;
  std::uint32_t node = node_;
  std::uint32_t executed = 0;
  for (;;) {
    if (run.stopped()) [[unlikely]] {
      counters_.add(counters_.executed, executed);
      return abandon_strand();
    }
    const HotNode& hot = nodes[node];
    call.node_ = node;
    ++executed;
    handshake_.enter_body();
    const bool ok = hot.body(hot.closure, call);
    handshake_.leave_body();
    if (!ok) [[unlikely]] {
      counters_.add(counters_.executed, executed);
      return fail_node(run, call);
    }
    node = route_fast(run, node);
    if (node == kNoNode) {
      node = next_of_strand(run);
      if (node == kNoNode) break;
    }
    if (++depth_ >= depth_max && others_wait()) [[unlikely]] {
      node = make_room_for_others(run, node);
      if (node == kNoNode) {
        counters_.add(counters_.executed, executed);
        return;
      }
    }
  }
  counters_.add(counters_.executed, executed);
  end_strand();
}

bool Worker::start_fast() {
  Run& run = *run_;
  if (run.stopped()) {
    abandon_strand();
    return false;
  }
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
  if (!body_ok_) return fail_node(run, *call_);
  std::uint32_t node = route_fast(run, node_);
  if (node == kNoNode) node = next_of_strand(run);
  if (node == kNoNode) return end_strand();
  if (++depth_ >= pool_.config().max_inline_depth && others_wait()) {
    node = make_room_for_others(run, node);
    if (node == kNoNode) return;
  }
  node_ = node;
}

inline std::uint32_t Worker::route_fast(Run& run, std::uint32_t node) {
  const HotNode& hot = run.nodes_[node];
  const Edge* const end = run.edges_ + hot.edge_end;
  std::uint32_t best = kNoNode;
  for (const Edge* edge = run.edges_ + hot.edge_begin; edge != end; ++edge) {
    if (!run.give_token(edge->counter)) continue;
    // Edges come worst first: what was the best so far is now one of the others (D3).
    if (best != kNoNode) keep_or_publish(run, best);
    best = edge->target;
  }
  return best;
}

inline void Worker::keep_or_publish(Run& run, std::uint32_t node) {
  const std::uint32_t hint = run.hints_[node].load(std::memory_order_relaxed);
  if ((hint & pool_.sharing_mask()) != 0) [[unlikely]] {
    return publish(run, node, hint);
  }
  push_private(node, hint);
}

inline void Worker::push_private(std::uint32_t node, std::uint32_t hint) {
  const std::uint32_t top = stack_top_.load(std::memory_order_relaxed);
  stack_[top] = node;
  stack_top_.store(top + 1, std::memory_order_relaxed);
  backlog_ns_ += hint & CostModel::kCostMask;
  if (backlog_ns_ >= pool_.backlog_limit_ns()) [[unlikely]] publish_backlog((top + 2) / 2);
  if (!pool_.is_watched()) [[unlikely]] pool_.wake_watcher(*this);
}

inline std::uint32_t Worker::next_of_strand(Run& run) {
  const std::uint32_t top = stack_top_.load(std::memory_order_relaxed);
  if (top == 0) return kNoNode;
  const std::uint32_t node = stack_[top - 1];
  stack_top_.store(top - 1, std::memory_order_relaxed);
  if (top == 1) {
    backlog_ns_ = 0;
  } else {
    const std::uint64_t cost = run.hints_[node].load(std::memory_order_relaxed) & CostModel::kCostMask;
    backlog_ns_ -= cost < backlog_ns_ ? cost : backlog_ns_;
  }
  return node;
}

inline bool Worker::others_wait() const { return run_classes_.any() || pool_.inbox_classes().any(); }

bool Worker::work_strand() {
  if (run_ == nullptr && !pick()) return false;
  if (run_ == nullptr) return true;  // what was picked was a job, and is done
  if (run_->full_path_) {
    run_strand_full();
  } else {
    run_strand_fast();
  }
  return true;
}

bool Worker::start() {
  while (run_ != nullptr || pick()) {
    if (run_ == nullptr) continue;
    if (run_->full_path_ ? start_full() : start_fast()) return true;
  }
  return false;
}

void Worker::finish() {
  if (run_->full_path_) {
    finish_full();
  } else {
    finish_fast();
  }
}

void Worker::reserve_stack(std::uint32_t node_count) {
  // Every node of a run is pushed at most once, and a strand belongs to one run.
  if (node_count <= stack_capacity_) return;
  stack_storage_ = std::make_unique<std::uint32_t[]>(node_count);
  stack_ = stack_storage_.get();
  stack_capacity_ = node_count;
}

void Worker::begin_run(Run& run) {
  if (run.full_path_) return begin_run_full(run);
  const auto& sources = run.order_->sources;
  for (std::size_t index = 0; index + 1 < sources.size(); ++index) keep_or_publish(run, sources[index]);
  node_ = sources.empty() ? kNoNode : sources.back();
}

void Worker::adopt(Run& run) {
  MR_DCHECK(run_ == nullptr);
  reserve_stack(run.topology_->node_count());
  run_ = &run;
  depth_ = 0;
  credit_ = Run::kFullCredit;
  arrival_ = {};
  begin_run(run);
}

void Worker::enter_strand(Run& run, std::uint64_t payload) {
  reserve_stack(run.topology_->node_count());
  run_ = &run;
  depth_ = 0;
  credit_ = payload >> 32U;
  const auto head = static_cast<std::uint32_t>(payload);
  arrival_ = {};
  if (head == kNoNode) return begin_run(run);
  node_ = head;
  std::uint32_t next = run.links_[head];
  while (next != kNoNode) {
    const std::uint32_t node = next;
    next = run.links_[node];  // publishing overwrites the link
    keep_or_publish(run, node);
  }
}

void Worker::link_chain(Run& run, std::uint32_t head, std::uint32_t count) {
  // Oldest first behind the head, so that whoever unpacks it ends up with the best on top.
  std::uint32_t last = head;
  for (std::uint32_t index = 0; index < count; ++index) {
    run.links_[last] = stack_[index];
    last = stack_[index];
  }
  run.links_[last] = kNoNode;
}

std::uint32_t Worker::make_room_for_others(Run& run, std::uint32_t node) {
  // The strand goes behind those that wait, as one item with everything it holds; if nobody else has
  // a part of the run, it stays unshared.
  depth_ = 0;
  const std::uint32_t top = stack_top_.load(std::memory_order_relaxed);
  link_chain(run, node, top);
  stack_top_.store(0, std::memory_order_relaxed);
  backlog_ns_ = 0;
  if (credit_ > UINT32_MAX) {
    // An item carries 32 bits of credit; the rest goes back, and cannot be the last of it.
    static_cast<void>(run.return_credit(credit_ - UINT32_MAX));
    credit_ = UINT32_MAX;
  }
  const auto priority = static_cast<std::size_t>(run.options_.priority);
  const auto credit = static_cast<std::uint32_t>(credit_);
  run_ = nullptr;
  runs_[priority].push({&run, pack(node, credit)});
  run_classes_.insert(priority);
  return kNoNode;
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
  const auto priority = static_cast<std::size_t>(run.options_.priority);
  const bool popped = node_classes_.only(priority) && nodes_[priority].try_pop(item);
  if (popped && item.run == &run) {
    const Run::Credit held = credit_;
    enter_strand(run, item.payload);
    credit_ += held;
    return;
  }
  run_ = nullptr;
  if (run.return_credit(credit_)) run.finish_work(*this);
  if (popped) take(item);
}

}  // namespace millrace::runtime
