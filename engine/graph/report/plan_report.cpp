#include "graph/report/plan_report.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/format.h"
#include "base/formats/json_writer.h"
#include "graph/compile/compiled_graph.h"
#include "graph/compile/lane_fields.h"
#include "graph/format/diagnostic.h"
#include "graph/format/duration_text.h"
#include "graph/format/words.h"
#include "graph/report/count_text.h"

namespace millrace::graph {
namespace {

class PlanWriter {
 public:
  PlanWriter(const CompiledGraph& graph, base::JsonWriter& json) : graph_(graph), json_(json) {}

  void run(const DiagnosticReport& report) {
    json_.begin_object();
    json_.member("graph", graph_.name);
    json_.member("schema_version", graph_.schema_version);
    write_list("domains", graph_.domains, [this](const DomainPlan& domain) { write(domain); });
    write_list("regions", graph_.regions, [this](const CompiledRegion& region) { write(region); });
    write_list("region_order", graph_.regions, [this](const CompiledRegion& region) {
      json_.value(region.id);
    });
    write_list("stages", graph_.stages, [this](const std::vector<std::uint32_t>& stage) {
      json_.begin_array();
      for (const std::uint32_t region : stage) json_.value(graph_.regions[region].id);
      json_.end_array();
    });
    write_list("edges", graph_.edges, [this](const CompiledEdge& edge) { write(edge); });
    json_.key("lane_capabilities");
    json_.begin_array();
    for (std::uint32_t i = 0; i < graph_.lanes.size(); ++i) write_lane(i);
    json_.end_array();
    json_.key("diagnostics");
    report.write_json(json_);
    json_.end_object();
  }

 private:
  template <class Items, class Write>
  void write_list(std::string_view name, const Items& items, const Write& write_item) {
    json_.key(name);
    json_.begin_array();
    for (const auto& item : items) write_item(item);
    json_.end_array();
  }

  void write(const DomainPlan& domain) {
    json_.begin_object();
    json_.member("id", domain.id);
    json_.member("rank", domain.rank);
    json_.member("pace", to_string(domain.pace));
    write_list(
        "lanes", domain.lanes, [this](std::uint32_t lane) { json_.value(graph_.lanes[lane].id); });
    json_.end_object();
  }

  void write(const CompiledRegion& region) {
    json_.begin_object();
    json_.member("id", region.id);
    json_.member("kind", region.is_loop ? "loop" : "component");
    write_list("components", graph_.members(region), [this](std::uint32_t member) {
      json_.value(graph_.components[member].id);
    });
    json_.member("domain", graph_.domains[region.domain].id);
    json_.member("priority", to_string(region.priority));
    json_.member("stage", region.stage);
    write_edges("incoming", region, false);
    write_edges("outgoing", region, true);
    json_.end_object();
  }

  /// The edges that lead into or out of a region.
  void write_edges(std::string_view name, const CompiledRegion& region, bool is_out) {
    json_.key(name);
    json_.begin_array();
    for (const std::uint32_t member : graph_.members(region)) {
      for (const std::uint32_t index : is_out ? graph_.out(member) : graph_.in(member)) {
        const CompiledEdge& edge = graph_.edges[index];
        const std::uint32_t other = is_out ? edge.to : edge.from;
        const bool is_inner =
            graph_.components[other].region == graph_.components[member].region && region.is_loop;
        if (!is_inner) json_.value(edge.id);
      }
    }
    json_.end_array();
  }

  void write(const CompiledEdge& edge) {
    json_.begin_object();
    json_.member("id", edge.id);
    json_.member("kind", to_string(edge.kind));
    json_.member("from", graph_.from_text(edge));
    json_.member("to", graph_.to_text(edge));
    json_.member("mode", to_string(edge.policy.mode));
    json_.member("capacity", edge.policy.capacity);
    json_.member("overflow", to_string(edge.policy.overflow));
    json_.member("crosses_domains", edge.crosses_domains);
    json_.end_object();
  }

