#include "runtime/topology/topology.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "runtime/topology/node.h"

namespace millrace::runtime {

std::uint32_t Topology::single_continuation(std::uint32_t node) const {
  const HotNode& hot = nodes_[node];
  return hot.edge_end - hot.edge_begin == 1 ? edges_[hot.edge_begin].target : kNoNode;
}

bool Topology::has_edge(std::uint32_t producer, std::uint32_t consumer) const {
  for (const Edge& edge : dependents(producer)) {
    if (edge.target == consumer) return true;
  }
  return false;
}

std::uint32_t Topology::find_node(std::string_view id) const {
  for (std::uint32_t node = 0; node < node_count(); ++node) {
    if (specs_[node].id == id) return node;
  }
  return kNoNode;
}

std::span<const std::uint32_t> Topology::stands_in_for(std::uint32_t node) const {
  return stands_in_for_[node];
}

std::vector<std::uint32_t> Topology::lazy_closure(std::uint32_t node) const {
  std::vector<std::uint32_t> closure{node};
  std::vector<std::uint8_t> seen(node_count());
  seen[node] = 1;
  for (std::size_t next = 0; next < closure.size(); ++next) {
    for (const std::uint32_t producer : producers_[closure[next]]) {
      if (!is_lazy(producer) || seen[producer] != 0) continue;
      seen[producer] = 1;
      closure.push_back(producer);
    }
  }
  return closure;
}

}  // namespace millrace::runtime
