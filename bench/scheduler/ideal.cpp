#include "scheduler/ideal.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <queue>
#include <utility>
#include <vector>

#include "scheduler/shape.h"

namespace millrace::bench {
namespace {

// path_cost[node] = cost of the costliest path that starts with the node.
std::vector<std::uint64_t> path_costs(const Shape& shape) {
  std::vector<NodeIndex> order = topological_order(shape);
  std::vector<std::uint64_t> path_cost(shape.node_count(), 0);
  for (auto node = order.rbegin(); node != order.rend(); ++node) {
    std::uint64_t below = 0;
    for (const NodeIndex dependent : shape.dependents[*node]) {
      below = std::max(below, path_cost[dependent]);
    }
    path_cost[*node] = below + shape.cost[*node];
  }
  return path_cost;
}

}  // namespace

std::uint64_t total_cost(const Shape& shape) {
  return std::accumulate(shape.cost.begin(), shape.cost.end(), std::uint64_t{0});
}

std::uint64_t critical_path(const Shape& shape) {
  const std::vector<std::uint64_t> path_cost = path_costs(shape);
  return *std::ranges::max_element(path_cost);
}

std::uint64_t ideal_makespan(const Shape& shape, unsigned workers) {
  return std::max(critical_path(shape), (total_cost(shape) + workers - 1) / workers);
}

std::uint64_t list_schedule_makespan(const Shape& shape, unsigned workers) {
  const std::vector<std::uint64_t> path_cost = path_costs(shape);
  std::vector<std::size_t> waiting(shape.node_count());
  std::priority_queue<std::pair<std::uint64_t, NodeIndex>> ready;
  for (NodeIndex node = 0; node < shape.node_count(); ++node) {
    waiting[node] = shape.producers[node].size();
    if (waiting[node] == 0) ready.emplace(path_cost[node], node);
  }
  using Finish = std::pair<std::uint64_t, NodeIndex>;
  std::priority_queue<Finish, std::vector<Finish>, std::greater<>> running;
  std::uint64_t now = 0;
  while (!ready.empty() || !running.empty()) {
    while (!ready.empty() && running.size() < workers) {
      const NodeIndex node = ready.top().second;
      ready.pop();
      running.emplace(now + shape.cost[node], node);
    }
    // All nodes that end at the same time end before any worker chooses again.
    now = running.top().first;
    while (!running.empty() && running.top().first == now) {
      const NodeIndex finished = running.top().second;
      running.pop();
      for (const NodeIndex dependent : shape.dependents[finished]) {
        if (--waiting[dependent] == 0) ready.emplace(path_cost[dependent], dependent);
      }
    }
  }
  return now;
}

}  // namespace millrace::bench
