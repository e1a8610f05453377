#include "bridge/graph_pages.h"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/formats/json_writer.h"
#include "graph/compile/compiled_graph.h"
#include "graph/format/diagnostic.h"
#include "graph/report/plan_report.h"
#include "graph/report/run_report.h"
#include "graph/run/run_result.h"
#include "graph/run/runtime.h"

namespace millrace::bridge {
namespace {

constexpr std::string_view kSchedulerPrefix = "runtime.scheduler.";

void write_facts(const graph::CompiledGraph& graph,
                 const GraphFacts& facts,
                 const graph::RunOverview& overview,
                 base::JsonWriter& json) {
  json.member("name", graph.name);
  json.member("state", facts.state);
  if (facts.problem) json.member("problem", *facts.problem);
  json.key("epochs");
  json.begin_object();
  for (const graph::DomainEpochs& domain : overview.epochs)
    json.member(domain.domain, domain.epochs);
  json.end_object();
}

void write_lanes(const graph::CompiledGraph& graph,
                 const std::vector<graph::RuntimeMetric>& metrics,
                 base::JsonWriter& json) {
  json.key("lanes");
  json.begin_array();
  for (const auto& lane : graph.lanes) {
    json.begin_object();
    json.member("lane", lane.id);
    for (const graph::RuntimeMetric& metric : metrics) {
      if (metric.lane == lane.id && metric.name.starts_with(kSchedulerPrefix))
        json.member(metric.name, metric.value);
    }
    json.end_object();
  }
  json.end_array();
}

}  // namespace

graph::RunOverview overview_of(const graph::Runtime* runtime,
                               const std::optional<graph::RuntimeRunnerResult>& result) {
  if (!result) return runtime == nullptr ? graph::RunOverview() : runtime->overview();
  return {.epochs = result->epochs,
          .invocations = result->invocations,
          .time = result->time,
          .health_events = result->health_events};
}

std::vector<graph::RuntimeMetric> metrics_of(
    const graph::Runtime* runtime, const std::optional<graph::RuntimeRunnerResult>& result) {
  if (result) return result->runtime_metrics;
  return runtime == nullptr ? std::vector<graph::RuntimeMetric>() : runtime->metrics();
}

std::string graph_summary(const graph::CompiledGraph& graph,
                          const GraphFacts& facts,
                          const graph::RunOverview& overview) {
  std::string out;
  base::JsonWriter json(out);
  json.begin_object();
  write_facts(graph, facts, overview, json);
  json.end_object();
  return out;
}

std::string graph_page(const graph::CompiledGraph& graph,
                       const graph::DiagnosticReport& report,
                       const GraphFacts& facts,
                       const graph::RunOverview& overview,
                       const PageTables& tables) {
  std::string out;
  base::JsonWriter json(out);
  json.begin_object();
  write_facts(graph, facts, overview, json);
  json.member("invocations", overview.invocations);
  json.member("time_ms", std::chrono::duration<double, std::milli>(overview.time).count());
  write_lanes(graph, tables.metrics, json);
  json.key("health_events");
  graph::write_health_json(graph, overview.health_events, json);
  std::string pinned;
  tables.pinned->append_json(pinned);
  json.raw_member("state_tables", pinned);
  json.key("plan");
  graph::write_plan_json(graph, report, json);
  json.end_object();
  return out;
}

}  // namespace millrace::bridge
