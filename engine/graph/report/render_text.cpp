#include "graph/report/render_text.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/format.h"
#include "graph/compile/compiled_graph.h"
#include "graph/format/words.h"
#include "graph/report/plan_report.h"

namespace millrace::graph {
namespace {

std::string_view text_arrow(EdgeKind kind) {
  switch (kind) {
    case EdgeKind::kImmediate:
      return "-->";
    case EdgeKind::kDelay:
      return "~~>";
    case EdgeKind::kState:
      return "==>";
    case EdgeKind::kAsync:
      return "..>";
  }
  return "-->";
}

std::string_view mermaid_arrow(EdgeKind kind) {
  switch (kind) {
    case EdgeKind::kImmediate:
      return "-->";
    case EdgeKind::kState:
      return "==>";
    case EdgeKind::kDelay:
    case EdgeKind::kAsync:
      return "-.->";
  }
  return "-->";
}

std::string_view role_mark(BoundaryRole role) {
  switch (role) {
    case BoundaryRole::kInput:
      return ">> ";
    case BoundaryRole::kOutput:
      return "<< ";
    case BoundaryRole::kNone:
      return "";
  }
  return "";
}

void append_component(std::string& text,
                      const CompiledGraph& graph,
                      std::uint32_t index,
                      int indent) {
  const CompiledComponent& component = graph.components[index];
  const std::string margin(static_cast<std::size_t>(indent), ' ');
  text += base::format("{}{}[{}]  {}, lane {}\n",
                       margin,
                       role_mark(component.role),
                       component.id,
                       component.type,
                       graph.lanes[component.lane].id);
  for (const std::uint32_t out : graph.out(index)) {
    const CompiledEdge& edge = graph.edges[out];
    text += base::format("{}  .{} {} {}  ({})\n",
                         margin,
                         edge.from_port,
                         text_arrow(edge.kind),
                         graph.to_text(edge),
                         edge.id);
  }
}

/// Quotes for a Mermaid label, in which only double quotes are special.
std::string quoted(std::string_view text) { return base::format("\"{}\"", text); }

}  // namespace

std::string render_text(const CompiledGraph& graph) {
  std::string text = base::format(
      "{}\n  >> input  << output  --> immediate  ~~> delay  ==> state  ..> async\n", graph.name);
  std::uint32_t shown = UINT32_MAX;
  for (std::size_t i = 0; i < graph.stages.size(); ++i) {
    const std::uint32_t domain = graph.regions[graph.stages[i].front()].domain;
    if (domain != shown) text += base::format("\ndomain {}\n", domain_text(graph.domains[domain]));
    shown = domain;
    text += base::format("  stage {}\n", i);
    for (const std::uint32_t index : graph.stages[i]) {
      const CompiledRegion& region = graph.regions[index];
      if (region.is_loop) text += base::format("    loop {}\n", region.id);
      for (const std::uint32_t member : graph.members(region)) {
        append_component(text, graph, member, region.is_loop ? 6 : 4);
      }
    }
  }
  return text;
}

std::string render_mermaid(const CompiledGraph& graph) {
  std::string text = "flowchart LR\n";
  for (std::uint32_t domain = 0; domain < graph.domains.size(); ++domain) {
    text +=
        base::format("  subgraph d{}[{}]\n", domain, quoted(domain_text(graph.domains[domain])));
    for (std::size_t i = 0; i < graph.regions.size(); ++i) {
      const CompiledRegion& region = graph.regions[i];
      if (region.domain != domain) continue;
      if (region.is_loop) {
        text += base::format("    subgraph l{}[{}]\n", i, quoted("loop " + region.id));
      }
      for (const std::uint32_t member : graph.members(region)) {
        const CompiledComponent& component = graph.components[member];
        const bool is_boundary = component.role != BoundaryRole::kNone;
        text += base::format("    c{}{}{}{}\n",
                             member,
                             is_boundary ? "([" : "[",
                             quoted(component.id + "<br/>" + component.type),
                             is_boundary ? "])" : "]");
      }
      if (region.is_loop) text += "    end\n";
    }
    text += "  end\n";
  }
  for (const CompiledEdge& edge : graph.edges) {
    const bool is_immediate = edge.kind == EdgeKind::kImmediate;
    const std::string label =
        is_immediate ? edge.id : base::format("{} ({})", edge.id, to_string(edge.kind));
    text += base::format(
        "  c{} {}|{}| c{}\n", edge.from, mermaid_arrow(edge.kind), quoted(label), edge.to);
  }
  return text;
}

}  // namespace millrace::graph
