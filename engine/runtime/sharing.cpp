#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/sync/asymmetric_fence.h"
#include "base/sync/processor_move.h"
#include "runtime/crew.h"
#include "runtime/pool_inbox.h"
#include "runtime/run.h"
#include "runtime/topology/cost_model.h"
#include "runtime/worker.h"

// What a worker hands to others, and when (D6): nodes that cost more than a hand-over, with all
// that follows from them alone, and private nodes that together cost more than a hand-over of the
// whole; nothing of a run that two workers would not end sooner (D11, sharing_forecast.h).

namespace millrace::runtime {
namespace {

// No piece of ready nodes costs more than this: the longest that one worker may be busy alone at
// the end.
constexpr std::uint64_t kPieceMaxNs = 16'000;

}  // namespace

std::uint64_t Worker::cost_of(const Run& run, std::uint32_t node) {
  return run.hints_[node].load(std::memory_order_relaxed) & CostModel::kCostMask;
}

bool Worker::can_share() const { return crew_.can_share() && nesting_ < kNestingShares; }

void Worker::share_pushed(Run& run, std::uint32_t mark) {
  if (!run.sharing_.shares()) {
    // Only the watcher is needed, in case that a cost is wrong.
  } else if (run.dearest_ns_ == CostModel::kUnknown) {
    publish_costly_nodes(run, mark);
  } else if (stack_top_.load(std::memory_order_relaxed) >= share_count(run)) {
    share_backlog(run);
  }
  call_watcher();
  if (share_check_ == 0) look_when_sharing_pays(run);
}

void Worker::publish_costly_nodes(Run& run, std::uint32_t mark) {
  const std::uint32_t top = stack_top_.load(std::memory_order_relaxed);
  if (top == mark + 1) {
    const std::uint32_t worth = run.worths_[stack_[mark]].load(std::memory_order_relaxed);
    if (worth >= run.sharing_.worth_min_ns) return publish_one(run, mark, worth);
  }
  std::uint32_t most = 0;
  for (std::uint32_t index = mark; index < top; ++index) {
    most = std::max(most, run.worths_[stack_[index]].load(std::memory_order_relaxed));
    backlog_ns_ += cost_of(run, stack_[index]);
  }
  if (most >= run.sharing_.worth_min_ns) {
    publish_pieces(run, mark);
  } else if (backlog_ns_ >= crew_.backlog_limit_ns()) {
    share_backlog(run);
  }
}

std::uint32_t Worker::share_count(const Run& run) const {
  const std::uint64_t limit = crew_.backlog_limit_ns();
  return run.total_ns_ < limit ? UINT32_MAX : nodes_worth(limit, run.dearest_ns_);
}

void Worker::look_when_sharing_pays(const Run& run) {
  // Where every node is cheap, many must lie here before they can be worth sharing: until then a
  // push needs no look at costs. Somebody must watch meanwhile, in case that a cost is wrong;
  // nobody who watches goes to sleep while a worker is in a strand.
  if (!can_share()) {
    share_check_ = UINT32_MAX;
    return;
  }
  if (!crew_.is_watched()) {
    share_check_ = 0;
  } else if (!run.sharing_.shares()) {
    share_check_ = UINT32_MAX;
  } else {
    share_check_ = run.dearest_ns_ != CostModel::kUnknown ? share_count(run) : 0;
  }
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

void Worker::publish(Run& run, std::uint32_t head) {
  const std::uint32_t credit = run.split_credit(credit_);
  push_item(static_cast<std::size_t>(run.class_of(head & ~kChainBit)),
            {&run, pack_item(head, credit)});
}

void Worker::publish_one(Run& run, std::uint32_t mark, std::uint32_t worth) {
  // The most frequent case by far, and a peer is waiting for it.
  stack_top_.store(mark, std::memory_order_relaxed);
  publish(run, stack_[mark]);
  announce(run,
           worth == CostModel::kUnknown ? UINT64_MAX
                                        : std::max<std::uint64_t>(worth, run.sharing_.gain_ns));
}

void Worker::announce(Run& run, std::uint64_t gain_ns) {
  if (crew_.spreads_threads()) {
    const int here = base::current_processor();
    if (processor_.load(std::memory_order_relaxed) != here)
      processor_.store(here, std::memory_order_relaxed);
  }
  base::light_fence();
  if (crew_.has_parked()) [[unlikely]]
    consider_wake(gain_ns);
  // A caller that takes nothing but its own run is no sleeper of the pool: the run knows it.
  if (run.caller_takes_only_ && run.caller_spot_.is_waiting() && crew_.is_worth_a_wake(gain_ns))
    static_cast<void>(run.caller_spot_.notify());
}

void Worker::publish_pieces(Run& run, std::uint32_t mark) {
  // Nodes from `mark` on became ready together and some are worth a hand-over. The oldest travel in
  // pieces that get smaller towards the newest (guided self-scheduling): few hand-overs, even ends,
  // and no piece that is not worth its hand-over.
  const std::uint32_t top = stack_top_.load(std::memory_order_relaxed);
  const auto worth_at = [&](std::uint32_t index) {
    return run.worths_[stack_[index]].load(std::memory_order_relaxed);
  };
  std::uint64_t left = 0;
  std::uint64_t cost = 0;
  bool unknown = false;
  for (std::uint32_t index = mark; index < top; ++index) {
    unknown |= worth_at(index) == CostModel::kUnknown;
    left += worth_at(index) & CostModel::kCostMask;
    cost += cost_of(run, stack_[index]);
  }
  const std::uint64_t gain = left;
  backlog_ns_ -= std::min(cost, backlog_ns_);
  std::uint32_t index = mark;
  while (index < top) {
    const std::uint64_t part = std::min(left / crew_.pieces(), kPieceMaxNs);
    const std::uint64_t piece = unknown ? 0 : std::max<std::uint64_t>(part, crew_.hand_over_ns());
    const std::uint32_t first = index;
    std::uint64_t worth = worth_at(index++) & CostModel::kCostMask;
    while (index < top && worth < piece) worth += worth_at(index++) & CostModel::kCostMask;
    left -= std::min(worth, left);
    publish(run, link_chain(run, stack_[index - 1], first, index - 1 - first));
  }
  stack_top_.store(mark, std::memory_order_relaxed);
  announce(run, unknown ? UINT64_MAX : std::max(gain, run.sharing_.gain_ns));
}

void Worker::share_backlog(Run& run) {
  // What was added since the stack was last empty may be gone again: count what is there.
  const std::uint32_t top = stack_top_.load(std::memory_order_relaxed);
  std::uint64_t exact = 0;
  for (std::uint32_t index = 0; index < top; ++index) {
    exact += cost_of(run, stack_[index]);
  }
  backlog_ns_ = exact;
  if (exact >= crew_.backlog_limit_ns()) return publish_oldest((top + 1) / 2);
  if (share_check_ == 0) return;
  share_check_ = top + nodes_worth(crew_.backlog_limit_ns() - exact, run.dearest_ns_);
}

void Worker::publish_oldest(std::uint32_t count) {
  // Cheap nodes travel as one item: singly they are not worth a hand-over.
  if (count == 0 || !crew_.can_share()) return;
  Run& run = *run_;
  const std::uint32_t top = stack_top_.load(std::memory_order_relaxed);
  std::uint64_t cost = 0;
  for (std::uint32_t index = 0; index < count; ++index) cost += cost_of(run, stack_[index]);
  backlog_ns_ -= std::min(cost, backlog_ns_);
  const std::uint32_t head = link_chain(run, stack_[count - 1], 0, count - 1);
  for (std::uint32_t index = count; index < top; ++index) stack_[index - count] = stack_[index];
  stack_top_.store(top - count, std::memory_order_relaxed);
  publish(run, head);
  announce(run, cost);
}

}  // namespace millrace::runtime
