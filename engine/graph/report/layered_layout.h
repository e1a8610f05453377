#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace millrace::graph {

/// What to lay out: nodes of a given height and edges without cycles.
struct LayerInput {
  std::vector<double> heights;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
};

/// A drawing in layers, after Sugiyama, Tagawa and Toda (1981): every edge goes to a later layer,
/// and where it passes a layer it has a place of its own between the nodes.
struct LayerOutput {
  std::vector<std::uint32_t> layer;  ///< of each node
  std::vector<double> top;           ///< of each node
  /// For each edge, the height at which it passes each layer between its ends.
  std::vector<std::vector<double>> bends;
  std::uint32_t layer_count = 0;
  double height = 0;
};

/// Room between two nodes of a layer.
inline constexpr double kNodeGap = 18;
/// Edges pass layers with a place of their own until there are so many places; then they are drawn
/// straight.
inline constexpr std::size_t kBendsMax = 60'000;

[[nodiscard]] LayerOutput lay_out(const LayerInput& input);

}  // namespace millrace::graph
