#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "runtime/topology/node.h"
#include "runtime/topology/topology.h"

namespace millrace::runtime {

/// Collects nodes and checks them as a whole.
/// Threading: not shared.
class TopologyBuilder {
 public:
  /// Declares a node. Mistakes are reported by `build`, all at once.
  NodeId add(NodeSpec spec);
  /// Gives the node declared last a fallback: a body that supplies a value, or another node's id.
  void set_fallback_value(BodyFunction body, std::shared_ptr<const void> closure);
  void set_fallback_node(std::string id);
  /// Makes `consumer` wait for `producer`, by id; either may be declared later.
  void add_edge(std::string producer, std::string consumer);
  [[nodiscard]] std::size_t node_count() const { return specs_.size(); }
  /// Gives the finished DAG, or one error that names every problem. The builder is empty
  /// afterwards.
  [[nodiscard]] base::Result<std::shared_ptr<const Topology>> build();

 private:
  struct NamedEdge {
    std::string producer;
    std::string consumer;
  };
  std::vector<NodeSpec> specs_;
  std::vector<NamedEdge> extra_edges_;
};

}  // namespace millrace::runtime
