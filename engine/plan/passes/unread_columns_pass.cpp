#include <cstdint>
#include <variant>
#include <vector>

#include "base/format.h"
#include "plan/passes/node_links.h"
#include "plan/passes/passes.h"

namespace millrace::plan {

namespace {

/// Says whether the only effect of a node is to add columns to the rows of its first input.
bool only_adds_columns(const CompiledNode& node, const NodeColumns& columns) {
  const bool adds = !columns.written.empty() || node.task->writes_on_demand;
  return adds && node.task->rows == OutputRows::kSame &&
         node.task->columns == OutputColumns::kFirstInput && node.inputs.size() == 1 &&
         std::holds_alternative<NodeInput>(node.inputs.front()) &&
         node.on_row_error == RowErrorRule::kNull && !has_own_settings(node) &&
         (!node.task->can_fail || node.task->writes_on_demand);
}

}  // namespace

void remove_unread_columns(CompiledPlan& plan, const PassContext& context) {
  const std::vector<NodeColumns> columns = context.analysis.columns_of(plan);
  const std::vector<NodeUses> uses = uses_of(plan);
  std::vector<bool> removed(plan.nodes.size());
  // The walk goes from outputs to sources and ignores what removed nodes would have read, so one
  // walk also finds the nodes that only removed nodes needed.
  (void)context.analysis.needs_of(plan, columns, [&](std::uint32_t i, const NodeNeeds& needs) {
    const bool is_free = !uses[i].is_output && !uses[i].is_fallback && !uses[i].is_awaited;
    const bool is_read = !(needs.needed & columns[i].written).empty() || !needs.fetched.empty();
    removed[i] = is_free && !is_read && only_adds_columns(plan.nodes[i], columns[i]);
    return removed[i];
  });
  std::vector<std::uint32_t> stand_in(plan.nodes.size());
  for (std::uint32_t i = 0; i < plan.nodes.size(); ++i) {
    for (PlanInput& input : plan.nodes[i].inputs) {
      if (auto* from = std::get_if<NodeInput>(&input)) from->node = stand_in[from->node];
    }
    stand_in[i] = removed[i] ? std::get<NodeInput>(plan.nodes[i].inputs.front()).node : i;
    if (!removed[i]) continue;
    plan.passes.push_back(
        {.pass = "columns",
         .text = base::format("removed {}: nobody reads what it adds", plan.nodes[i].id)});
  }
  remove_nodes(plan, removed);
}

}  // namespace millrace::plan
