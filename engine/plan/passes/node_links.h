#pragma once

#include <cstdint>
#include <vector>

#include "plan/compiled_plan.h"

namespace millrace::plan {

/// Who uses a node, and how.
struct NodeUses {
  std::vector<std::uint32_t> consumers;  ///< one entry per input edge
  bool is_output = false;
  bool is_fallback = false;
  bool is_awaited = false;  ///< somebody waits for it without taking its rows

  /// The only thing that uses the node is one input of one other.
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

/// Whether the artifact gives the node a timeout, fallback or scheduling of its own; passes leave
/// such a node alone.
[[nodiscard]] bool has_own_settings(const CompiledNode& node);

/// Removes nodes; nothing that stays may need one of them.
void remove_nodes(CompiledPlan& plan, const std::vector<bool>& removed);

/// Whether two checked params mean the same.
[[nodiscard]] bool same_param(const ParamValue& left, const ParamValue& right);

}  // namespace millrace::plan
