#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "plan/passes/node_links.h"
#include "plan/passes/passes.h"

namespace millrace::plan {

namespace {

std::vector<std::uint32_t> roots_of(const CompiledPlan& plan) {
  std::vector<std::uint32_t> roots = plan.outputs;
  if (plan.viewer_node != kNoPlanNode) roots.push_back(plan.viewer_node);
  return roots;
}

/// Marks the nodes that no output needs, so that they can neither fail a request nor be told of in
/// its answer. Gives the others.
std::vector<bool> mark_dead_nodes(CompiledPlan& plan) {
  std::vector<bool> needed = reachable_from(plan, roots_of(plan));
  for (std::uint32_t node = 0; node < plan.nodes.size(); ++node) {
    CompiledNode& compiled = plan.nodes[node];
    compiled.is_unused = !needed[node];
    if (!needed[node] && compiled.on_failure == OnFailure::kFail)
      compiled.on_failure = OnFailure::kUseEmpty;
  }
  return needed;
}

}  // namespace

void excuse_dead_nodes(CompiledPlan& plan) { (void)mark_dead_nodes(plan); }

void remove_dead_nodes(CompiledPlan& plan) {
  std::vector<bool> removed = reachable_from(plan, roots_of(plan));
  removed.flip();
  std::string names;
  for (std::uint32_t i = 0; i < plan.nodes.size(); ++i) {
    if (removed[i]) names += (names.empty() ? "" : ", ") + plan.nodes[i].id;
  }
  if (names.empty()) return;
  plan.passes.push_back({.pass = "dead_nodes", .text = "removed " + names});
  remove_nodes(plan, removed);
}

void mark_unused_nodes(CompiledPlan& plan) {
  std::vector<std::uint32_t> roots = roots_of(plan);
  const std::vector<bool> needed = mark_dead_nodes(plan);
  for (std::uint32_t node = 0; node < plan.nodes.size(); ++node) {
    const CompiledNode& compiled = plan.nodes[node];
    if (needed[node]) continue;
    if (compiled.task->rows == OutputRows::kSource || makes_entities(*compiled.task))
      roots.push_back(node);
  }
  std::vector<bool> removed = reachable_from(plan, std::move(roots));
  removed.flip();
  remove_nodes(plan, removed);
}

}  // namespace millrace::plan
