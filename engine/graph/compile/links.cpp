#include "graph/compile/links.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/did_you_mean.h"
#include "base/format.h"
#include "graph/compile/component_registry.h"
#include "graph/format/diagnostic.h"
#include "graph/format/reporter.h"
#include "graph/format/spec.h"

namespace millrace::graph {
namespace {

using IdTable = std::unordered_map<std::string_view, std::uint32_t>;

/// Suggests the nearest of many names; comparing with more than this many would take long.
constexpr std::size_t kSuggestAmongMax = 256;

std::string nearest_fix(std::string_view name, std::vector<std::string_view> known) {
  if (known.size() > kSuggestAmongMax) known.resize(kSuggestAmongMax);
  const auto nearest = base::find_nearest(name, known);
  return nearest ? base::format("write '{}'", *nearest) : std::string();
}

class Linker {
 public:
  explicit Linker(const CheckContext& context)
      : spec_(context.spec), registry_(context.registry), reporter_(context.reporter) {}

  Links run() {
    links_.has_all_components = has_all("components", spec_.components.size());
    links_.has_all_edges = has_all("edges", spec_.edges.size());
    fill_ids();
    for (std::uint32_t i = 0; i < spec_.components.size(); ++i) link_component(i);
    for (std::uint32_t i = 0; i < spec_.edges.size(); ++i) link_edge(i);
    return std::move(links_);
  }

 private:
  /// Whether a section was read with all its items.
  [[nodiscard]] bool has_all(std::string_view section, std::size_t read_count) const {
    const auto given = spec_.source->find_member(section);
    return given && given->size() == read_count;
  }

  void fill_ids() {
    for (std::uint32_t i = 0; i < spec_.components.size(); ++i) {
      const ComponentSpec& component = spec_.components[i];
      if (component.id.empty()) links_.has_all_components = false;
      if (component.id.empty()) continue;
      known_ids_.push_back(component.id);
      if (!links_.component_by_id.emplace(component.id, i).second) {
        report_twice(component.source, "component", component.id);
      }
    }
    IdTable edges;
    for (const EdgeSpec& edge : spec_.edges) {
      if (!edge.id.empty() && !edges.emplace(edge.id, 0).second) {
        report_twice(edge.source, "edge", edge.id);
      }
    }
    IdTable loops = links_.component_by_id;
    for (const CompositeLoopSpec& loop : spec_.loops) {
      if (!loop.id.empty() && !loops.emplace(loop.id, 0).second) {
        report_twice(loop.source, "composite loop or component", loop.id);
      }
    }
    for (std::uint32_t i = 0; i < spec_.lanes.size(); ++i) {
      lanes_.emplace(spec_.lanes[i].id, i);
      lane_ids_.push_back(spec_.lanes[i].id);
    }
  }

  void report_twice(const std::optional<base::JsonValue>& source,
                    std::string_view what,
                    std::string_view id) {
    reporter_.at_member(DiagnosticCode::kDuplicateId,
                        source,
                        "id",
                        base::format("Another {} has the id '{}'", what, id));
  }

  void link_component(std::uint32_t index) {
    const ComponentSpec& spec = spec_.components[index];
    LinkedComponent& component = links_.components.emplace_back();
    if (!spec.type.empty()) {
      component.type = registry_.find(spec.type);
      if (component.type == nullptr) {
        reporter_.at_member(DiagnosticCode::kUnknownType,
                            spec.source,
                            "type",
                            base::format("No component type is called '{}'", spec.type),
                            nearest_fix(spec.type, registry_.types()));
      }
    }
    if (spec.execution.lane.empty()) return;
    const auto lane = lanes_.find(spec.execution.lane);
    if (lane != lanes_.end()) {
      component.lane = lane->second;
      return;
    }
    if (!has_all("lanes", spec_.lanes.size())) return;
    reporter_.at_member(DiagnosticCode::kUnknownLane,
                        spec.execution.source,
                        "lane",
                        base::format("No lane has the id '{}'", spec.execution.lane),
                        nearest_fix(spec.execution.lane, lane_ids_));
  }

  struct Endpoint {
    std::uint32_t component;
    std::string_view port;
  };

  std::optional<Endpoint> find_endpoint(const EdgeSpec& edge, std::string_view field) {
    const std::string& text = field == "from" ? edge.from : edge.to;
    const std::size_t dot = text.rfind('.');
    if (dot == std::string::npos || dot == 0 || dot + 1 == text.size()) {
      reporter_.at_member(DiagnosticCode::kBadEndpoint,
                          edge.source,
                          field,
                          base::format("Not component.port: '{}'", text));
      return std::nullopt;
    }
    const std::string_view id = std::string_view(text).substr(0, dot);
    const auto found = links_.component_by_id.find(id);
    if (found != links_.component_by_id.end()) {
      return Endpoint{.component = found->second, .port = std::string_view(text).substr(dot + 1)};
    }
    if (links_.has_all_components) {
      reporter_.at_member(DiagnosticCode::kUnknownComponent,
                          edge.source,
                          field,
                          base::format("No component has the id '{}'", id),
                          nearest_fix(id, known_ids_));
    }
    return std::nullopt;
  }

  void link_edge(std::uint32_t index) {
    const EdgeSpec& edge = spec_.edges[index];
    if (!edge.is_readable) {
      links_.has_all_edges = false;
      return;
    }
    const auto from = find_endpoint(edge, "from");
    const auto to = find_endpoint(edge, "to");
    if (!from || !to) {
      links_.has_all_edges = false;
      return;
    }
    const auto linked = static_cast<std::uint32_t>(links_.edges.size());
    links_.edges.push_back({.spec_index = index,
                            .from = from->component,
                            .to = to->component,
                            .from_port = from->port,
                            .to_port = to->port});
    links_.components[from->component].out.push_back(linked);
    links_.components[to->component].in.push_back(linked);
  }

  const GraphSpec& spec_;
  const ComponentRegistry& registry_;
  Reporter& reporter_;
  Links links_;
  IdTable lanes_;
  std::vector<std::string_view> lane_ids_;
  std::vector<std::string_view> known_ids_;
};

}  // namespace

bool Links::has_edge_to(std::uint32_t component, std::string_view port) const {
  return std::ranges::any_of(components[component].in,
                             [&](std::uint32_t edge) { return edges[edge].to_port == port; });
}

Links link_graph(const CheckContext& context) { return Linker(context).run(); }

}  // namespace millrace::graph
