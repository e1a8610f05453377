#include <algorithm>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "plan/passes/node_links.h"
#include "plan/passes/passes.h"
#include "plan/registry/registry.h"

namespace millrace::plan {

namespace {

bool is_cpu(const CompiledNode& node) { return node.task->kind != TaskKind::kAsync; }

/// Whether the node may run right after the one before it. With `inline: false` it is queued.
bool may_follow(const CompiledNode& node) { return node.inline_hint.value_or(true); }

/// Whether the node asks a store for all of its rows at once. A web server is asked for each row.
bool fetches_in_batches(const CompiledNode& node, const Registry& registry) {
  return std::ranges::any_of(node.params, [&](const ParamValue& value) {
    const auto* const endpoint = std::get_if<EndpointId>(&value);
    return endpoint != nullptr && registry.endpoint(*endpoint).kind != EndpointKind::kHttp;
  });
}

/// Finds the CPU node that needs `node` and nothing else; kNoPlanNode if there is none.
std::uint32_t next_in_strand(const CompiledPlan& plan, const NodeUses& uses) {
  if (uses.consumers.size() != 1 || uses.is_awaited) return kNoPlanNode;
  const CompiledNode& next = plan.nodes[uses.consumers.front()];
  const bool waits_for_more = next.inputs.size() != 1 || !next.waits_for.empty();
  return is_cpu(next) && may_follow(next) && !waits_for_more ? uses.consumers.front() : kNoPlanNode;
}

}  // namespace

void note_strands(CompiledPlan& plan, const PassContext& context) {
  const std::vector<NodeUses> uses = uses_of(plan);
  std::vector<bool> seen(plan.nodes.size());
  for (std::uint32_t i = 0; i < plan.nodes.size(); ++i) {
    if (seen[i] || !is_cpu(plan.nodes[i])) continue;
    std::string chain = plan.nodes[i].id;
    std::uint32_t length = 1;
    for (std::uint32_t next = next_in_strand(plan, uses[i]); next != kNoPlanNode;
         next = next_in_strand(plan, uses[next])) {
      chain += " > " + plan.nodes[next].id;
      seen[next] = true;
      ++length;
    }
    if (length > 1)
      plan.passes.push_back({.pass = "strands", .text = "at most one offload: " + chain});
  }
  for (const CompiledNode& node : plan.nodes) {
    if (!fetches_in_batches(node, context.analysis.registry()) || node.inputs.empty()) continue;
    plan.passes.push_back({.pass = "batches", .text = "one batch for all rows of " + node.id});
  }
}

}  // namespace millrace::plan
