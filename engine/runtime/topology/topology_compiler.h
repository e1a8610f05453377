#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "runtime/topology/topology.h"

namespace millrace::runtime {

/// Turns declared nodes into a `Topology`, collecting every problem on the way.
/// Threading: not shared.
class TopologyCompiler {
 public:
  explicit TopologyCompiler(std::vector<NodeSpec> specs);
  void add_edge(std::string_view producer, std::string_view consumer);
  [[nodiscard]] base::Result<std::shared_ptr<const Topology>> finish();

 private:
  void index_ids();
  void check_node(std::uint32_t node);
  void check_cost(const NodeSpec& spec);
  void check_fallback(const NodeSpec& spec);
  void link_declared_edges();
  void resolve_fallbacks();
  void check_cycles();
  [[nodiscard]] std::string describe_cycle(const std::vector<std::uint32_t>& open_producers) const;
  void mark_lazy_nodes();
  /// Whether something special follows from the node, see `HotNode::kRoutesApart`.
  [[nodiscard]] bool routes_apart(std::uint32_t node) const;
  void lay_out();
  void report(std::string_view id, std::string problem);

  std::unique_ptr<Topology> topology_;
  std::unordered_map<std::string_view, std::uint32_t> index_by_id_;
  std::vector<std::vector<std::uint32_t>> consumers_;
  std::vector<std::string> problems_;
};

}  // namespace millrace::runtime
