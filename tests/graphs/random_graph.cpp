#include "random_graph.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "base/format.h"

namespace millrace::graph_reference {
namespace {

std::string joined(const Fields& fields) {
  std::string text;
  for (const std::string& field : fields) text += (text.empty() ? "" : ", ") + field;
  return text;
}

/// The id that a component has once the file is written out.
std::string full_id(const GraphModel& model, const std::string& id) {
  const auto found = std::ranges::find(model.components, id, &ComponentModel::id);
  const bool has_prefix = found != model.components.end() && found->home == Home::kSubgraph;
  return has_prefix ? "sub." + id : id;
}

std::string component_text(const ComponentModel& component) {
  // The first letter of an id in the template is a parameter.
  const std::string id = component.home == Home::kTemplate
                             ? "\"{{letter}}" + component.id.substr(1) + "\""
                             : component.id;
  std::string text = base::format("{{id: {}, type: {}", id, component.type);
  if (!component.sources.empty()) {
    text += base::format(", event_sources: [{{{}}}]", joined(component.sources));
  }
  if (!component.trigger.empty()) {
    text += base::format(", trigger_policy: {{{}}}", joined(component.trigger));
  }
  if (!component.config.empty()) text += base::format(", config: {{{}}}", joined(component.config));
  Fields execution = component.execution;
  execution.insert(execution.begin(), "lane: " + component.lane);
  return text + base::format(", execution: {{{}}}}}", joined(execution));
}

std::string edge_text(const GraphModel& model, const EdgeModel& edge) {
  std::string text = base::format("{{id: {}, kind: {}, from: {}.out, to: {}.{}",
                                  edge.id,
                                  edge.kind,
                                  full_id(model, edge.from),
                                  full_id(model, edge.to),
                                  edge.port);
  if (!edge.policy.empty()) text += base::format(", policy: {{{}}}", joined(edge.policy));
  return text + "}";
}

std::string components_of(const GraphModel& model, Home home, const std::string& indent) {
  std::string text;
  for (const ComponentModel& component : model.components) {
    if (component.home == home) text += indent + "- " + component_text(component) + "\n";
  }
  return text;
}

std::string loops_text(const GraphModel& model) {
  if (model.loops.empty()) return {};
  std::string text = "composite_loops:\n";
  for (const LoopModel& loop : model.loops) {
    Fields members;
    for (const std::string& member : loop.members) members.push_back(full_id(model, member));
    text += base::format("  - {{id: {}, components: [{}], loop_policy: {{{}}}}}\n",
                         loop.id,
                         joined(members),
                         joined(loop.policy));
  }
  return text;
}

}  // namespace

std::string GraphModel::yaml() const {
  std::string text = "schema_version: 1\ngraph: {name: random, kind: internal_test}\nlanes:\n";
  for (const LaneModel& lane : lanes) {
    text += base::format("  {}: {{{}}}\n", lane.id, joined(lane.fields));
  }
  const std::string root = components_of(*this, Home::kRoot, "  ");
  text += root.empty() ? "components: []\n" : "components:\n" + root;
  text += edges.empty() ? "edges: []\n" : "edges:\n";
  for (const EdgeModel& edge : edges) text += "  - " + edge_text(*this, edge) + "\n";
  text += loops_text(*this);
  const std::string in_subgraph = components_of(*this, Home::kSubgraph, "      ");
  if (!in_subgraph.empty()) {
    text += "subgraphs:\n  - id: sub\n    components:\n" + in_subgraph + "    edges: []\n";
  }
  const std::string in_template = components_of(*this, Home::kTemplate, "      ");
  if (!in_template.empty()) {
    text += "templates:\n  - id: shape\n    components:\n" + in_template + "    edges: []\n";
    text += "template_instances:\n  - {id: inst, template: shape, parameters: {letter: c}}\n";
  }
  return text;
}

std::string options_text(const RunOptions& options) {
  std::string text = "--virtual-time";
  if (options.steps) text += base::format(" --steps {}", *options.steps);
  if (options.duration) {
    text += base::format(
        " --duration-ms {}",
        std::chrono::duration_cast<std::chrono::milliseconds>(*options.duration).count());
  }
  if (options.until_idle) text += " --until-idle";
  for (const Injection& injection : options.injections) {
    text +=
        base::format("\n# at {}us into {}: {}",
                     std::chrono::duration_cast<std::chrono::microseconds>(injection.at).count(),
                     injection.component,
                     injection.value);
  }
  return text;
}

}  // namespace millrace::graph_reference
