#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/format.h"
#include "base/result.h"
#include "expr/compiled_expr.h"
#include "expr/syntax/function_table.h"
#include "expr/syntax/tree.h"
#include "plan/check/expr_scope.h"
#include "plan/membership.h"
#include "plan/passes/node_links.h"
#include "plan/passes/passes.h"

namespace millrace::plan {

namespace {

/// Says whether evaluating may give a row error; true when that cannot be ruled out.
bool can_have_row_error(const expr::Tree& tree) {
  using enum expr::Op;
  using expr::Function;
  static constexpr Function kSafe[] = {Function::kCoalesce,
                                       Function::kMin,
                                       Function::kMax,
                                       Function::kIf,
                                       Function::kLength,
                                       Function::kLower,
                                       Function::kContains,
                                       Function::kStartsWith};
  return std::ranges::any_of(tree.nodes(), [](const expr::Node& node) {
    switch (node.op) {
      case kAdd:
      case kSubtract:
      case kMultiply:
      case kModulo:
      case kNegate:
        return node.type == expr::Type::kInt;
      case kCall:
        return !contains(kSafe, node.function);
      default:
        return false;
    }
  });
}

const expr::CompiledExprRef* find_predicate(const CompiledNode& node) {
  if (node.task->op != "filter" || node.params.size() != 1 || node.inputs.size() != 1) {
    return nullptr;
  }
  return std::get_if<expr::CompiledExprRef>(&node.params.front());
}

bool may_merge(const CompiledNode& first, const CompiledNode& second, const NodeUses& uses) {
  const expr::CompiledExprRef* predicate = find_predicate(second);
  return predicate != nullptr && find_predicate(first) != nullptr && uses.is_private() &&
         !has_own_settings(first) && !has_own_settings(second) &&
         first.on_row_error == second.on_row_error && !can_have_row_error((*predicate)->tree());
}

/// Compiles `(first) and (second)`; names from outside the rows keep the indices they have in the
/// plan.
std::optional<expr::CompiledExprRef> conjunction(CompiledPlan& plan,
                                                 const CompiledNode& first,
                                                 const CompiledNode& second,
                                                 const PassContext& context) {
  const std::string text = base::format(
      "({}) and ({})", (*find_predicate(first))->text(), (*find_predicate(second))->text());
  ExternalNames externals{.params = plan.params,
                          .request_fields = plan.request_fields,
                          .viewer_fields = plan.viewer_fields};
  const PlanScope scope(context.analysis.registry(), nullptr, externals);
  base::Result<expr::CompiledExprRef> compiled = expr::compile_predicate(text, scope);
  if (!compiled) return std::nullopt;  // over a limit that each half keeps
  return *std::move(compiled);
}

}  // namespace

void merge_filters(CompiledPlan& plan, const PassContext& context) {
  const std::vector<NodeUses> uses = uses_of(plan);
  std::vector<bool> removed(plan.nodes.size());
  for (std::uint32_t i = 0; i < plan.nodes.size(); ++i) {
    CompiledNode& second = plan.nodes[i];
    const auto* from =
        second.inputs.empty() ? nullptr : std::get_if<NodeInput>(&second.inputs.front());
    if (from == nullptr) continue;
    const std::uint32_t first_index = from->node;
    CompiledNode& first = plan.nodes[first_index];
    if (!may_merge(first, second, uses[first_index])) continue;
    std::optional<expr::CompiledExprRef> both = conjunction(plan, first, second, context);
    if (!both) continue;
    second.params.front() = *std::move(both);
    second.inputs = first.inputs;
    for (const std::uint32_t other : first.waits_for) {
      if (!contains(second.waits_for, other)) second.waits_for.push_back(other);
    }
    second.source_ids.insert(
        second.source_ids.begin(), first.source_ids.begin(), first.source_ids.end());
    first.inputs.clear();
    first.waits_for.clear();
    removed[first_index] = true;
    plan.passes.push_back(
        {.pass = "filters", .text = base::format("{} and {} are one filter", first.id, second.id)});
  }
  remove_nodes(plan, removed);
}

}  // namespace millrace::plan
