#include "graph/run/run_result.h"

#include <gtest/gtest.h>

namespace millrace::graph {
namespace {

TEST(RunResult, NamesReasonsAndFindsMetrics) {
  EXPECT_EQ(to_string(SchedulerStopReason::kNotStarted), "not_started");
  EXPECT_EQ(to_string(SchedulerStopReason::kTickBound), "tick_bound");
  EXPECT_EQ(to_string(SchedulerStopReason::kError), "error");
  RuntimeRunnerResult result;
  result.runtime_metrics = {
      {.name = "runtime.component.error_count", .value = 2, .component_id = "a"},
      {.name = "runtime.component.error_count", .value = 3, .component_id = "b"}};
  EXPECT_EQ(result.metric("runtime.component.error_count", "b"), 3);
  EXPECT_EQ(result.metric("runtime.component.error_count"), 5);
  EXPECT_EQ(result.metric("runtime.component.restart_count"), 0);
}

}  // namespace
}  // namespace millrace::graph
