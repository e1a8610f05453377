#include "graph/run/epoch_report.h"

#include <chrono>
#include <string>

#include <gtest/gtest.h>

#include "graph/run/run_fixture.h"
#include "graph/run/run_result.h"
#include "graph/run/runtime_runner.h"
#include "graph/watch/graph_event.h"

namespace millrace::graph {
namespace {

using namespace std::chrono_literals;

RuntimeRunnerResult run_costs(const std::string& lane,
                              const std::string& costs,
                              std::uint64_t steps) {
  RuntimeRunnerOptions options{.steps = steps, .trace = true};
  return run_graph(
      {.lanes = {"t: {type: fixed_rate, period: 10ms" + lane + "}"},
       .components = {"id: s, type: core.counter, execution: {lane: t}",
                      "id: w, type: core.spend, config: {costs: " + costs +
                          "}, trigger_policy: {type: any_input}, execution: {lane: t}"},
       .edges = {"id: e, kind: immediate, from: s.out, to: w.in"}},
      options);
}

TEST(EpochReport, G33_AnOverrunIsCountedWhenAnEpochTakesLongerThanTheBudget) {
  const auto result = run_costs(", tick_budget: 5ms", "[5ms, 6ms, 25ms, 0ms]", 4);
  EXPECT_EQ(result.metric("runtime.scheduler.tick_count", "t"), 4);
  EXPECT_EQ(result.metric("runtime.scheduler.tick_overrun_count", "t"), 2);
  EXPECT_EQ(result.metric("runtime.scheduler.max_lateness_ms", "t"), 15);
  EXPECT_EQ(result.metric("runtime.scheduler.last_callback_duration_ms", "t"), 0);
  EXPECT_EQ(result.metric("runtime.scheduler.tick_jitter_ms", "t"), 15) << "begun at 45, slot 30";
  EXPECT_EQ(result.metric("runtime.scheduler.skipped_tick_count", "t"), 0);
}

TEST(EpochReport, G34_SkippedTicksAreCountedAndTraced) {
  const auto result = run_costs(", wall_clock_enabled: true", "[25ms, 1ms]", 3);
  EXPECT_EQ(result.metric("runtime.scheduler.skipped_tick_count", "t"), 2);
  EXPECT_EQ(result.metric("runtime.scheduler.tick_overrun_count", "t"), 1);
  EXPECT_EQ(result.metric("runtime.scheduler.blocked_duration_ms", "t"), 9);
  std::string seen;
  for (const GraphEvent& event : result.events) {
    if (event.name == GraphEventName::kFixedRateSkippedTick)
      seen += base::format("skipped {} ", event.first);
    if (event.name == GraphEventName::kFixedRateOverrun)
      seen += base::format("excess {} ", event.first);
  }
  EXPECT_EQ(seen, "skipped 2 excess 15000000 ");
}

TEST(EpochReport, OfATripleTheBeginComesFirst) {
  const auto result = run_costs("", "[1ms]", 1);
  std::vector<std::string> names;
  for (const GraphEvent& event : result.events) names.emplace_back(to_string(event.name));
  ASSERT_GE(names.size(), 6U);
  EXPECT_EQ(names[0], "scheduler_iteration_begin");
  EXPECT_EQ(names[1], "fixed_rate_tick_begin");
  EXPECT_EQ((Strings(names.end() - 4, names.end())),
            (Strings{"fixed_rate_tick",
                     "fixed_rate_tick_end",
                     "scheduler_iteration",
                     "scheduler_iteration_end"}));
}

}  // namespace
}  // namespace millrace::graph