  void write_lane(std::uint32_t index) {
    const LaneSpec& lane = graph_.lanes[index];
    const bool is_pool = lane.type == LaneType::kThreadPool;
    const std::uint32_t domain = graph_.lane_domain[index];
    const auto member_if = [this](std::string_view name, bool is_given, const auto& value) {
      json_.key(name);
      if (is_given) {
        json_.value(value);
      } else {
        json_.null();
      }
    };
    json_.begin_object();
    json_.member("id", lane.id);
    json_.member("type", to_string(lane.type));
    member_if(
        "domain",
        domain != kNoDomain,
        domain == kNoDomain ? std::string_view() : std::string_view(graph_.domains[domain].id));
    write_list("implemented", implemented_capabilities(lane.type), [this](std::string_view name) {
      json_.value(name);
    });
    write_list("advisory_fields", advisory_fields(lane), [this](std::string_view name) {
      json_.value(name);
    });
    json_.key("future_extensions");
    json_.begin_array();
    json_.value("hard_preemption");
    json_.value("hard_real_time");
    json_.end_array();
    member_if("max_threads", is_pool, std::max<std::int64_t>(lane.max_threads, 1));
    member_if("queue_capacity", is_pool && lane.queue_capacity, lane.queue_capacity.value_or(0));
    member_if("overflow", is_pool, to_string(lane.overflow));
    member_if("overrun_policy", lane.type == LaneType::kFixedRate, to_string(lane.overrun_policy));
    json_.end_object();
  }

  const CompiledGraph& graph_;
  base::JsonWriter& json_;
};

}  // namespace

void write_plan_json(const CompiledGraph& graph,
                     const DiagnosticReport& report,
                     base::JsonWriter& json) {
  PlanWriter(graph, json).run(report);
}

std::string domain_text(const DomainPlan& domain) {
  std::string text = base::format("{} ({}", domain.id, to_string(domain.pace));
  if (domain.period > Duration::zero()) {
    text += base::format(", every {}", duration_text(domain.period));
  }
  return text + ")";
}

/// A lane with what its file says about it.
std::string lane_text(const LaneSpec& lane) {
  std::string text = base::format("  lane {}: {}", lane.id, to_string(lane.type));
  if (lane.type == LaneType::kFixedRate) {
    text += base::format(", every {}", duration_text(lane_period(lane)));
    if (lane.tick_budget > Duration::zero()) {
      text += base::format(", tick_budget {}", duration_text(lane.tick_budget));
    }
    if (lane.wall_clock_enabled)
      text += ", wall clock, " + std::string(to_string(lane.overrun_policy));
    if (lane.phase > Duration::zero())
      text += base::format(", phase {}", duration_text(lane.phase));
  }
  if (lane.type == LaneType::kThreadPool) {
    const auto threads = static_cast<std::uint64_t>(std::max<std::int64_t>(lane.max_threads, 1));
    text += ", " + count_text(threads, "thread");
    if (lane.queue_capacity) {
      text +=
          base::format(", queue_capacity {}, {}", *lane.queue_capacity, to_string(lane.overflow));
    }
  }
  if (!lane.thread_name.empty()) text += base::format(", thread_name {}", lane.thread_name);
  if (lane.enforce != Enforce::kOff) text += base::format(", enforce {}", to_string(lane.enforce));
  return text + "\n";
}

std::string plan_text(const CompiledGraph& graph) {
  std::string text = base::format("graph {}: {} in {}, {}, {}\n",
                                  graph.name,
                                  count_text(graph.components.size(), "component"),
                                  count_text(graph.regions.size(), "region"),
                                  count_text(graph.edges.size(), "edge"),
                                  count_text(graph.lanes.size(), "lane"));
  std::uint32_t shown = UINT32_MAX;
  for (std::size_t i = 0; i < graph.stages.size(); ++i) {
    const std::uint32_t domain = graph.regions[graph.stages[i].front()].domain;
    if (domain != shown) {
      text += base::format("domain {}\n", domain_text(graph.domains[domain]));
      for (const std::uint32_t lane : graph.domains[domain].lanes) {
        text += lane_text(graph.lanes[lane]);
      }
    }
    shown = domain;
    text += base::format("  stage {}\n", i);
    for (const std::uint32_t index : graph.stages[i]) {
      const CompiledRegion& region = graph.regions[index];
      text += base::format("    {:<3} {}", index, region.id);
      if (region.is_loop) {
        text += " = loop of";
        for (const std::uint32_t member : graph.members(region)) {
          text += " " + graph.components[member].id;
        }
      } else {
        const CompiledComponent& component = graph.components[graph.members(region).front()];
        text += base::format("  {} on {}", component.type, graph.lanes[component.lane].id);
      }
      if (region.priority != PriorityClass::kNormal) {
        text += base::format(", {}", to_string(region.priority));
      }
      text += "\n";
    }
  }
  return text;
}

}  // namespace millrace::graph
