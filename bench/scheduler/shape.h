#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace millrace::bench {

using NodeIndex = std::uint32_t;

/// A DAG to be scheduled: which node waits for which, and what each node costs relative to the
/// others. Node indices need not be a topological order. The same call always builds the same
/// shape.
/// Threading: not shared while it is built; immutable afterwards.
struct Shape {
  std::string name;
  std::vector<std::vector<NodeIndex>> dependents;
  std::vector<std::vector<NodeIndex>> producers;
  /// Cost per node in multiples of the workload's body, so that one shape can mix latencies.
  std::vector<std::uint32_t> cost;

  [[nodiscard]] std::size_t node_count() const { return dependents.size(); }
};

/// node 0 -> 1 -> ... -> length-1
[[nodiscard]] Shape make_chain(NodeIndex length);
/// A source, `width` siblings, a sink.
[[nodiscard]] Shape make_fan(NodeIndex width);
/// An out-tree in heap order: node i feeds 2i+1 and 2i+2.
[[nodiscard]] Shape make_binary_tree(NodeIndex node_count);
/// `rungs` diamonds a -> (b, c) -> d where d is the next diamond's a; 3 * rungs + 1 nodes.
[[nodiscard]] Shape make_diamond_ladder(NodeIndex rungs);
/// A side x side grid; each node waits for its left and its upper neighbour.
[[nodiscard]] Shape make_wavefront(NodeIndex side);
/// Layers of ten nodes, each node fed by one to three random nodes of the layer before.
[[nodiscard]] Shape make_random_layered(NodeIndex node_count, std::uint64_t seed);
/// The same, but one node in five, chosen by seed, costs a hundred times as much as the others.
[[nodiscard]] Shape make_mixed_latency(NodeIndex node_count, std::uint64_t seed);
/// A small ranking request: viewer; follow, recommendation; hydrate both; concat; two scores;
/// blend; take. Ten nodes, seven deep.
[[nodiscard]] Shape make_ranking();
/// A larger ranking request with uneven branches: a source, four branches of five nodes each whose
/// nodes cost 1, 2, 4 and 8, and three nodes that join and finish. 24 nodes, nine deep.
[[nodiscard]] Shape make_uneven_ranking();
/// `width` siblings of equal cost between a free source and a free sink.
[[nodiscard]] Shape make_narrow_fan(NodeIndex width);

/// Gives an order in which every node comes after all its producers (breadth first from the sources
/// in index order).
[[nodiscard]] std::vector<NodeIndex> topological_order(const Shape& shape);

/// Gives the nodes without producers, in index order.
[[nodiscard]] std::vector<NodeIndex> sources(const Shape& shape);

}  // namespace millrace::bench
