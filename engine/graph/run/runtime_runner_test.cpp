#include "graph/run/runtime_runner.h"

#include <chrono>
#include <string>

#include <gtest/gtest.h>

#include "base/metrics/metrics_registry.h"
#include "graph/run/run_fixture.h"
#include "graph/run/run_result.h"

namespace millrace::graph {
namespace {

using namespace std::chrono_literals;

std::string refusal(const std::string& component,
                    const RuntimeRunnerOptions& options,
                    const char* lane = "main: {type: event_loop}") {
  const CompiledGraph graph =
      TestTypes().compile(RunText{.lanes = {lane}, .components = {component}}.text());
  const auto status = check_options(graph, options);
  return status ? "" : status.error().message();
}

TEST(RuntimeRunner, G61_VirtualTimeNeedsABoundThatHolds) {
  const std::string endless = "id: s, type: core.counter, execution: {lane: main}";
  const std::string finite =
      "id: s, type: core.counter, config: {count: 3}, execution: {lane: main}";
  EXPECT_NE(refusal(finite, {.virtual_time = true}), "");
  EXPECT_EQ(refusal(endless, {.steps = 1, .virtual_time = true}), "");
  EXPECT_EQ(refusal(finite, {.duration = 1s, .virtual_time = true}), "");
  EXPECT_NE(refusal(endless, {.duration = 1s, .virtual_time = true}), "");
  EXPECT_EQ(
      refusal(
          endless, {.duration = 1s, .virtual_time = true}, "main: {type: fixed_rate, period: 1ms}"),
      "");
  EXPECT_NE(refusal(endless, {.duration = 1s, .virtual_time = true}, "main: {type: fixed_rate}"),
            "");
}

TEST(RuntimeRunner, RefusedOptionsDoNotStartTheGraph) {
  const CompiledGraph graph = TestTypes().compile(
      RunText{.components = {"id: s, type: core.counter, execution: {lane: main}"}}.text());
  RuntimeRunnerOptions options{.steps = 1, .virtual_time = true};
  options.injections.push_back({.component = "s", .value = Payload(true)});
  const auto result = RuntimeRunner::run(graph, builtin_registry(), options);
  EXPECT_EQ(result.scheduler_stop_reason, SchedulerStopReason::kNotStarted);
  EXPECT_FALSE(result.ok);
  EXPECT_EQ(result.errors.size(), 1U);
}

TEST(RuntimeRunner, AManualDomainOfLowestRankIsSteppedByTheBound) {
  const auto result =
      run_graph({.lanes = {"hand: {type: manual_step}"},
                 .components = {"id: s, type: core.counter, execution: {lane: hand}"}},
                {.steps = 3});
  EXPECT_EQ(result.epochs.front().epochs, 3U);
  EXPECT_EQ(result.scheduler_stop_reason, SchedulerStopReason::kTickBound);
}

TEST(RuntimeRunner, CellsAreInTheRegistryOfTheProcess) {
  base::MetricsRegistry registry;
  RuntimeRunnerOptions options{.steps = 5};
  options.metrics = &registry;
  run_graph({.components = {"id: s, type: core.counter, execution: {lane: main}"}}, options);
  double executions = 0;
  for (const auto& metric : registry.snapshot()) {
    if (metric.descriptor.name == "runtime.component.execution_count") {
      executions += metric.series.front().value.value;
    }
  }
  EXPECT_EQ(executions, 5);
}

}  // namespace
}  // namespace millrace::graph
