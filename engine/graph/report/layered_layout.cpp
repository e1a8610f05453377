#include "graph/report/layered_layout.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace millrace::graph {
namespace {

constexpr double kBendHeight = 6;
constexpr int kOrderSweeps = 12;
constexpr int kPlaceSweeps = 10;

/// Nodes of the input come first, then the bends.
class Layout {
 public:
  explicit Layout(const LayerInput& input) : input_(input) {}

  LayerOutput run() {
    assign_layers();
    add_bends();
    reduce_crossings();
    place();
    return collect();
  }

 private:
  /// Longest paths, in an order in which every edge goes forward; then sources move to their
  /// targets.
  void assign_layers() {
    const std::size_t count = input_.heights.size();
    layer_.assign(count, 0);
    std::vector<std::uint32_t> open(count, 0);
    std::vector<std::vector<std::uint32_t>> out(count);
    for (const auto& [from, to] : input_.edges) {
      out[from].push_back(to);
      ++open[to];
    }
    std::vector<std::uint32_t> ready;
    for (std::uint32_t i = 0; i < count; ++i) {
      if (open[i] == 0) ready.push_back(i);
    }
    const std::vector<std::uint32_t> roots = ready;
    for (std::size_t i = 0; i < ready.size(); ++i) {
      for (const std::uint32_t target : out[ready[i]]) {
        layer_[target] = std::max(layer_[target], layer_[ready[i]] + 1);
        if (--open[target] == 0) ready.push_back(target);
      }
    }
    for (const std::uint32_t root : roots) {
      if (out[root].empty()) continue;
      std::uint32_t nearest = UINT32_MAX;
      for (const std::uint32_t target : out[root]) nearest = std::min(nearest, layer_[target]);
      layer_[root] = nearest - 1;
    }
  }

  void add_bends() {
    heights_ = input_.heights;
    std::size_t total = 0;
    for (const auto& [from, to] : input_.edges) total += layer_[to] - layer_[from] - 1;
    has_bends_ = total <= kBendsMax;
    chains_.resize(input_.edges.size());
    for (std::size_t i = 0; i < input_.edges.size(); ++i) {
      const auto [from, to] = input_.edges[i];
      std::uint32_t before = from;
      for (std::uint32_t layer = layer_[from] + 1; has_bends_ && layer < layer_[to]; ++layer) {
        const auto bend = static_cast<std::uint32_t>(heights_.size());
        heights_.push_back(kBendHeight);
        layer_.push_back(layer);
        chains_[i].push_back(bend);
        links_.emplace_back(before, bend);
        before = bend;
      }
      if (layer_[to] == layer_[before] + 1) links_.emplace_back(before, to);
    }
    left_.resize(heights_.size());
    right_.resize(heights_.size());
    for (const auto& [from, to] : links_) {
      right_[from].push_back(to);
      left_[to].push_back(from);
    }
    std::uint32_t last = 0;
    for (const std::uint32_t layer : layer_) last = std::max(last, layer);
    layers_.resize(heights_.empty() ? 0 : last + 1);
    for (std::uint32_t i = 0; i < heights_.size(); ++i) layers_[layer_[i]].push_back(i);
    rank_.resize(heights_.size());
    for (const auto& layer : layers_) number(layer);
  }

  void number(const std::vector<std::uint32_t>& layer) {
    for (std::size_t i = 0; i < layer.size(); ++i) rank_[layer[i]] = static_cast<double>(i);
  }

  /// Sorts each layer by the average rank of the neighbours in the layer before it, in turns from
  /// the left and from the right.
  void reduce_crossings() {
    for (int sweep = 0; sweep < kOrderSweeps; ++sweep) {
      const bool from_left = sweep % 2 == 0;
      for (std::size_t k = 0; k < layers_.size(); ++k) {
        sort_layer(layers_[from_left ? k : layers_.size() - 1 - k], from_left ? left_ : right_);
      }
    }
  }

  void sort_layer(std::vector<std::uint32_t>& layer,
                  const std::vector<std::vector<std::uint32_t>>& neighbours) {
    std::vector<std::pair<double, double>> keys(layer.size());
    std::vector<std::size_t> order(layer.size());
    std::iota(order.begin(), order.end(), 0);
    for (std::size_t i = 0; i < layer.size(); ++i) {
      const double own = rank_[layer[i]];
      keys[i] = {average(neighbours[layer[i]], rank_, own), own};
    }
    std::ranges::sort(order, {}, [&keys](std::size_t i) { return keys[i]; });
    std::vector<std::uint32_t> sorted;
    sorted.reserve(layer.size());
    for (const std::size_t i : order) sorted.push_back(layer[i]);
    layer = std::move(sorted);
    number(layer);
  }

