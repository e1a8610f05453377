#include "runtime/topology/topology.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/result.h"
#include "runtime/topology/node.h"
#include "runtime/topology/topology_compiler.h"

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

NodeId TopologyBuilder::add(NodeSpec spec) {
  specs_.push_back(std::move(spec));
  return NodeId(static_cast<std::uint32_t>(specs_.size() - 1));
}

void TopologyBuilder::set_fallback_value(BodyFunction body, std::shared_ptr<const void> closure) {
  MR_CHECK(!specs_.empty());
  specs_.back().fallback = FallbackKind::kValue;
  specs_.back().fallback_body = body;
  specs_.back().fallback_closure = std::move(closure);
}

void TopologyBuilder::set_fallback_node(std::string id) {
  MR_CHECK(!specs_.empty());
  specs_.back().fallback = FallbackKind::kNode;
  specs_.back().fallback_node = std::move(id);
}

void TopologyBuilder::add_edge(std::string producer, std::string consumer) {
  extra_edges_.push_back({std::move(producer), std::move(consumer)});
}

base::Result<std::shared_ptr<const Topology>> TopologyBuilder::build() {
  TopologyCompiler compiler(std::exchange(specs_, {}));
  for (const NamedEdge& edge : std::exchange(extra_edges_, {})) {
    compiler.add_edge(edge.producer, edge.consumer);
  }
  return compiler.finish();
}

}  // namespace millrace::runtime
