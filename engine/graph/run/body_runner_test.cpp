#include "graph/run/body_runner.h"

#include <chrono>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "graph/payload.h"
#include "graph/run/run_fixture.h"
#include "graph/run/run_result.h"
#include "graph/run/runtime_runner.h"
#include "graph/watch/health.h"
#include "loop/stop.h"

namespace millrace::graph {
namespace {

using namespace std::chrono_literals;

/// Values 1 to 4, one per 10 ms, to a step and an output.
RunText stepped(const std::string& step, const std::string& output = "") {
  return {
      .lanes = {"tick: {type: fixed_rate, period: 10ms}"},
      .components =
          {"id: s, type: core.counter, config: {count: 4}, execution: {lane: tick}",
           "id: w, " + step,
           "id: o, type: core.output, trigger_policy: {type: any_input}, execution: {lane: tick}" +
               output},
      .edges = {
          "id: sw, kind: immediate, from: s.out, to: w.in, policy: {mode: queue, capacity: 8}",
          "id: wo, kind: immediate, from: w.out, to: o.in, policy: {mode: queue, capacity: 8}"}};
}

std::string failing(const std::string& on_error, const std::string& fail_at = "[2]") {
  return "type: core.fail, config: {fail_at: " + fail_at +
         "}, trigger_policy: {type: any_input}, "
         "execution: {lane: tick, on_error: " +
         on_error + "}";
}

TEST(BodyRunner, G44_G45_AnOverrunIsReportedAndCancellationIsObservedByAskingOnly) {
  const auto asks = run_graph(stepped(
      "type: core.spend, config: {costs: [1ms, 5ms, 1ms]}, trigger_policy: {type: any_input}, "
      "execution: {lane: tick, budget: 2ms}"));
  EXPECT_EQ(asks.metric("runtime.component.budget_overrun_count", "w"), 1);
  EXPECT_EQ(asks.metric("runtime.component.timeout_budget_exceeded_count", "w"), 1);
  EXPECT_EQ(asks.metric("runtime.component.cancellation_requested_count", "w"), 1);
  EXPECT_EQ(asks.metric("runtime.component.cancellation_observed_count", "w"), 1);
  EXPECT_EQ(asks.metric("runtime.component.max_duration_ns", "w"), 5e6);
  EXPECT_EQ(asks.metric("runtime.component.last_duration_ns", "w"), 1e6);
  TestTypes types;
  types.add_body("t.Deaf", [](const Invocation&, GraphContext& context) -> base::Status {
    context.spend(5ms);
    return {};
  });
  const auto deaf = run_graph(
      stepped(
          "type: t.Deaf, trigger_policy: {type: any_input}, execution: {lane: tick, budget: 2ms}"),
      {},
      types);
  EXPECT_EQ(deaf.metric("runtime.component.cancellation_requested_count", "w"), 4);
  EXPECT_EQ(deaf.metric("runtime.component.cancellation_observed_count", "w"), 0);
}

TEST(BodyRunner, G39_AStopLetsTheEpochEndAndIsSeenByBodies) {
  loop::StopSource stop;
  std::vector<bool> seen;
  TestTypes types;
  types.add_body("t.Stop",
                 [&](const Invocation& invocation, GraphContext& context) -> base::Status {
                   seen.push_back(invocation.stop_requested());
                   stop.request_stop();
                   seen.push_back(invocation.cancel_requested());
                   context.publish("out", Payload(true));
                   return {};
                 });
  RuntimeRunnerOptions options{.stop_token = stop.token(), .steps = 9};
  const auto result =
      run_graph(stepped("type: t.Stop, trigger_policy: {type: any_input}, execution: {lane: tick}"),
                options,
                types);
  EXPECT_EQ(result.scheduler_stop_reason, SchedulerStopReason::kStopRequested);
  EXPECT_EQ(seen, (std::vector<bool>{false, true}));
  EXPECT_EQ(values_and_epochs(result), (Strings{"true@1"}));
  EXPECT_TRUE(result.ok);
}

TEST(BodyRunner, G44_AnAbandonedInvocationIsAnErrorAndPublishesNothing) {
  TestTypes types;
  types.add_body("t.Hang", [](const Invocation&, GraphContext& context) -> base::Status {
    context.publish("out", Payload(true));
    context.spend(50ms);
    EXPECT_FALSE(context.publish("out", Payload(false)));
    return {};
  });
  RunText parts = stepped(
      "type: t.Hang, trigger_policy: {type: any_input}, "
      "execution: {lane: pool, abandon_after: 5ms, on_error: continue}");
  parts.lanes.push_back("pool: {type: thread_pool, max_threads: 1, abandon_max: 2}");
  const auto result = run_graph(parts, {}, types);
  EXPECT_EQ(values(result), Strings());
  EXPECT_EQ(result.metric("runtime.component.abandoned_count", "w"), 3);
  EXPECT_EQ(result.metric("runtime.component.late_publish_count", "w"), 3);
  ASSERT_EQ(result.errors.size(), 1U) << "abandon_max is 2";
  EXPECT_EQ(result.errors.front().code, "too_many_abandoned");
}

TEST(BodyRunner, G46_FailFastStopsTheStageAndDeactivatesInReverse) {
  const auto result = run_graph(stepped(failing("fail_fast")));
  EXPECT_EQ(values(result), (Strings{"1"}));
  EXPECT_EQ(result.scheduler_stop_reason, SchedulerStopReason::kError);
  ASSERT_EQ(result.errors.size(), 1U);
  EXPECT_EQ(result.errors.front().message, "failed as configured");
  EXPECT_EQ(result.metric("runtime.component.error_count", "w"), 1);
}

TEST(BodyRunner, G47_ContinueDiscardsTheOutputsOfTheInvocation) {
  const auto result = run_graph(stepped(failing("continue")));
  EXPECT_EQ(values(result), (Strings{"1", "3", "4"}));
  EXPECT_TRUE(result.ok);
}

TEST(BodyRunner, G47_IsolateLetsTheOthersGoOn) {
  const auto result = run_graph(stepped(failing("isolate")));
  EXPECT_EQ(values(result), (Strings{"1"}));
  EXPECT_TRUE(result.ok);
  EXPECT_EQ(result.metric("runtime.component.execution_count", "w"), 2);
  EXPECT_EQ(result.metric("runtime.trigger.isolated_drop_count", "w"), 2);
  ASSERT_EQ(result.health_events.size(), 1U);
  EXPECT_EQ(result.health_events.front().kind, HealthKind::kComponentIsolated);
}

TEST(BodyRunner, G47_RestartMakesANewInstanceAfterTheBackoff) {
  const auto result = run_graph(stepped(failing("{restart: {max: 2, window: 1s, backoff: 15ms}}")));
  // The second call fails at 10 ms; the new instance may run from 25 ms on, and fails at its
  // second.
  EXPECT_EQ(values_and_times(result), (Strings{"1@0", "3@30"}));
  EXPECT_EQ(result.metric("runtime.component.restart_count", "w"), 2);
  EXPECT_TRUE(result.ok);
}

TEST(BodyRunner, G47_TooManyFailuresWithinTheWindowFailTheRun) {
  const auto result = run_graph(stepped(failing("{restart: {max: 1, window: 1s}}", "[1]")));
  ASSERT_EQ(result.errors.size(), 1U);
  EXPECT_EQ(result.errors.front().code, "component_execute");
  EXPECT_EQ(result.metric("runtime.component.restart_count", "w"), 1);
  EXPECT_TRUE(run_graph(stepped(failing("{restart: {max: 1, window: 5ms}}", "[1]"))).ok);
}

TEST(BodyRunner, G73_OutputsMeasureTheAgeSinceTheRoot) {
  const auto result =
      run_graph(stepped("type: core.spend, config: {cost: 7ms}, trigger_policy: {type: any_input}, "
                        "execution: {lane: tick}",
                        ", boundary: {max_age: 5ms}"));
  EXPECT_EQ(result.metric("runtime.path.age_ms", "s"), 4);
  EXPECT_EQ(result.metric("runtime.path.max_age_exceeded_count", "o"), 4);
  ASSERT_EQ(result.health_events.size(), 1U);
  EXPECT_EQ(result.health_events.front().kind, HealthKind::kMaxAge);
  EXPECT_EQ(result.health_events.front().count, 4U);
}

}  // namespace
}  // namespace millrace::graph
