#pragma once

#include <cstdint>
#include <vector>

#include "plan/compiled_plan.h"

namespace millrace::plan {

/// How other nodes and the plan use one node.
struct NodeUses {
  std::vector<std::uint32_t> consumers;  ///< one entry per input edge
  bool is_output = false;
  bool is_fallback = false;
  bool is_awaited = false;  ///< a node waits for it without reading its rows

  /// Says whether the node is used exactly once, as an input of another node.
  [[nodiscard]] bool is_private() const {
    return consumers.size() == 1 && !is_output && !is_fallback && !is_awaited;
  }
};

[[nodiscard]] std::vector<NodeUses> uses_of(const CompiledPlan& plan);

/// Marks the nodes that `roots` need: inputs, awaited nodes, fallbacks, and what those need.
[[nodiscard]] std::vector<bool> reachable_from(const CompiledPlan& plan,
                                               std::vector<std::uint32_t> roots);

/// Marks the nodes that run in every request; the others start only when a fallback is taken.
[[nodiscard]] std::vector<bool> eager_nodes(const CompiledPlan& plan);

/// Says whether the artifact gives the node a timeout, fallback or scheduling of its own; passes do
/// not change such a node.
[[nodiscard]] bool has_own_settings(const CompiledNode& node);

/// Removes nodes; no remaining node may need one of them.
void remove_nodes(CompiledPlan& plan, const std::vector<bool>& removed);

/// Says whether two checked params have the same value.
[[nodiscard]] bool same_param(const ParamValue& left, const ParamValue& right);

}  // namespace millrace::plan
