#include "reference_plan.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "graph/format/spec.h"
#include "graph/format/words.h"

namespace millrace::graph_reference {
namespace {

using graph::EdgeKind;
using graph::LaneSpec;
using graph::LaneType;
using graph::PaceType;
using graph::SourceType;
using graph::TriggerType;

bool owns_its_domain(const LaneSpec& lane) {
  return lane.type == LaneType::kIsolatedThread || lane.type == LaneType::kManualStep ||
         (lane.type == LaneType::kFixedRate && lane.independent);
}

template <class Items>
std::size_t index_by_id(const Items& items, const std::string& id) {
  const auto found = std::ranges::find_if(items, [&](const auto& item) { return item.id == id; });
  MR_CHECK(found != items.end());
  return static_cast<std::size_t>(found - items.begin());
}

/// Splits `component.port` at the last dot.
std::pair<std::string, std::string> split_endpoint(const std::string& endpoint) {
  const std::size_t dot = endpoint.rfind('.');
  return {endpoint.substr(0, dot), endpoint.substr(dot + 1)};
}

void add_once(std::vector<std::string>& names, const std::string& name) {
  if (std::ranges::find(names, name) == names.end()) names.push_back(name);
}

PlannedTrigger plan_trigger(const Plan& plan, const PlannedComponent& component) {
  const graph::ComponentSpec& spec = *component.spec;
  PlannedTrigger trigger;
  trigger.is_injected = spec.type == "core.input" || spec.type == "core.stdin";
  bool has_messages = false;
  std::vector<std::string> of_sources;
  for (const graph::EventSourceSpec& source : spec.event_sources) {
    if (source.type == SourceType::kTimer) {
      trigger.is_timer = true;
      trigger.timer_period = source.period;
    } else if (source.type != SourceType::kManual) {
      has_messages = true;
      for (const std::string& input : source.inputs) add_once(of_sources, input);
    }
  }
  if (spec.trigger) {
    trigger.rule = *spec.trigger;
    trigger.type = spec.trigger->type;
    trigger.inputs = spec.trigger->inputs;
  } else if (has_messages) {
    trigger.type = TriggerType::kAnyInput;
  }
  if (trigger.is_timer || trigger.type == TriggerType::kManual) {
    trigger.inputs.clear();
    trigger.type = TriggerType::kManual;
    return trigger;
  }
  if (trigger.inputs.empty()) trigger.inputs = of_sources;
  if (trigger.inputs.empty()) {
    for (const std::size_t edge : component.in) add_once(trigger.inputs, plan.edges[edge].to_port);
  }
  return trigger;
}

void plan_domains(Plan& plan) {
  const std::vector<LaneSpec>& lanes = plan.spec->lanes;
  std::set<std::size_t> used;
  for (const PlannedComponent& component : plan.components) used.insert(component.lane);
  PlannedDomain main{.id = "main"};
  for (const std::size_t lane : used) {
    if (!owns_its_domain(lanes[lane])) main.lanes.push_back(lane);
  }
  if (!main.lanes.empty()) plan.domains.push_back(main);
  for (const std::size_t lane : used) {
    if (owns_its_domain(lanes[lane]))
      plan.domains.push_back({.id = lanes[lane].id, .lanes = {lane}});
  }
  for (PlannedComponent& component : plan.components) {
    for (std::size_t i = 0; i < plan.domains.size(); ++i) {
      const auto& own = plan.domains[i].lanes;
      if (std::ranges::find(own, component.lane) != own.end()) component.domain = i;
    }
  }
}

/// Section 1: grid if a `fixed_rate` lane is on the wall clock, else simulated if there is one.
void plan_pace(const Plan& plan, PlannedDomain& domain) {
  std::vector<const LaneSpec*> rates;
  bool is_grid = false;
  for (const std::size_t index : domain.lanes) {
    const LaneSpec& lane = plan.spec->lanes[index];
    if (lane.type == LaneType::kManualStep) domain.pace = PaceType::kManual;
    if (lane.type != LaneType::kFixedRate) continue;
    rates.push_back(&lane);
    is_grid |= lane.wall_clock_enabled;
  }
  if (rates.empty()) return;
  domain.pace = is_grid ? PaceType::kGrid : PaceType::kSimulated;
  for (const LaneSpec* lane : rates) {
    const Duration period = period_of(*lane);
    if (is_grid && !lane->wall_clock_enabled) continue;
    if (period == Duration::zero()) continue;
    if (domain.period != Duration::zero() && period >= domain.period) continue;
    domain.period = period;
    domain.phase = lane->phase;
    domain.overrun = lane->overrun_policy;
  }
}

bool depends_on(const Plan& plan, const PlannedRegion& later, const PlannedRegion& earlier) {
  const auto has = [](const PlannedRegion& region, std::size_t component) {
    return std::ranges::find(region.members, component) != region.members.end();
  };
  return std::ranges::any_of(plan.edges, [&](const PlannedEdge& edge) {
    return edge.spec->kind == EdgeKind::kImmediate && has(earlier, edge.from) &&
           has(later, edge.to);
  });
}

/// Regions in the order in which their first members are declared.
std::vector<PlannedRegion> declared_regions(const Plan& plan) {
  std::vector<PlannedRegion> regions;
  std::set<std::size_t> loops_seen;
  for (std::size_t i = 0; i < plan.components.size(); ++i) {
    const PlannedComponent& component = plan.components[i];
    if (component.loop && !loops_seen.insert(*component.loop).second) continue;
    PlannedRegion region{.loop = component.loop, .domain = component.domain};
    if (!component.loop) region.members = {i};
    if (component.loop) {
      for (const std::string& id : plan.spec->loops[*component.loop].components) {
        region.members.push_back(index_by_id(plan.spec->components, id));
      }
    }
    for (const std::size_t member : region.members) {
      region.priority = std::min(region.priority, plan.components[member].spec->execution.priority);
    }
    regions.push_back(region);
  }
  return regions;
}

/// G1: of the regions whose predecessors are placed, the best class, then the first declared.
void order_regions(Plan& plan) {
  std::vector<PlannedRegion> open = declared_regions(plan);
  while (!open.empty()) {
    std::optional<std::size_t> best;
    for (std::size_t i = 0; i < open.size(); ++i) {
      bool is_ready = true;
      for (std::size_t other = 0; other < open.size(); ++other) {
        if (other != i && depends_on(plan, open[i], open[other])) is_ready = false;
      }
      if (is_ready && (!best || open[i].priority < open[*best].priority)) best = i;
    }
    MR_CHECK(best.has_value());
    plan.regions.push_back(open[*best]);
    open.erase(open.begin() + static_cast<std::ptrdiff_t>(*best));
  }
}

/// G57: a stage ends before the first region that depends on one of its regions.
void cut_stages(Plan& plan) {
  for (std::size_t i = 0; i < plan.regions.size(); ++i) {
    auto& stages = plan.domains[plan.regions[i].domain].stages;
    const bool fits =
        !stages.empty() && std::ranges::none_of(stages.back(), [&](std::size_t other) {
          return depends_on(plan, plan.regions[i], plan.regions[other]);
        });
    if (!fits) stages.emplace_back();
    stages.back().push_back(i);
  }
}

}  // namespace

Duration period_of(const LaneSpec& lane) {
  if (lane.period > Duration::zero()) return lane.period;
  return lane.hz > 0 ? Duration(std::llround(1e9 / lane.hz)) : Duration::zero();
}

Plan make_plan(const graph::GraphSpec& spec) {
  Plan plan{.spec = &spec};
  for (const graph::ComponentSpec& component : spec.components) {
    plan.components.push_back(
        {.spec = &component, .lane = index_by_id(spec.lanes, component.execution.lane)});
  }
  for (std::size_t i = 0; i < spec.loops.size(); ++i) {
    for (const std::string& id : spec.loops[i].components) {
      plan.components[index_by_id(spec.components, id)].loop = i;
    }
  }
  for (const graph::EdgeSpec& edge : spec.edges) {
    const auto [from, from_port] = split_endpoint(edge.from);
    const auto [to, to_port] = split_endpoint(edge.to);
    PlannedEdge planned{.spec = &edge,
                        .from = index_by_id(spec.components, from),
                        .to = index_by_id(spec.components, to),
                        .from_port = from_port,
                        .to_port = to_port};
    const auto& loop = plan.components[planned.from].loop;
    planned.is_inside_loop = edge.kind == EdgeKind::kImmediate && loop.has_value() &&
                             loop == plan.components[planned.to].loop;
    plan.components[planned.from].out.push_back(plan.edges.size());
    plan.components[planned.to].in.push_back(plan.edges.size());
    plan.edges.push_back(planned);
  }
  for (PlannedComponent& component : plan.components) {
    component.trigger = plan_trigger(plan, component);
  }
  plan_domains(plan);
  for (PlannedDomain& domain : plan.domains) plan_pace(plan, domain);
  order_regions(plan);
  cut_stages(plan);
  return plan;
}

}  // namespace millrace::graph_reference
