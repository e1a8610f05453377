#include "graph/compile/compiled_graph.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/format.h"
#include "graph/compile/channel_checks.h"
#include "graph/compile/component_checks.h"
#include "graph/compile/component_registry.h"
#include "graph/compile/composite_loops.h"
#include "graph/compile/descriptor.h"
#include "graph/compile/domains.h"
#include "graph/compile/lane_fields.h"
#include "graph/compile/links.h"
#include "graph/compile/regions.h"
#include "graph/compile/triggers.h"
#include "graph/format/diagnostic.h"
#include "graph/format/graph_file.h"
#include "graph/format/reporter.h"
#include "graph/format/spec.h"
#include "graph/payload.h"

namespace millrace::graph {
namespace {

struct CompileParts {
  Links links;
  std::vector<TriggerPlan> triggers;
  Domains domains;
  Regions regions;
  std::vector<std::uint32_t> start_order;
};

/// Whether a component runs in every epoch and never finishes by itself.
bool is_free_running(const ComponentSpec& spec,
                     const ComponentDescriptor& type,
                     const TriggerPlan& trigger) {
  if (!trigger.is_manual() || type.is_host_driven) return false;
  const auto count = spec.config ? spec.config->find_member("count") : std::nullopt;
  const bool has_end =
      type.finishes == Finishes::kAlways ||
      (type.finishes == Finishes::kWithCount && count && count->find_int().value_or(1) > 0);
  return !has_end;
}

/// Reports components that run in every epoch of a domain that never waits.
void check_free_running(const CheckContext& context, const CompileParts& parts) {
  for (std::size_t i = 0; i < parts.links.components.size(); ++i) {
    const LinkedComponent& component = parts.links.components[i];
    const ComponentSpec& spec = context.spec.components[i];
    if (!spec.is_readable || component.type == nullptr || !component.lane) continue;
    const DomainPlan& domain = parts.domains.domains[parts.domains.lane_domain[*component.lane]];
    if (domain.pace != PaceType::kReady) continue;
    if (!is_free_running(spec, *component.type, parts.triggers[i])) continue;
    context.reporter.at_value(
        DiagnosticCode::kFreeRunningComponent,
        *spec.source,
        base::format("'{}' has no trigger: it runs in every epoch, and domain '{}' never waits",
                     spec.id,
                     domain.id));
  }
}

/// Fills `sorted` with edge indices grouped by the key of each edge, and where each group begins.
template <class KeyOf>
void group_edges(const CompiledGraph& graph,
                 const KeyOf& key_of,
                 std::vector<std::uint32_t>& sorted,
                 std::vector<std::uint32_t>& first) {
  first.assign(graph.components.size() + 1, 0);
  for (const CompiledEdge& edge : graph.edges) ++first[key_of(edge) + 1];
  for (std::size_t i = 1; i < first.size(); ++i) first[i] += first[i - 1];
  sorted.resize(graph.edges.size());
  std::vector<std::uint32_t> next(first.begin(), first.end() - 1);
  for (std::uint32_t i = 0; i < graph.edges.size(); ++i) sorted[next[key_of(graph.edges[i])]++] = i;
}

void add_components(CompiledGraph& graph, const GraphSpec& spec, CompileParts& parts) {
  graph.components.reserve(spec.components.size());
  for (std::size_t i = 0; i < spec.components.size(); ++i) {
    const ComponentSpec& component = spec.components[i];
    const std::uint32_t lane = *parts.links.components[i].lane;
    const ComponentDescriptor& type = *parts.links.components[i].type;
    graph.components.push_back(
        {.id = component.id,
         .type = component.type,
         .role = type.role,
         .lane = lane,
         .domain = parts.domains.lane_domain[lane],
         .region = parts.regions.of_component[i],
         .execution = component.execution,
         .trigger = std::move(parts.triggers[i]),
         .max_age = component.boundary.max_age,
         .config = component.config ? Payload::from_json(*component.config) : Payload(),
         .is_host_driven = type.is_host_driven});
    CompiledComponent& added = graph.components.back();
    added.is_free_running = is_free_running(component, type, added.trigger);
  }
}

void add_edges(CompiledGraph& graph, const GraphSpec& spec, const CompileParts& parts) {
  graph.edges.reserve(spec.edges.size());
  for (const LinkedEdge& linked : parts.links.edges) {
    const EdgeSpec& edge = spec.edges[linked.spec_index];
    graph.edges.push_back({.id = edge.id,
                           .kind = edge.kind,
                           .from = linked.from,
                           .to = linked.to,
                           .from_port = std::string(linked.from_port),
                           .to_port = std::string(linked.to_port),
                           .policy = edge.policy,
                           .crosses_domains = graph.components[linked.from].domain !=
                                              graph.components[linked.to].domain});
  }
  const auto producer = [](const CompiledEdge& edge) { return edge.from; };
  const auto consumer = [](const CompiledEdge& edge) { return edge.to; };
  group_edges(graph, producer, graph.edges_out, graph.first_out);
  group_edges(graph, consumer, graph.edges_in, graph.first_in);
}

void add_regions(CompiledGraph& graph, const GraphSpec& spec, CompileParts& parts) {
  graph.regions.reserve(parts.regions.order.size());
  for (const RegionPlan& plan : parts.regions.order) {
    const bool is_loop = plan.loop != kNoLoop;
    graph.regions.push_back(
        {.id = is_loop ? spec.loops[plan.loop].id : spec.components[plan.members.front()].id,
         .is_loop = is_loop,
         .priority = plan.priority,
         .domain = plan.domain,
         .stage = plan.stage,
         .first_member = static_cast<std::uint32_t>(graph.region_members.size()),
         .member_count = static_cast<std::uint32_t>(plan.members.size())});
    graph.region_members.insert(
        graph.region_members.end(), plan.members.begin(), plan.members.end());
  }
  graph.stages = std::move(parts.regions.stages);
}

/// The graph outlives the document that values of the file point into.
void forget_sources(CompiledGraph& graph) {
  for (LaneSpec& lane : graph.lanes) lane.source.reset();
  for (CompositeLoopSpec& loop : graph.loops) loop.source = loop.policy.source = std::nullopt;
  for (CompiledEdge& edge : graph.edges) edge.policy.source.reset();
  for (CompiledComponent& component : graph.components) {
    component.execution.source.reset();
    component.trigger.rule.source.reset();
  }
}

CompiledGraph assemble(const GraphSpec& spec, CompileParts parts) {
  CompiledGraph graph;
  graph.name = spec.name;
  graph.schema_version = spec.schema_version;
  if (spec.config) graph.config = Payload::from_json(*spec.config);
  graph.tasks = spec.tasks;
  graph.lanes = spec.lanes;
  graph.loops = spec.loops;
  add_components(graph, spec, parts);
  add_edges(graph, spec, parts);
  add_regions(graph, spec, parts);
  graph.domains = std::move(parts.domains.domains);
  graph.lane_domain = std::move(parts.domains.lane_domain);
  graph.start_order = std::move(parts.start_order);
  forget_sources(graph);
  return graph;
}

}  // namespace

CompileResult compile_graph(GraphFile file, const ComponentRegistry& registry) {
  CompileResult result;
  if (file.has_spec()) {
    const CheckContext context{
        .spec = file.spec(), .registry = registry, .reporter = file.reporter()};
    CompileParts parts;
    parts.links = link_graph(context);
    check_components(context, parts.links);
    parts.triggers = plan_triggers(context, parts.links);
    check_channels(context, parts.links);
    check_lanes(context, parts.links);
    parts.domains = plan_domains(context, parts.links);
    parts.regions = plan_regions(context, parts.links, parts.domains);
    parts.start_order = plan_start_order(context, parts.links);
    check_free_running(context, parts);
    if (file.report().error_count() == 0) result.graph = assemble(file.spec(), std::move(parts));
  }
  result.report = std::move(file.report());
  result.report.sort();
  return result;
}

CompileResult compile_text(std::string_view text,
                           TextFormat format,
                           const ComponentRegistry& registry,
                           const GraphLimits& limits) {
  return compile_graph(GraphFile(text, format, limits), registry);
}

std::span<const std::uint32_t> CompiledGraph::out(std::uint32_t component) const {
  return std::span(edges_out).subspan(first_out[component],
                                      first_out[component + 1] - first_out[component]);
}

std::span<const std::uint32_t> CompiledGraph::in(std::uint32_t component) const {
  return std::span(edges_in).subspan(first_in[component],
                                     first_in[component + 1] - first_in[component]);
}

std::optional<std::uint32_t> CompiledGraph::find_component(std::string_view id) const {
  const auto found = std::ranges::find(components, id, &CompiledComponent::id);
  if (found == components.end()) return std::nullopt;
  return static_cast<std::uint32_t>(found - components.begin());
}

std::string CompiledGraph::from_text(const CompiledEdge& edge) const {
  return components[edge.from].id + "." + edge.from_port;
}

std::string CompiledGraph::to_text(const CompiledEdge& edge) const {
  return components[edge.to].id + "." + edge.to_port;
}

}  // namespace millrace::graph
