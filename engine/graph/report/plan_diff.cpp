#include "graph/report/plan_diff.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/formats/json_writer.h"
#include "graph/compile/compiled_graph.h"
#include "graph/format/diagnostic.h"
#include "graph/format/words.h"

namespace millrace::graph {
namespace {

/// Items by id, in order, each with a text that differs when the item does.
using Described = std::vector<std::pair<std::string, std::string>>;

Described describe_regions(const CompiledGraph& graph) {
  Described items;
  for (const CompiledRegion& region : graph.regions) {
    std::string text = base::format(
        "{} {} {}", graph.domains[region.domain].id, region.stage, to_string(region.priority));
    for (const std::uint32_t member : graph.members(region)) {
      text += base::format(" {}:{}", graph.components[member].id, graph.components[member].type);
    }
    items.emplace_back(region.id, std::move(text));
  }
  return items;
}

Described describe_edges(const CompiledGraph& graph) {
  Described items;
  for (const CompiledEdge& edge : graph.edges) {
    items.emplace_back(edge.id,
                       base::format("{} {} {} {} {} {} {} {} {} {} {}",
                                    to_string(edge.kind),
                                    graph.from_text(edge),
                                    graph.to_text(edge),
                                    to_string(edge.policy.mode),
                                    edge.policy.capacity,
                                    to_string(edge.policy.overflow),
                                    edge.policy.lifespan.count(),
                                    edge.policy.deadline.count(),
                                    edge.policy.max_inflight,
                                    to_string(edge.policy.copy_policy),
                                    to_string(edge.policy.readers)));
  }
  return items;
}

Described describe_lanes(const CompiledGraph& graph) {
  Described items;
  for (const LaneSpec& lane : graph.lanes) {
    std::string text = base::format("{} {} {} {} {} {} {} {} {} {}",
                                    to_string(lane.type),
                                    lane_period(lane).count(),
                                    lane.tick_budget.count(),
                                    lane.wall_clock_enabled,
                                    to_string(lane.overrun_policy),
                                    lane.independent,
                                    lane.phase.count(),
                                    lane.max_threads,
                                    lane.queue_capacity.value_or(-1),
                                    to_string(lane.overflow));
    text += base::format(" {} {} {} {} {} {} {} {} {}",
                         lane.starvation_guard_every,
                         lane.abandon_max,
                         lane.thread_name,
                         lane.priority,
                         lane.nice_priority,
                         to_string(lane.rt_policy),
                         lane.rt_priority,
                         to_string(lane.isolation_intent),
                         to_string(lane.enforce));
    for (const std::int64_t cpu : lane.cpu_affinity) text += base::format(" {}", cpu);
    items.emplace_back(lane.id, std::move(text));
  }
  return items;
}

Described describe_diagnostics(const DiagnosticReport& report) {
  Described items;
  for (const base::Problem& problem : report.problems()) {
    items.emplace_back(base::format("{} {}", to_string(problem.code), problem.path), "");
  }
  return items;
}

PlanDifference compare(const Described& before, const Described& after) {
  PlanDifference difference;
  std::map<std::string_view, std::string_view> old_items(before.begin(), before.end());
  const std::map<std::string_view, std::string_view> new_items(after.begin(), after.end());
  for (const auto& [id, text] : before) {
    if (!new_items.contains(id)) difference.removed.push_back(id);
  }
  for (const auto& [id, text] : after) {
    const auto old = old_items.find(id);
    if (old == old_items.end()) {
      difference.added.push_back(id);
    } else if (old->second != text) {
      difference.changed.push_back(id);
    }
  }
  return difference;
}

/// Adds what both plans have in another order. Of two that changed places, the later one counts.
void add_moved(const Described& before, const Described& after, PlanDifference& difference) {
  std::map<std::string_view, std::size_t> position;
  for (std::size_t i = 0; i < before.size(); ++i) position[before[i].first] = i;
  std::size_t furthest = 0;
  for (const auto& [id, text] : after) {
    const auto old = position.find(id);
    if (old == position.end()) continue;
    const bool is_listed = std::ranges::find(difference.changed, id) != difference.changed.end();
    if (old->second < furthest && !is_listed) difference.changed.push_back(id);
    furthest = std::max(furthest, old->second);
  }
}

struct NamedDifference {
  std::string_view name;
  const PlanDifference& difference;
  std::string_view changed_word;
};

std::vector<NamedDifference> parts_of(const PlanDiff& diff) {
  return {{"regions", diff.regions, "moved"},
          {"edges", diff.edges, "changed"},
          {"lanes", diff.lanes, "changed"},
          {"diagnostics", diff.diagnostics, ""}};
}

}  // namespace

PlanDiff compare_plans(const ReportedPlan& before, const ReportedPlan& after) {
  const Described old_regions = describe_regions(before.graph);
  const Described new_regions = describe_regions(after.graph);
  PlanDiff diff{.regions = compare(old_regions, new_regions),
                .edges = compare(describe_edges(before.graph), describe_edges(after.graph)),
                .lanes = compare(describe_lanes(before.graph), describe_lanes(after.graph)),
                .diagnostics = compare(describe_diagnostics(before.report),
                                       describe_diagnostics(after.report))};
  add_moved(old_regions, new_regions, diff.regions);
  return diff;
}

void write_diff_json(const PlanDiff& diff, base::JsonWriter& json) {
  const auto write_list = [&json](std::string_view name, const std::vector<std::string>& ids) {
    json.key(name);
    json.begin_array();
    for (const std::string& id : ids) json.value(id);
    json.end_array();
  };
  json.begin_object();
  for (const NamedDifference& part : parts_of(diff)) {
    json.key(part.name);
    json.begin_object();
    write_list("added", part.difference.added);
    write_list("removed", part.difference.removed);
    if (!part.changed_word.empty()) write_list(part.changed_word, part.difference.changed);
    json.end_object();
  }
  json.end_object();
}

std::string diff_text(const PlanDiff& diff) {
  std::string text;
  for (const NamedDifference& part : parts_of(diff)) {
    if (part.difference.empty()) continue;
    text += base::format("{}\n", part.name);
    for (const std::string& id : part.difference.added) text += base::format("  + {}\n", id);
    for (const std::string& id : part.difference.removed) text += base::format("  - {}\n", id);
    for (const std::string& id : part.difference.changed) text += base::format("  ~ {}\n", id);
  }
  return text.empty() ? "The plans are equal.\n" : text;
}

}  // namespace millrace::graph
