#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "plan/passes/node_links.h"
#include "plan/passes/passes.h"

namespace millrace::plan {

void remove_dead_nodes(CompiledPlan& plan) {
  std::vector<std::uint32_t> roots = plan.outputs;
  if (plan.viewer_node != kNoPlanNode) roots.push_back(plan.viewer_node);
  std::vector<bool> removed = reachable_from(plan, std::move(roots));
  removed.flip();
  std::string names;
  for (std::uint32_t i = 0; i < plan.nodes.size(); ++i) {
    if (removed[i]) names += (names.empty() ? "" : ", ") + plan.nodes[i].id;
  }
  if (names.empty()) return;
  plan.passes.push_back({.pass = "dead_nodes", .text = "removed " + names});
  remove_nodes(plan, removed);
}

}  // namespace millrace::plan
