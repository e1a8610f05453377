#include "graph/report/explain.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/formats/json_writer.h"
#include "graph/compile/compiled_graph.h"
#include "graph/format/duration_text.h"
#include "graph/format/words.h"
#include "graph/report/plan_report.h"

namespace millrace::graph {
namespace {

/// A setting of a component or of its lane, as the file gives it and as it takes effect.
struct Setting {
  std::string_view name;
  std::string requested;  // empty: not given
  std::string effective;
};

std::string number_text(std::int64_t number) { return std::to_string(number); }

std::vector<Setting> settings_of(const CompiledGraph& graph, const CompiledComponent& component) {
  const LaneSpec& lane = graph.lanes[component.lane];
  const ExecutionSpec& execution = component.execution;
  const auto given_duration = [](Duration duration) {
    return duration == Duration::zero() ? std::string() : duration_text(duration);
  };
  const auto or_none = [](Duration duration) {
    return duration == Duration::zero() ? std::string("none") : duration_text(duration);
  };
  std::vector<Setting> settings = {
      {"priority",
       std::string(to_string(execution.priority)),
       std::string(to_string(graph.regions[component.region].priority))},
      {"budget", given_duration(execution.budget), or_none(execution.budget)},
      {"on_error",
       std::string(to_string(execution.on_error)),
       std::string(to_string(execution.on_error))}};
  if (lane.type == LaneType::kThreadPool) {
    const std::int64_t threads = std::max<std::int64_t>(lane.max_threads, 1);
    settings.push_back({"max_threads", number_text(lane.max_threads), number_text(threads)});
    settings.push_back({"width", "", number_text(execution.reentrant ? threads : 1)});
    settings.push_back({"queue_capacity",
                        lane.queue_capacity ? number_text(*lane.queue_capacity) : "",
                        lane.queue_capacity ? number_text(*lane.queue_capacity) : "no bound"});
  }
  if (lane.type == LaneType::kFixedRate) {
    const Duration period = graph.domains[component.domain].period;
    const Duration budget =
        lane.tick_budget > Duration::zero() ? lane.tick_budget : lane_period(lane);
    settings.push_back({"period", given_duration(lane_period(lane)), or_none(period)});
    settings.push_back({"tick_budget", given_duration(lane.tick_budget), or_none(budget)});
  }
  return settings;
}

std::string join_inputs(const TriggerPlan& trigger) {
  std::string text;
  for (const std::string& input : trigger.inputs) {
    if (!text.empty()) text += ", ";
    text += input;
  }
  return text;
}

std::string trigger_text(const TriggerPlan& trigger) {
  if (trigger.has_timer)
    return base::format("a timer, every {}", duration_text(trigger.timer_period));
  if (trigger.is_manual()) return "nothing: it runs in every epoch";
  return base::format("{} on {}", to_string(trigger.type), join_inputs(trigger));
}

void write_trigger(const TriggerPlan& trigger, base::JsonWriter& json) {
  json.key("triggers");
  json.begin_array();
  json.begin_object();
  json.member("type", trigger.has_timer ? "timer" : to_string(trigger.type));
  if (trigger.has_timer) json.member("period", duration_text(trigger.timer_period));
  json.key("inputs");
  json.begin_array();
  for (const std::string& input : trigger.inputs) json.value(input);
  json.end_array();
  const std::pair<std::string_view, Duration> rules[] = {
      {"slop", trigger.rule.slop},
      {"batch_window", trigger.rule.batch_window},
      {"lateness", trigger.rule.lateness},
      {"window", trigger.rule.window},
      {"min_interval", trigger.rule.min_interval},
      {"max_latency", trigger.rule.max_latency},
      {"max_silence", trigger.rule.max_silence}};
  for (const auto& [name, value] : rules) {
    if (value > Duration::zero()) json.member(name, duration_text(value));
  }
  if (trigger.rule.batch_size > 0) json.member("batch_size", trigger.rule.batch_size);
  if (trigger.rule.coalesce) json.member("coalesce", true);
  json.end_object();
  json.end_array();
}

void write_edge_list(const CompiledGraph& graph,
                     std::uint32_t component,
                     bool is_out,
                     base::JsonWriter& json) {
  json.key(is_out ? "outputs" : "inputs");
  json.begin_array();
  for (const std::uint32_t index : is_out ? graph.out(component) : graph.in(component)) {
    const CompiledEdge& edge = graph.edges[index];
    json.begin_object();
    json.member("port", is_out ? edge.from_port : edge.to_port);
    json.member("edge", edge.id);
    json.member("kind", to_string(edge.kind));
    json.member(is_out ? "to" : "from", is_out ? graph.to_text(edge) : graph.from_text(edge));
    json.end_object();
  }
  json.end_array();
}

void write_settings(const std::vector<Setting>& settings,
                    bool is_requested,
                    base::JsonWriter& json) {
  json.key(is_requested ? "requested" : "effective");
  json.begin_object();
  for (const Setting& setting : settings) {
    const std::string& value = is_requested ? setting.requested : setting.effective;
    if (!value.empty()) json.member(setting.name, value);
  }
  json.end_object();
}

}  // namespace

void write_explanation_json(const CompiledGraph& graph,
                            std::uint32_t component,
                            base::JsonWriter& json) {
  const CompiledComponent& compiled = graph.components[component];
  const CompiledRegion& region = graph.regions[compiled.region];
  json.begin_object();
  json.member("component", compiled.id);
  json.member("region", region.id);
  json.member("stage", region.stage);
  json.member("domain", graph.domains[compiled.domain].id);
  json.member("lane", graph.lanes[compiled.lane].id);
  write_trigger(compiled.trigger, json);
  write_edge_list(graph, component, false, json);
  write_edge_list(graph, component, true, json);
  const std::vector<Setting> settings = settings_of(graph, compiled);
  json.key("settings");
  json.begin_object();
  write_settings(settings, true, json);
  write_settings(settings, false, json);
  json.end_object();
  json.end_object();
}

std::string explanation_text(const CompiledGraph& graph, std::uint32_t component) {
  const CompiledComponent& compiled = graph.components[component];
  const CompiledRegion& region = graph.regions[compiled.region];
  const LaneSpec& lane = graph.lanes[compiled.lane];
  std::string text = base::format("{} ({})\n", compiled.id, compiled.type);
  text += base::format("  runs on lane {} ({}) in domain {}\n",
                       lane.id,
                       to_string(lane.type),
                       domain_text(graph.domains[compiled.domain]));
  text += base::format("  region {}{}, {} in order, stage {}\n",
                       region.id,
                       region.is_loop ? " (composite loop)" : "",
                       compiled.region,
                       region.stage);
  text += base::format("  triggered by {}\n", trigger_text(compiled.trigger));
  for (const std::uint32_t index : graph.in(component)) {
    const CompiledEdge& edge = graph.edges[index];
    text += base::format("  input {} from {} ({} edge {}, {}, capacity {}, {})\n",
                         edge.to_port,
                         graph.from_text(edge),
                         to_string(edge.kind),
                         edge.id,
                         to_string(edge.policy.mode),
                         edge.policy.capacity,
                         to_string(edge.policy.overflow));
  }
  for (const std::uint32_t index : graph.out(component)) {
    const CompiledEdge& edge = graph.edges[index];
    text += base::format("  output {} to {} ({} edge {})\n",
                         edge.from_port,
                         graph.to_text(edge),
                         to_string(edge.kind),
                         edge.id);
  }
  for (const Setting& setting : settings_of(graph, compiled)) {
    text += base::format("  {}: {}", setting.name, setting.effective);
    if (!setting.requested.empty() && setting.requested != setting.effective) {
      text += base::format(" (the file says {})", setting.requested);
    }
    text += "\n";
  }
  return text;
}

}  // namespace millrace::graph
