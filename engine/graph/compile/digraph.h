#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace millrace::graph {

/// A directed graph of numbered vertices.
class Digraph {
 public:
  explicit Digraph(std::size_t vertex_count) : targets_(vertex_count) {}
  void add_edge(std::uint32_t from, std::uint32_t to) { targets_[from].push_back(to); }
  [[nodiscard]] std::size_t vertex_count() const { return targets_.size(); }
  [[nodiscard]] std::span<const std::uint32_t> targets(std::uint32_t vertex) const {
    return targets_[vertex];
  }
  [[nodiscard]] bool has_edge(std::uint32_t from, std::uint32_t to) const;

 private:
  std::vector<std::vector<std::uint32_t>> targets_;
};

/// The strongly connected components of a digraph.
struct StrongComponents {
  std::vector<std::uint32_t> of;  ///< component of each vertex
  std::uint32_t count = 0;
  std::vector<std::uint32_t> sizes;
};

/// Tarjan's algorithm (1972) with a stack of its own, so that long chains do not recurse. Takes
/// time linear in vertices and edges.
[[nodiscard]] StrongComponents find_strong_components(const Digraph& graph);

}  // namespace millrace::graph
