#include "graph/report/trace_report.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "base/format.h"
#include "base/formats/json_writer.h"
#include "graph/compile/compiled_graph.h"
#include "graph/run/run_result.h"
#include "graph/watch/graph_event.h"
#include "graph/watch/health.h"

namespace millrace::graph {
namespace {

constexpr int kTraceSchemaVersion = 1;
// Workers of a lane are shown as threads beside it.
constexpr std::uint32_t kThreadsPerLane = 1000;

double microseconds(Duration duration) {
  return std::chrono::duration<double, std::micro>(duration).count();
}

std::string_view component_of(const CompiledGraph& graph, const GraphEvent& event) {
  if (event.component != kNoIndex) return graph.components[event.component].id;
  if (event.loop != kNoIndex) return graph.loops[event.loop].id;
  return {};
}

/// The event of a batch has a bit for each of the first 64 workers. The spans that follow it name
/// the others, which only batches have.
std::set<std::uint32_t> workers_of(std::span<const GraphEvent> events) {
  constexpr std::uint32_t kBits = 64;
  const GraphEvent& batch = events.front();
  std::set<std::uint32_t> workers;
  for (std::uint32_t worker = 0; worker < kBits; ++worker) {
    if ((batch.second >> worker & 1) != 0) workers.insert(worker);
  }
  for (const GraphEvent& event : events.subspan(1)) {
    if (event.lane != batch.lane) continue;
    if (event.name == GraphEventName::kThreadPoolBatch) break;
    const bool is_further = event.name == GraphEventName::kComponentExecute &&
                            event.worker >= kBits && event.worker != kNoIndex;
    if (is_further) workers.insert(event.worker);
  }
  return workers;
}

void write_batch(std::span<const GraphEvent> events, base::JsonWriter& json) {
  const GraphEvent& event = events.front();
  json.key("worker_ids");
  json.begin_array();
  for (const std::uint32_t worker : workers_of(events)) json.value(worker);
  json.end_array();
  json.member("batch_size", event.first & UINT32_MAX);
  json.member("rejected", event.first >> 32U);
}

/// Of the first of these events; the others are those that follow it.
void write_attributes(std::span<const GraphEvent> events, base::JsonWriter& json) {
  const GraphEvent& event = events.front();
  json.begin_object();
  switch (event.name) {
    case GraphEventName::kThreadPoolBatch:
      write_batch(events, json);
      break;
    case GraphEventName::kComponentExecute:
    case GraphEventName::kComponentExecuteEnd:
      json.member("messages", event.first);
      json.member("failed", event.second != 0);
      break;
    case GraphEventName::kFixedRateOverrun:
      json.member("excess_ms", static_cast<double>(event.first) / 1e6);
      break;
    case GraphEventName::kFixedRateSkippedTick:
      json.member("skipped_ticks", event.first);
      break;
    case GraphEventName::kChannelPublish:
    case GraphEventName::kChannelCommit:
      if (event.first > 0) json.member("number", event.first);
      break;
    case GraphEventName::kStateCommit:
      json.member("writes", event.first);
      break;
    case GraphEventName::kConfigTransaction:
      json.member("version", event.first);
      json.member("committed", event.second != 0);
      break;
    case GraphEventName::kLoopIterationBegin:
    case GraphEventName::kLoopIteration:
    case GraphEventName::kLoopIterationEnd:
      json.member("iteration", event.first);
      break;
    case GraphEventName::kLoopEnd:
      json.member("iterations", event.first);
      json.member("converged", event.second != 0);
      break;
    case GraphEventName::kHealthEvent:
      json.member("kind", to_string(static_cast<HealthKind>(event.first)));
      json.member("count", event.second);
      break;
    case GraphEventName::kTaskSubmitted:
      json.member("task", event.first);
      break;
    case GraphEventName::kTaskCompleted:
      json.member("task", event.first);
      json.member("ok", event.second != 0);
      break;
    default:
      break;
  }
  json.end_object();
}

void write_places(const CompiledGraph& graph, const GraphEvent& event, base::JsonWriter& json) {
  if (event.lane != kNoIndex) json.member("lane", graph.lanes[event.lane].id);
  const std::string_view component = component_of(graph, event);
  if (!component.empty()) json.member("component_id", component);
  if (event.channel != kNoIndex) json.member("channel_id", graph.edges[event.channel].id);
  if (event.worker != kNoIndex) json.member("worker_id", event.worker);
}

std::uint32_t thread_of(const GraphEvent& event) {
  if (event.lane == kNoIndex) return 0;
  return (event.lane + 1) * kThreadsPerLane + (event.worker == kNoIndex ? 0 : event.worker + 1);
}

void write_chrome_event(const CompiledGraph& graph,
                        const GraphEvent& event,
                        base::JsonWriter& json) {
  const std::string_view component = component_of(graph, event);
  json.begin_object();
  const bool is_body = event.name == GraphEventName::kComponentExecute;
  json.member("name", is_body ? component : to_string(event.name));
  json.member("cat", "graph");
  json.member("ph", event.has_duration ? "X" : "i");
  json.member("ts", microseconds(event.time));
  if (event.has_duration) {
    json.member("dur", microseconds(event.duration));
  } else {
    json.member("s", "t");
  }
  json.member("pid", event.domain);
  json.member("tid", thread_of(event));
  json.key("args");
  json.begin_object();
  json.member("epoch", event.epoch);
  write_places(graph, event, json);
  json.end_object();
  json.end_object();
}

/// Whether a span of the same name says it already.
bool is_part_of_span(GraphEventName name) {
  const std::string_view text = to_string(name);
  return text.ends_with("_begin") || (text.ends_with("_end") && name != GraphEventName::kLoopEnd);
}

}  // namespace

void write_trace_json(const CompiledGraph& graph,
                      const RuntimeRunnerResult& result,
                      base::JsonWriter& json) {
  json.begin_object();
  json.member("ok", result.ok);
  json.member("trace_schema_version", kTraceSchemaVersion);
  json.member("dropped", result.events_dropped);
  json.key("events");
  json.begin_array();
  const std::span<const GraphEvent> events(result.events);
  for (std::size_t i = 0; i < events.size(); ++i) {
    const GraphEvent& event = events[i];
    json.begin_object();
    json.member("name", to_string(event.name));
    json.member("domain", graph.domains[event.domain].id);
    json.member("epoch", event.epoch);
    json.member("time_us", microseconds(event.time));
    if (event.has_duration) json.member("duration_us", microseconds(event.duration));
    write_places(graph, event, json);
    json.key("attributes");
    write_attributes(events.subspan(i), json);
    json.end_object();
  }
  json.end_array();
  json.end_object();
}

std::string trace_text(const CompiledGraph& graph, const RuntimeRunnerResult& result) {
  std::string text;
  const std::span<const GraphEvent> events(result.events);
  for (std::size_t i = 0; i < events.size(); ++i) {
    const GraphEvent& event = events[i];
    std::string attributes;
    base::JsonWriter json(attributes);
    write_attributes(events.subspan(i), json);
    std::string place(component_of(graph, event));
    if (place.empty() && event.channel != kNoIndex) place = graph.edges[event.channel].id;
    if (place.empty() && event.lane != kNoIndex) place = graph.lanes[event.lane].id;
    text += base::format("{:12.3f} us  {}/{}  {:34} {} {}\n",
                         microseconds(event.time),
                         graph.domains[event.domain].id,
                         event.epoch,
                         to_string(event.name),
                         place,
                         attributes == "{}" ? std::string() : attributes);
  }
  if (result.events_dropped > 0) {
    text += base::format("{} more events found no room\n", result.events_dropped);
  }
  return text;
}

std::string chrome_trace(const CompiledGraph& graph, const RuntimeRunnerResult& result) {
  std::string text;
  base::JsonWriter json(text);
  json.begin_object();
  json.key("traceEvents");
  json.begin_array();
  for (std::size_t i = 0; i < graph.domains.size(); ++i) {
    json.begin_object();
    json.member("name", "process_name");
    json.member("ph", "M");
    json.member("pid", i);
    json.key("args");
    json.begin_object();
    json.member("name", graph.domains[i].id);
    json.end_object();
    json.end_object();
  }
  for (const GraphEvent& event : result.events) {
    if (!is_part_of_span(event.name)) write_chrome_event(graph, event, json);
  }
  json.end_array();
  json.member("displayTimeUnit", "ms");
  json.end_object();
  return text + "\n";
}

}  // namespace millrace::graph