  static double average(const std::vector<std::uint32_t>& nodes,
                        const std::vector<double>& values,
                        double otherwise) {
    if (nodes.empty()) return otherwise;
    double sum = 0;
    for (const std::uint32_t node : nodes) sum += values[node];
    return sum / static_cast<double>(nodes.size());
  }

  /// Moves nodes towards their neighbours, keeping order and distances.
  void place() {
    center_.assign(heights_.size(), 0);
    for (const auto& layer : layers_) {
      std::vector<double> wanted(layer.size(), 0);
      place_layer(layer, wanted);
    }
    for (int sweep = 0; sweep < kPlaceSweeps; ++sweep) {
      const bool from_left = sweep % 2 == 0;
      for (std::size_t k = 0; k < layers_.size(); ++k) {
        const auto& layer = layers_[from_left ? k : layers_.size() - 1 - k];
        const auto& neighbours = from_left ? left_ : right_;
        std::vector<double> wanted;
        for (const std::uint32_t node : layer) {
          wanted.push_back(average(neighbours[node], center_, center_[node]));
        }
        place_layer(layer, wanted);
      }
    }
  }

  /// Puts the nodes of a layer as near to the wanted centers as their order allows (least squares):
  /// neighbours that would overlap form a block, which moves to the average of what its nodes want.
  void place_layer(const std::vector<std::uint32_t>& layer, const std::vector<double>& wanted) {
    struct Block {
      double sum;
      std::size_t count;
      [[nodiscard]] double value() const { return sum / static_cast<double>(count); }
    };
    std::vector<double> offsets(layer.size(), 0);  // of each center from that of the first node
    for (std::size_t i = 1; i < layer.size(); ++i) {
      offsets[i] = offsets[i - 1] + (heights_[layer[i - 1]] + heights_[layer[i]]) / 2 + kNodeGap;
    }
    std::vector<Block> blocks;
    for (std::size_t i = 0; i < layer.size(); ++i) {
      blocks.push_back({.sum = wanted[i] - offsets[i], .count = 1});
      while (blocks.size() > 1 && blocks[blocks.size() - 2].value() > blocks.back().value()) {
        const Block last = blocks.back();
        blocks.pop_back();
        blocks.back().sum += last.sum;
        blocks.back().count += last.count;
      }
    }
    std::size_t i = 0;
    for (const Block& block : blocks) {
      for (std::size_t k = 0; k < block.count; ++k, ++i) {
        center_[layer[i]] = block.value() + offsets[i];
      }
    }
  }

  LayerOutput collect() const {
    LayerOutput output;
    const std::size_t count = input_.heights.size();
    double lowest = 0;
    for (std::size_t i = 0; i < heights_.size(); ++i) {
      lowest = std::min(lowest, center_[i] - heights_[i] / 2);
    }
    output.layer.assign(layer_.begin(), layer_.begin() + static_cast<std::ptrdiff_t>(count));
    for (std::size_t i = 0; i < heights_.size(); ++i) {
      output.height = std::max(output.height, center_[i] + heights_[i] / 2 - lowest);
      if (i < count) output.top.push_back(center_[i] - heights_[i] / 2 - lowest);
    }
    output.bends.resize(input_.edges.size());
    for (std::size_t i = 0; i < chains_.size(); ++i) {
      for (const std::uint32_t bend : chains_[i]) {
        output.bends[i].push_back(center_[bend] - lowest);
      }
    }
    output.layer_count = static_cast<std::uint32_t>(layers_.size());
    return output;
  }

  const LayerInput& input_;
  std::vector<double> heights_;
  std::vector<std::uint32_t> layer_;
  std::vector<std::vector<std::uint32_t>> layers_;  // nodes of each layer, top to bottom
  std::vector<std::vector<std::uint32_t>> chains_;  // bends of each edge
  std::vector<std::pair<std::uint32_t, std::uint32_t>> links_;  // between neighbouring layers
  std::vector<std::vector<std::uint32_t>> left_, right_;
  std::vector<double> rank_;
  std::vector<double> center_;
  bool has_bends_ = true;
};

}  // namespace

LayerOutput lay_out(const LayerInput& input) { return Layout(input).run(); }

}  // namespace millrace::graph
