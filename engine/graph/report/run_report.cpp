#include "graph/report/run_report.h"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/format.h"
#include "base/formats/json_writer.h"
#include "base/metrics/metric_descriptor.h"
#include "graph/compile/compiled_graph.h"
#include "graph/payload.h"
#include "graph/report/count_text.h"
#include "graph/run/run_result.h"
#include "graph/run/why.h"
#include "graph/watch/graph_metrics.h"
#include "graph/watch/health.h"

namespace millrace::graph {
namespace {

constexpr int kMetricSchemaVersion = 1;

bool is_asked_for(const Payload& config, std::string_view name) {
  const Payload* field = config.find_member(name);
  return field != nullptr && field->find_bool().value_or(false);
}

double in_milliseconds(Duration duration) {
  return std::chrono::duration<double, std::milli>(duration).count();
}

void write_health(const CompiledGraph& graph, const HealthEvent& event, base::JsonWriter& json) {
  json.begin_object();
  json.member("kind", to_string(event.kind));
  if (event.lane != kNoIndex) json.member("lane", graph.lanes[event.lane].id);
  if (event.component != kNoIndex) {
    json.member("component_id", graph.components[event.component].id);
  }
  if (event.channel != kNoIndex) json.member("channel_id", graph.edges[event.channel].id);
  if (!event.policy.empty()) json.member("policy", event.policy);
  json.member("count", event.count);
  if (event.capacity > 0) {
    json.member("depth", event.depth);
    json.member("capacity", event.capacity);
  }
  json.end_object();
}

void write_values(const RuntimeRunnerResult& result, base::JsonWriter& json) {
  json.key("runtime_metrics");
  json.begin_array();
  for (const RuntimeMetric& metric : result.runtime_metrics) {
    json.begin_object();
    json.member("name", metric.name);
    json.member("value", metric.value);
    if (!metric.lane.empty()) json.member("lane", metric.lane);
    if (!metric.component_id.empty()) json.member("component_id", metric.component_id);
    if (!metric.channel_id.empty()) json.member("channel_id", metric.channel_id);
    json.end_object();
  }
  json.end_array();
}

void write_errors(const RuntimeRunnerResult& result, base::JsonWriter& json) {
  json.key("errors");
  json.begin_array();
  for (const RunError& error : result.errors) {
    json.begin_object();
    json.member("phase", error.phase);
    json.member("component", error.component);
    json.member("lane", error.lane);
    json.member("code", error.code);
    json.member("message", error.message);
    json.end_object();
  }
  json.end_array();
}

void write_lane_settings(const RuntimeRunnerResult& result, base::JsonWriter& json) {
  json.key("lane_settings");
  json.begin_array();
  for (const LaneSettingReport& setting : result.lane_settings) {
    json.begin_object();
    json.member("lane", setting.lane);
    json.member("field", setting.field);
    json.member("requested", setting.requested);
    json.member("effective", setting.effective);
    json.member("errno", setting.error);
    json.end_object();
  }
  json.end_array();
}

void write_run_members(const CompiledGraph& graph,
                       const RuntimeRunnerResult& result,
                       base::JsonWriter& json) {
  json.key("epochs");
  json.begin_object();
  for (const DomainEpochs& domain : result.epochs) json.member(domain.domain, domain.epochs);
  json.end_object();
  json.member("invocations", result.invocations);
  write_errors(result, json);
  json.key("loop_stop_reason");
  json.begin_object();
  for (const LoopStop& loop : result.loop_stop_reason) json.member(loop.loop, loop.reason);
  json.end_object();
  json.key("health_events");
  write_health_json(graph, result.health_events, json);
  write_values(result, json);
  json.key("state");
  write_state_json(result, {}, json);
  if (!result.lane_settings.empty()) write_lane_settings(result, json);
}

std::string place_text(const CompiledGraph& graph, const HealthEvent& event) {
  if (event.lane != kNoIndex) return base::format(" on lane {}", graph.lanes[event.lane].id);
  if (event.component != kNoIndex) {
    return base::format(" at {}", graph.components[event.component].id);
  }
  if (event.channel != kNoIndex) return base::format(" on edge {}", graph.edges[event.channel].id);
  return {};
}

}  // namespace

std::string output_line(const CompiledGraph& graph, const OutputRecord& output) {
  const CompiledComponent& component = graph.components[output.component];
  std::string line;
  base::JsonWriter json(line);
  json.begin_object();
  json.member("component", component.id);
  json.member("epoch", output.epoch);
  json.raw_member("value", output.value.to_json());
  if (is_asked_for(component.config, "time")) json.member("time_us", output.time.count() / 1000);
  if (is_asked_for(component.config, "ids")) {
    json.member("correlation", output.correlation);
    json.member("causation", output.causation);
  }
  json.end_object();
  return line;
}

void write_health_json(const CompiledGraph& graph,
                       const std::vector<HealthEvent>& events,
                       base::JsonWriter& json) {
  json.begin_array();
  for (const HealthEvent& event : events) write_health(graph, event, json);
  json.end_array();
}

void write_state_json(const RuntimeRunnerResult& result,
                      std::string_view table,
                      base::JsonWriter& json) {
  json.begin_object();
  for (const StateTableView& view : result.state) {
    if (!table.empty() && view.name != table) continue;
    json.key(view.name);
    json.begin_object();
    json.member("epoch", view.epoch);
    json.key("values");
    json.begin_object();
    for (const StateEntry& entry : view.values) json.raw_member(entry.key, entry.value.to_json());
    json.end_object();
    json.end_object();
  }
  json.end_object();
}

void write_run_json(const CompiledGraph& graph,
                    const RuntimeRunnerResult& result,
                    base::JsonWriter& json) {
  json.begin_object();
  json.member("ok", result.ok);
  json.member("graph", graph.name);
  json.member("scheduler_stop_reason", to_string(result.scheduler_stop_reason));
  write_run_members(graph, result, json);
  json.end_object();
}

void write_status_json(const CompiledGraph& graph,
                       const RuntimeRunnerResult& result,
                       const RunStatus& status,
                       base::JsonWriter& json) {
  json.begin_object();
  json.member("ok", result.ok);
  json.member("graph", graph.name);
  const std::string_view running = status.is_paused ? "paused" : "running";
  json.member("status", status.has_ended ? std::string_view("ended") : running);
  json.member("time_ms", in_milliseconds(status.time));
  write_run_members(graph, result, json);
  json.end_object();
}

std::string run_summary(const CompiledGraph& graph, const RuntimeRunnerResult& result) {
  std::string text = base::format("{}: {} ({}) after {} ms, {}\n",
                                  graph.name,
                                  result.ok ? "ok" : "failed",
                                  to_string(result.scheduler_stop_reason),
                                  in_milliseconds(result.time),
                                  count_text(result.invocations, "invocation"));
  for (const DomainEpochs& domain : result.epochs) {
    text += base::format("  domain {}: {}\n", domain.domain, count_text(domain.epochs, "epoch"));
  }
  for (const LaneSettingReport& setting : result.lane_settings) {
    text += base::format("  lane {}: {} is {}", setting.lane, setting.field, setting.effective);
    if (setting.effective != setting.requested) {
      text += base::format(", {} was asked for", setting.requested);
    }
    if (setting.error != 0) text += base::format(" (errno {})", setting.error);
    text += "\n";
  }
  for (const LoopStop& loop : result.loop_stop_reason) {
    if (!loop.reason.empty()) text += base::format("  loop {}: {}\n", loop.loop, loop.reason);
  }
  for (const HealthEvent& event : result.health_events) {
    text += base::format("  {}{}: {}\n",
                         to_string(event.kind),
                         place_text(graph, event),
                         count_text(event.count, "time"));
  }
  for (const RunError& error : result.errors) {
    text += base::format("  error {} in {}{}{}: {}\n",
                         error.code,
                         error.phase,
                         error.component.empty() ? "" : " of ",
                         error.component,
                         error.message);
  }
  return text;
}

void write_metrics_json(const RuntimeRunnerResult& result, base::JsonWriter& json) {
  json.begin_object();
  json.member("ok", result.ok);
  json.member("metric_schema_version", kMetricSchemaVersion);
  json.key("descriptors");
  json.begin_array();
  for (const base::MetricDescriptor& descriptor : runtime_metric_descriptors()) {
    json.begin_object();
    json.member("name", descriptor.name);
    json.member("kind", base::to_string(descriptor.kind));
    json.member("help", descriptor.help);
    if (!descriptor.unit.empty()) json.member("unit", descriptor.unit);
    json.key("labels");
    json.begin_array();
    for (const std::string_view label : descriptor.label_names) json.value(label);
    json.end_array();
    json.end_object();
  }
  json.end_array();
  write_values(result, json);
  json.end_object();
}

std::string metrics_text(const RuntimeRunnerResult& result) {
  std::string text;
  for (const RuntimeMetric& metric : result.runtime_metrics) {
    if (metric.value == 0) continue;
    text += base::format("{:48} {:16} {}\n",
                         metric.name,
                         metric.component_id + metric.channel_id +
                             (metric.component_id.empty() ? metric.lane : std::string()),
                         metric.value);
  }
  return text;
}

void write_why_json(const WhyReport& report, base::JsonWriter& json) {
  json.begin_object();
  json.member("component", report.component);
  json.member("epoch", report.epoch);
  json.member("ran", report.ran);
  json.member("reason", report.reason);
  if (report.since) json.member("since", *report.since);
  json.key("waits_for");
  json.begin_array();
  for (const MissingInput& missing : report.waits_for) {
    json.begin_object();
    json.member("input", missing.input);
    json.member("missing_since_epoch", missing.missing_since_epoch);
    json.end_object();
  }
  json.end_array();
  if (report.due_at) json.member("due_at", in_milliseconds(*report.due_at));
  json.member("lane_state", report.lane_state);
  json.end_object();
}

std::string why_text(const WhyReport& report) {
  std::string text = base::format("{} {} in epoch {}: {}\n",
                                  report.component,
                                  report.ran ? "ran" : "did not run",
                                  report.epoch,
                                  report.reason);
  for (const MissingInput& missing : report.waits_for) {
    text += base::format(
        "  input {}: nothing since epoch {}\n", missing.input, missing.missing_since_epoch);
  }
  if (report.due_at) text += base::format("  due at {} ms\n", in_milliseconds(*report.due_at));
  return text + base::format("  lane: {}\n", report.lane_state);
}

}  // namespace millrace::graph
