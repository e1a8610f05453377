#pragma once

#include <cstdint>
#include <vector>

#include "plan/artifact/artifact.h"
#include "plan/check/draft.h"
#include "plan/compiled_plan.h"

namespace millrace::plan {

/// Resolves the names of an artifact: ops, slots, inputs, fallbacks, outputs; reads params. Reports
/// duplicates, dangling names and cycles. A node of the artifact that has no usable op or id is
/// left without a task.
[[nodiscard]] Draft resolve(const Artifact& artifact, const CheckContext& context);

/// Gives the order in which nodes stand after everything they need (producers, awaited nodes,
/// fallbacks); nodes that do not depend on each other keep their order. Leaves out nodes on a cycle
/// and nodes that need one of those.
[[nodiscard]] std::vector<std::uint32_t> topological_order(const CompiledPlan& plan);

/// Moves the nodes into `order`, which has each index at most once; nodes whose index is missing
/// are removed, and no other node may need them.
void reorder(CompiledPlan& plan, const std::vector<std::uint32_t>& order);

}  // namespace millrace::plan
