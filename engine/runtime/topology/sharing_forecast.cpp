#include "runtime/topology/sharing_forecast.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <utility>

#include "runtime/sharing_prices.h"
#include "runtime/topology/node.h"
#include "runtime/topology/priority_order.h"
#include "runtime/topology/topology.h"

namespace millrace::runtime {
namespace {

// What the way through a queue costs a node that its own worker takes back, and a look at what a
// node is worth that stays.
constexpr std::uint64_t kQueueNs = 15;
constexpr std::uint64_t kLookNs = 5;
// Nodes that become ready together go in pieces: about so many, and the first takes such a part.
constexpr std::uint32_t kPieces = 8;
constexpr std::size_t kFirstPiecePart = 4;
// Larger topologies are not played through: it would take longer than what starts a run has time
// for. They share what is worth it.
constexpr std::uint32_t kNodesMax = 4096;
// Counters travel by the cache line.
constexpr std::size_t kCountersPerLine = 64 / sizeof(std::uint32_t);

std::size_t line_count(const Topology& topology) {
  return topology.counter_template().size() / kCountersPerLine + 1;
}

}  // namespace

void add_worths(const Topology& topology,
                std::span<const std::uint64_t> own,
                std::span<std::uint64_t> worth) {
  const auto nodes = topology.topological_order();
  for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) {
    std::uint64_t sum = own[*node];
    for (const Edge& edge : topology.dependents(*node)) {
      // What follows from an asynchronous node begins where that ends: on its loop.
      const bool is_async = topology.spec(edge.target).kind == NodeKind::kAsync;
      if (edge.counter == kNoCounter && !is_async) sum += worth[edge.target];
    }
    worth[*node] = sum;
  }
}

SharingForecast::SharingForecast(const Topology& topology)
    : topology_(topology),
      counters_(std::make_unique<std::uint32_t[]>(topology.counter_template().size())),
      last_side_(std::make_unique<std::uint8_t[]>(line_count(topology))) {
  if (topology.node_count() > kNodesMax) return;
  for (Side& side : sides_) side.stack.reserve(topology.node_count());
}

SharingPlan SharingForecast::plan(const NodeCosts& costs,
                                  const PriorityOrder& order,
                                  const SharingPrices& prices) {
  if (topology_.node_count() > kNodesMax) {
    const std::uint64_t total =
        std::accumulate(costs.own.begin(), costs.own.end(), std::uint64_t{});
    return {.gain_ns = total / 2,
            .worth_min_ns = static_cast<std::uint32_t>(prices.hand_over.count())};
  }
  costs_ = costs;
  order_ = &order;
  hand_over_ns_ = static_cast<std::uint64_t>(prices.hand_over.count());
  token_ns_ = static_cast<std::uint64_t>(prices.token().count());
  bundle_ns_ = static_cast<std::uint64_t>(prices.bundle.count());
  const std::uint64_t by_worth = play(hand_over_ns_);
  const std::uint64_t all = play(0);
  const std::uint64_t least = std::min(by_worth, all);
  if (least >= total_ns_) return {.gain_ns = 0, .worth_min_ns = SharingPlan::kNothing};
  return {.gain_ns = total_ns_ - least,
          .worth_min_ns = all < by_worth ? 0 : static_cast<std::uint32_t>(hand_over_ns_)};
}

std::uint64_t SharingForecast::play(std::uint64_t worth_min_ns) {
  worth_min_ns_ = worth_min_ns;
  // Where no node is worth it by itself, none is looked at.
  push_ns_ = costs_.most_worth >= worth_min_ns ? kLookNs : 0;
  begin();
  // The one whose time is earlier is next. One that finds nothing waits for what the other does.
  for (;;) {
    const std::size_t first = sides_[0].now <= sides_[1].now ? 0 : 1;
    if (!step(first) && !step(1 - first)) break;
  }
  return std::max(sides_[0].now, sides_[1].now) + added_ns_ / 2;
}

void SharingForecast::spend(Side& side, std::uint64_t time_ns) {
  side.now += time_ns;
  added_ns_ += time_ns;
}

void SharingForecast::begin() {
  total_ns_ = 0;
  added_ns_ = 0;
  std::ranges::copy(topology_.counter_template(), counters_.get());
  // Whoever starts the run has written all of them.
  std::fill_n(last_side_.get(), line_count(topology_), std::uint8_t{0});
  for (Side& side : sides_) {
    side.now = 0;
    side.next = kNoNode;
    side.stack.clear();
    side.oldest = 0;
    side.stack_ns = 0;
    side.carried_tokens = 0;
  }
  for (const std::uint32_t source : order_->sources) push(sides_[0], {.node = source, .since = 0});
}

