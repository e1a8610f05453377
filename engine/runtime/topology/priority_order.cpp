#include "runtime/topology/priority_order.h"

#include <algorithm>
#include <cstdint>

#include "base/check.h"
#include "runtime/topology/node.h"
#include "runtime/topology/topology.h"

namespace millrace::runtime {

SequenceFinder::SequenceFinder(const Topology& topology) : topology_(topology) {
  if (topology.traits().any()) return;
  tokens_.reserve(topology.counter_template().size());
  waiting_.resize(topology.node_count());
  enabler_of_.resize(topology.node_count());
}

void SequenceFinder::fill(PriorityOrder& order) {
  order.sequence.clear();
  order.waiting_max = 0;
  order.enablers.clear();
  if (topology_.traits().any()) return;
  const auto tokens = topology_.counter_template();
  tokens_.assign(tokens.begin(), tokens.end());
  StrandWalk walk{.nodes = topology_.nodes().data(),
                  .edges = order.edges.data(),
                  .tokens = tokens_.data(),
                  .waiting = waiting_.data()};
  for (const std::uint32_t source : order.sources) enabler_of_[source] = topology_.node_count();
  walk.begin(order.sources);
  while (walk.node != kNoNode) {
    order.sequence.push_back({walk.node, walk.waiting_count});
    order.enablers.push_back(enabler_of_[walk.node]);
    order.waiting_max = std::max(order.waiting_max, walk.waiting_count);
    walk.step([this, by = walk.node](std::uint32_t ready) { enabler_of_[ready] = by; });
  }
  MR_CHECK(order.sequence.size() == topology_.node_count(), order.sequence.size());
}

}  // namespace millrace::runtime
