#include "plan/compiled_plan.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"

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

}  // namespace millrace::plan