bool SharingForecast::step(std::size_t side) {
  Side& self = sides_[side];
  if (self.next == kNoNode && self.is_empty()) {
    // What it carried its tokens for was taken.
    if (const std::uint32_t count = std::exchange(self.carried_tokens, 0); count != 0) {
      if (give_tokens(side, self.carried_to.counter, count)) self.next = self.carried_to.target;
      return true;
    }
    return take(side);
  }
  if (self.next == kNoNode) pop(self);
  run_node(side, std::exchange(self.next, kNoNode));
  return true;
}

void SharingForecast::push(Side& side, const Ready& ready) {
  if (side.stack.size() == side.stack.capacity()) {
    // Never more than all nodes lie here; the others are gone.
    side.stack.erase(side.stack.begin(),
                     side.stack.begin() + static_cast<std::ptrdiff_t>(side.oldest));
    side.oldest = 0;
  }
  side.stack.push_back(ready);
  side.stack_ns += costs_.own[ready.node];
}

void SharingForecast::pop(Side& side) {
  side.next = side.stack.back().node;
  side.stack_ns -= costs_.own[side.next];
  side.stack.pop_back();
}

bool SharingForecast::take(std::size_t side) {
  Side& self = sides_[side];
  Side& other = sides_[1 - side];
  if (other.is_empty()) return false;
  const auto oldest = other.stack.begin() + static_cast<std::ptrdiff_t>(other.oldest);
  std::size_t count = 0;
  if (costs_.worth[oldest->node] >= worth_min_ns_) {
    const auto later = [&](const Ready& ready) { return ready.since != oldest->since; };
    const auto together = std::find_if(oldest, other.stack.end(), later) - oldest;
    count = (static_cast<std::size_t>(together) + kFirstPiecePart - 1) / kFirstPiecePart;
  } else {
    if (other.stack_ns < bundle_ns_) return false;
    count = (other.stack.size() - other.oldest + 1) / 2;
  }
  std::uint64_t since = 0;
  for (; count > 0; --count) {
    const Ready& ready = other.stack[other.oldest++];
    since = std::max(since, ready.since);
    other.stack_ns -= costs_.own[ready.node];
    push(self, ready);
  }
  self.now = std::max(self.now, since);
  spend(self, hand_over_ns_);
  spend(other, token_ns_);  // it finds its queue in the cache of the other
  pop(self);
  return true;
}

void SharingForecast::run_node(std::size_t side, std::uint32_t node) {
  Side& self = sides_[side];
  self.now += costs_.own[node];
  total_ns_ += costs_.own[node];
  const HotNode& hot = topology_.nodes()[node];
  if (hot.single.target != kNoNode && hot.single.counter != kNoCounter) {
    // What is next here leads to the same target: both tokens go together.
    if (!self.is_empty()) {
      const std::uint32_t below = self.stack.back().node;
      if (costs_.worth[below] < worth_min_ns_ &&
          topology_.nodes()[below].single.counter == hot.single.counter) {
        ++self.carried_tokens;
        self.carried_to = hot.single;
        return;
      }
    }
    const std::uint32_t count = std::exchange(self.carried_tokens, 0) + 1;
    if (give_tokens(side, hot.single.counter, count)) self.next = hot.single.target;
    return;
  }
  const std::size_t mark = self.stack.size() - self.oldest;
  std::uint32_t piece_count = 0;
  for (std::uint32_t index = hot.edge_begin; index < hot.edge_end; ++index) {
    const Edge& edge = order_->edges[index];
    if (edge.counter != kNoCounter && !give_tokens(side, edge.counter, 1)) continue;
    if (self.next != kNoNode) {
      piece_count += costs_.worth[self.next] >= worth_min_ns_ ? 1 : 0;
      push(self, {.node = self.next, .since = 0});
    }
    self.next = edge.target;
  }
  const std::size_t pushed = self.stack.size() - self.oldest - mark;
  spend(self, pushed * push_ns_ + std::min(piece_count, kPieces) * kQueueNs);
  for (std::size_t index = 0; index < pushed; ++index)
    self.stack[self.stack.size() - 1 - index].since = self.now;
}

bool SharingForecast::give_tokens(std::size_t side, std::uint32_t counter, std::uint32_t count) {
  std::uint8_t& last_side = last_side_[counter / kCountersPerLine];
  if (last_side != side) {
    last_side = static_cast<std::uint8_t>(side);
    spend(sides_[side], token_ns_);
  }
  counters_[counter] -= count;
  return counters_[counter] == 0;
}

}  // namespace millrace::runtime
