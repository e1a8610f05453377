#include "engine_run.h"

#include <cstdint>
#include <string>

#include "base/check.h"
#include "graph/payload.h"
#include "graph/run/run_result.h"
#include "graph/run/runtime_runner.h"
#include "graph/watch/graph_event.h"

namespace millrace::graph_reference {
namespace {

using graph::GraphEvent;
using graph::GraphEventName;

void add_events(const graph::CompiledGraph& graph,
                const graph::RuntimeRunnerResult& result,
                Outcome& outcome) {
  for (const GraphEvent& event : result.events) {
    const auto epoch = static_cast<std::int64_t>(event.epoch);
    if (event.name == GraphEventName::kSchedulerIteration) {
      outcome.epoch_spans.push_back(
          {graph.domains[event.domain].id, epoch, event.time, event.time + event.duration});
    }
    if (event.name == GraphEventName::kComponentExecute) {
      outcome.executions.push_back(
          {graph.components[event.component].id, epoch, event.time, event.duration});
    }
  }
}

}  // namespace

graph::RuntimeRunnerOptions engine_options(const RunOptions& options) {
  graph::RuntimeRunnerOptions all;
  if (options.steps) all.steps = static_cast<std::uint64_t>(*options.steps);
  all.duration = options.duration;
  all.until_idle = options.until_idle;
  all.virtual_time = true;
  all.keep_outputs = true;
  all.trace = true;
  for (const Injection& injection : options.injections) {
    auto value = graph::Payload::parse(injection.value);
    MR_CHECK(value.has_value());
    all.injections.push_back(
        {.at = injection.at, .component = injection.component, .value = *value});
  }
  return all;
}

Outcome run_engine(const graph::CompiledGraph& graph,
                   const graph::ComponentRegistry& registry,
                   const RunOptions& options,
                   bool is_traced) {
  graph::RuntimeRunnerOptions all = engine_options(options);
  all.trace = is_traced;
  const graph::RuntimeRunnerResult result = graph::RuntimeRunner::run(graph, registry, all);
  Outcome outcome{.stop_reason = std::string(to_string(result.scheduler_stop_reason))};
  if (!result.errors.empty()) {
    outcome.error_code = result.errors.front().code;
    outcome.error_component = result.errors.front().component;
  }
  for (const graph::DomainEpochs& domain : result.epochs) {
    outcome.epochs[domain.domain] = static_cast<std::int64_t>(domain.epochs);
  }
  for (const graph::OutputRecord& output : result.outputs) {
    outcome.lines.push_back({graph.components[output.component].id,
                             static_cast<std::int64_t>(output.epoch),
                             output.time,
                             output.value.to_json(),
                             output.correlation,
                             output.causation});
  }
  add_events(graph, result, outcome);
  for (const graph::RuntimeMetric& metric : result.runtime_metrics) {
    const std::string label = metric.lane + metric.component_id + metric.channel_id;
    outcome.metrics[std::string(metric.name) + "{" + label + "}"] = metric.value;
  }
  for (const graph::LoopStop& stop : result.loop_stop_reason) {
    if (!stop.reason.empty()) outcome.loop_stop_reasons[stop.loop] = stop.reason;
  }
  for (const graph::StateTableView& table : result.state) {
    for (const graph::StateEntry& entry : table.values) {
      outcome.tables[table.name][entry.key] = entry.value.to_json();
    }
  }
  return outcome;
}

}  // namespace millrace::graph_reference
