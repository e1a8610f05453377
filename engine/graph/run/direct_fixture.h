#pragma once

#include <gtest/gtest.h>

#include "base/format.h"
#include "graph/run/run_fixture.h"
#include "graph/run/run_options.h"
#include "graph/run/run_result.h"

namespace millrace::graph {

/// All that a run tells, apart from what tracing itself counts.
inline Strings describe(const RuntimeRunnerResult& result) {
  Strings lines;
  for (const OutputRecord& output : result.outputs) {
    lines.push_back(base::format("{} epoch {} at {}: {} of {} by {}",
                                 output.component,
                                 output.epoch,
                                 output.time.count(),
                                 output.value.to_json(),
                                 output.correlation,
                                 output.causation));
  }
  for (const RunError& error : result.errors) {
    lines.push_back(base::format("{} {}: {}", error.component, error.code, error.message));
  }
  for (const RuntimeMetric& metric : result.runtime_metrics) {
    if (metric.name.starts_with("runtime.trace.")) continue;
    lines.push_back(base::format("{} {}{}{} {}",
                                 metric.name,
                                 metric.lane,
                                 metric.component_id,
                                 metric.channel_id,
                                 metric.value));
  }
  lines.push_back(base::format(
      "{} invocations, {} health events", result.invocations, result.health_events.size()));
  return lines;
}

/// Runs once directly and once, because it is traced, by records.
inline void expect_same(const RunText& graph, const TestTypes& types) {
  const RuntimeRunnerResult direct = run_graph(graph, {.steps = 12}, types);
  RuntimeRunnerOptions traced{.steps = 12};
  traced.trace = true;
  const RuntimeRunnerResult by_records = run_graph(graph, traced, types);
  EXPECT_FALSE(by_records.events.empty());
  EXPECT_EQ(describe(direct), describe(by_records));
}

}  // namespace millrace::graph
