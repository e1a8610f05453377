#include "runtime/topology/topology_builder.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "base/check.h"
#include "base/result.h"
#include "runtime/topology/node.h"
#include "runtime/topology/topology_compiler.h"

namespace millrace::runtime {

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
