#include "graph/compile/digraph.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace millrace::graph {
namespace {

constexpr std::uint32_t kUnvisited = UINT32_MAX;

class StrongComponentFinder {
 public:
  explicit StrongComponentFinder(const Digraph& graph)
      : graph_(graph),
        number_(graph.vertex_count(), kUnvisited),
        lowest_(graph.vertex_count(), 0),
        is_open_(graph.vertex_count(), false) {
    result_.of.assign(graph.vertex_count(), kUnvisited);
  }

  StrongComponents run() {
    for (std::uint32_t root = 0; root < graph_.vertex_count(); ++root) {
      if (number_[root] == kUnvisited) visit_from(root);
    }
    return std::move(result_);
  }

 private:
  struct Frame {
    std::uint32_t vertex;
    std::size_t next;  // target to look at
  };

  void visit_from(std::uint32_t root) {
    enter(root);
    while (!frames_.empty()) {
      Frame& frame = frames_.back();
      const std::uint32_t vertex = frame.vertex;
      const auto targets = graph_.targets(vertex);
      if (frame.next == targets.size()) {
        frames_.pop_back();
        if (lowest_[vertex] == number_[vertex]) close(vertex);
        if (!frames_.empty()) lower(frames_.back().vertex, lowest_[vertex]);
        continue;
      }
      const std::uint32_t target = targets[frame.next++];
      if (number_[target] == kUnvisited) {
        enter(target);
      } else if (is_open_[target]) {
        lower(vertex, number_[target]);
      }
    }
  }

  void enter(std::uint32_t vertex) {
    number_[vertex] = lowest_[vertex] = visited_count_++;
    is_open_[vertex] = true;
    open_.push_back(vertex);
    frames_.push_back({.vertex = vertex, .next = 0});
  }

  void lower(std::uint32_t vertex, std::uint32_t number) {
    lowest_[vertex] = std::min(lowest_[vertex], number);
  }

  void close(std::uint32_t root) {
    std::uint32_t size = 0;
    for (std::uint32_t vertex = kUnvisited; vertex != root; ++size) {
      vertex = open_.back();
      open_.pop_back();
      is_open_[vertex] = false;
      result_.of[vertex] = result_.count;
    }
    result_.sizes.push_back(size);
    ++result_.count;
  }

  const Digraph& graph_;
  StrongComponents result_;
  std::vector<std::uint32_t> number_;  // order of the first visit
  std::vector<std::uint32_t> lowest_;  // lowest number known to be reachable
  std::vector<bool> is_open_;          // on `open_`: visited, component not known yet
  std::vector<std::uint32_t> open_;
  std::vector<Frame> frames_;
  std::uint32_t visited_count_ = 0;
};

}  // namespace

bool Digraph::has_edge(std::uint32_t from, std::uint32_t to) const {
  return std::ranges::find(targets_[from], to) != targets_[from].end();
}

StrongComponents find_strong_components(const Digraph& graph) {
  return StrongComponentFinder(graph).run();
}

}  // namespace millrace::graph
