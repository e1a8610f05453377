#include "scheduler/shape.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/random.h"

namespace millrace::bench {
namespace {

constexpr NodeIndex kLayerWidth = 10;
constexpr std::uint32_t kSlowCost = 100;

Shape make_empty(std::string name, NodeIndex node_count) {
  Shape shape;
  shape.name = std::move(name);
  shape.dependents.resize(node_count);
  shape.producers.resize(node_count);
  shape.cost.assign(node_count, 1);
  return shape;
}

void connect(Shape& shape, NodeIndex producer, NodeIndex consumer) {
  shape.dependents[producer].push_back(consumer);
  shape.producers[consumer].push_back(producer);
}

bool is_connected(const Shape& shape, NodeIndex producer, NodeIndex consumer) {
  const std::vector<NodeIndex>& producers = shape.producers[consumer];
  return std::ranges::find(producers, producer) != producers.end();
}

void connect_layers(Shape& shape, base::Random& random) {
  for (NodeIndex node = kLayerWidth; node < shape.node_count(); ++node) {
    const NodeIndex previous_layer = (node / kLayerWidth - 1) * kLayerWidth;
    const std::uint64_t wanted = 1 + random.below(3);
    for (std::uint64_t edge = 0; edge < wanted; ++edge) {
      const auto producer = static_cast<NodeIndex>(previous_layer + random.below(kLayerWidth));
      if (!is_connected(shape, producer, node)) connect(shape, producer, node);
    }
  }
}

}  // namespace

Shape make_chain(NodeIndex length) {
  Shape shape = make_empty("chain_" + std::to_string(length), length);
  for (NodeIndex node = 1; node < length; ++node) connect(shape, node - 1, node);
  return shape;
}

Shape make_fan(NodeIndex width) {
  Shape shape = make_empty("fan_" + std::to_string(width), width + 2);
  for (NodeIndex node = 1; node <= width; ++node) {
    connect(shape, 0, node);
    connect(shape, node, width + 1);
  }
  return shape;
}

Shape make_binary_tree(NodeIndex node_count) {
  Shape shape = make_empty("tree_" + std::to_string(node_count), node_count);
  for (NodeIndex node = 1; node < node_count; ++node) connect(shape, (node - 1) / 2, node);
  return shape;
}

Shape make_diamond_ladder(NodeIndex rungs) {
  Shape shape = make_empty("ladder_" + std::to_string(rungs), 3 * rungs + 1);
  for (NodeIndex rung = 0; rung < rungs; ++rung) {
    const NodeIndex top = 3 * rung;
    for (const NodeIndex side : {top + 1, top + 2}) {
      connect(shape, top, side);
      connect(shape, side, top + 3);
    }
  }
  return shape;
}

Shape make_wavefront(NodeIndex side) {
  Shape shape = make_empty("wavefront_" + std::to_string(side), side * side);
  for (NodeIndex row = 0; row < side; ++row) {
    for (NodeIndex column = 0; column < side; ++column) {
      const NodeIndex node = row * side + column;
      if (column + 1 < side) connect(shape, node, node + 1);
      if (row + 1 < side) connect(shape, node, node + side);
    }
  }
  return shape;
}

Shape make_random_layered(NodeIndex node_count, std::uint64_t seed) {
  MR_CHECK(node_count >= kLayerWidth, node_count);
  Shape shape = make_empty("layered_" + std::to_string(node_count), node_count);
  base::SplitMix64 random(seed);
  connect_layers(shape, random);
  return shape;
}

Shape make_mixed_latency(NodeIndex node_count, std::uint64_t seed) {
  Shape shape = make_random_layered(node_count, seed);
  shape.name = "mixed_" + std::to_string(node_count);
  // Exactly one fifth is slow; which nodes are is a seeded choice without replacement.
  std::vector<NodeIndex> nodes(node_count);
  for (NodeIndex node = 0; node < node_count; ++node) nodes[node] = node;
  base::SplitMix64 random(seed + 1);
  for (NodeIndex picked = 0; picked < node_count / 5; ++picked) {
    std::swap(nodes[picked], nodes[picked + random.below(node_count - picked)]);
    shape.cost[nodes[picked]] = kSlowCost;
  }
  return shape;
}

Shape make_ranking() {
  enum : std::uint8_t {
    kViewer,
    kFollow,
    kRecommendation,
    kHydrateFollow,
    kHydrateRecommendation,
    kConcat,
    kScoreA,
    kScoreB,
    kBlend,
    kTake,
    kCount
  };
  Shape shape = make_empty("ranking_10", kCount);
  connect(shape, kViewer, kFollow);
  connect(shape, kViewer, kRecommendation);
  connect(shape, kFollow, kHydrateFollow);
  connect(shape, kRecommendation, kHydrateRecommendation);
  connect(shape, kHydrateFollow, kConcat);
  connect(shape, kHydrateRecommendation, kConcat);
  connect(shape, kConcat, kScoreA);
  connect(shape, kConcat, kScoreB);
  connect(shape, kScoreA, kBlend);
  connect(shape, kScoreB, kBlend);
  connect(shape, kBlend, kTake);
  return shape;
}

Shape make_uneven_ranking() {
  constexpr NodeIndex kBranches = 4;
  constexpr NodeIndex kLength = 5;
  constexpr NodeIndex kJoin = 1 + kBranches * kLength;
  Shape shape = make_empty("uneven_24", kJoin + 3);
  for (NodeIndex branch = 0; branch < kBranches; ++branch) {
    const NodeIndex first = 1 + branch * kLength;
    connect(shape, 0, first);
    for (NodeIndex step = 0; step < kLength; ++step) {
      shape.cost[first + step] = 1U << branch;
      if (step > 0) connect(shape, first + step - 1, first + step);
    }
    connect(shape, first + kLength - 1, kJoin);
  }
  connect(shape, kJoin, kJoin + 1);
  connect(shape, kJoin + 1, kJoin + 2);
  return shape;
}

Shape make_narrow_fan(NodeIndex width) {
  Shape shape = make_fan(width);
  const std::string digits = std::to_string(width);
  shape.name = "narrow_" + std::string(digits.size() < 2 ? 1 : 0, '0') + digits;
  shape.cost.front() = 0;
  shape.cost.back() = 0;
  return shape;
}

std::vector<NodeIndex> sources(const Shape& shape) {
  std::vector<NodeIndex> found;
  for (NodeIndex node = 0; node < shape.node_count(); ++node) {
    if (shape.producers[node].empty()) found.push_back(node);
  }
  return found;
}

std::vector<NodeIndex> topological_order(const Shape& shape) {
  std::vector<std::size_t> waiting(shape.node_count());
  for (NodeIndex node = 0; node < shape.node_count(); ++node) {
    waiting[node] = shape.producers[node].size();
  }
  std::vector<NodeIndex> order = sources(shape);
  for (std::size_t next = 0; next < order.size(); ++next) {
    for (const NodeIndex dependent : shape.dependents[order[next]]) {
      if (--waiting[dependent] == 0) order.push_back(dependent);
    }
  }
  MR_CHECK(order.size() == shape.node_count(), shape.name, order.size());
  return order;
}

}  // namespace millrace::bench
