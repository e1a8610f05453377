#include "plan/compiled_plan.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <variant>

#include "base/check.h"
#include "plan/param_value.h"
#include "plan/registry/registry.h"

namespace millrace::plan {

const ParamValue& CompiledNode::param(std::string_view name) const {
  const auto found = std::ranges::find(task->params, name, &ParamSpec::name);
  MR_CHECK(found != task->params.end(), id, name);
  return params[static_cast<std::size_t>(found - task->params.begin())];
}

std::uint32_t CompiledPlan::find_node(std::string_view id) const {
  const auto found = std::ranges::find(nodes, id, &CompiledNode::id);
  return found == nodes.end() ? kNoPlanNode : static_cast<std::uint32_t>(found - nodes.begin());
}

bool reads_graph(const CompiledPlan& plan, const Registry& registry) {
  const auto is_graph = [&registry](const ParamValue& value) {
    const auto* const endpoint = std::get_if<EndpointId>(&value);
    return endpoint != nullptr && registry.endpoint(*endpoint).kind == EndpointKind::kGraph;
  };
  return std::ranges::any_of(plan.nodes, [&](const CompiledNode& node) {
    return std::ranges::any_of(node.params, is_graph);
  });
}

}  // namespace millrace::plan
