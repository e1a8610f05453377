#include "plan/passes/node_links.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "expr/compiled_expr.h"
#include "plan/check/resolver.h"

namespace millrace::plan {

std::vector<NodeUses> uses_of(const CompiledPlan& plan) {
  std::vector<NodeUses> uses(plan.nodes.size());
  for (std::uint32_t i = 0; i < plan.nodes.size(); ++i) {
    const CompiledNode& node = plan.nodes[i];
    for (const PlanInput& input : node.inputs) {
      if (const auto* from = std::get_if<NodeInput>(&input))
        uses[from->node].consumers.push_back(i);
    }
    for (const std::uint32_t other : node.waits_for) uses[other].is_awaited = true;
    if (node.fallback_node != kNoPlanNode) uses[node.fallback_node].is_fallback = true;
  }
  for (const std::uint32_t output : plan.outputs) uses[output].is_output = true;
  if (plan.viewer_node != kNoPlanNode) uses[plan.viewer_node].is_awaited = true;
  return uses;
}

namespace {

std::vector<bool> reach(const CompiledPlan& plan,
                        std::vector<std::uint32_t> open,
                        bool with_fallbacks) {
  std::vector<bool> found(plan.nodes.size());
  while (!open.empty()) {
    const std::uint32_t index = open.back();
    open.pop_back();
    if (found[index]) continue;
    found[index] = true;
    const CompiledNode& node = plan.nodes[index];
    for (const PlanInput& input : node.inputs) {
      if (const auto* from = std::get_if<NodeInput>(&input)) open.push_back(from->node);
    }
    open.insert(open.end(), node.waits_for.begin(), node.waits_for.end());
    if (with_fallbacks && node.fallback_node != kNoPlanNode) open.push_back(node.fallback_node);
  }
  return found;
}

}  // namespace

std::vector<bool> reachable_from(const CompiledPlan& plan, std::vector<std::uint32_t> roots) {
  return reach(plan, std::move(roots), true);
}

std::vector<bool> eager_nodes(const CompiledPlan& plan) { return reach(plan, plan.outputs, false); }

bool has_own_settings(const CompiledNode& node) {
  return node.inline_hint || node.cost_estimate.count() != 0 || node.timeout || node.priority ||
         node.on_failure != OnFailure::kFail || !node.trace;
}

void remove_nodes(CompiledPlan& plan, const std::vector<bool>& removed) {
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < plan.nodes.size(); ++i) {
    if (!removed[i]) order.push_back(i);
  }
  reorder(plan, order);
}

bool same_param(const ParamValue& left, const ParamValue& right) {
  if (left.index() != right.index()) return false;
  return std::visit(
      [&right]<class T>(const T& value) {
        const T& other = std::get<T>(right);
        if constexpr (std::is_same_v<T, EndpointId> || std::is_same_v<T, InputIndex>) {
          return value.index == other.index;
        } else if constexpr (std::is_same_v<T, expr::CompiledExprRef>) {
          return value->type() == other->type() &&
                 value->canonical_text() == other->canonical_text();
        } else if constexpr (std::is_same_v<T, std::vector<OrderKey>>) {
          return std::ranges::equal(value, other, [](const OrderKey& a, const OrderKey& b) {
            return a.key == b.key && a.descending == b.descending;
          });
        } else {
          return value == other;
        }
      },
      left);
}

}  // namespace millrace::plan
