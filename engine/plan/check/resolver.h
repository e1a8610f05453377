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

/// Gives the nodes with producers, awaited nodes and fallbacks before those that need them, else in
/// the order they stand; nodes on a cycle and behind one are left out.
[[nodiscard]] std::vector<std::uint32_t> topological_order(const CompiledPlan& plan);

/// Moves the nodes into `order`, which names each once or leaves it out; nothing that stays may
/// need what is left out.
void reorder(CompiledPlan& plan, const std::vector<std::uint32_t>& order);

}  // namespace millrace::plan
