#include "graph/run/trigger.h"

#include <chrono>
#include <string>

#include <gtest/gtest.h>

#include "graph/payload.h"
#include "graph/run/run_fixture.h"
#include "graph/run/run_result.h"
#include "graph/run/runtime_runner.h"

namespace millrace::graph {
namespace {

using namespace std::chrono_literals;

/// Inputs a and b that the host feeds, one component with a trigger, and what it collects.
RunText collected(const std::string& trigger,
                  const std::string& policy = "mode: queue, capacity: 8") {
  return {.components = {"id: a, type: core.input, execution: {lane: main}",
                         "id: b, type: core.input, execution: {lane: main}",
                         "id: c, type: core.collect, trigger_policy: {" + trigger +
                             "}, execution: {lane: main}",
                         "id: o, type: core.output, trigger_policy: {type: any_input}, "
                         "execution: {lane: main}"},
          .edges = {"id: ea, kind: immediate, from: a.out, to: c.a, policy: {" + policy + "}",
                    "id: eb, kind: immediate, from: b.out, to: c.b, policy: {" + policy + "}",
                    "id: eo, kind: immediate, from: c.out, to: o.in, policy: {mode: queue, "
                    "capacity: 64}"}};
}

TimedInjection at(Duration time, const char* component, std::int64_t value) {
  return {.at = time, .component = component, .value = Payload(value)};
}
TimedInjection stamped(const char* component, std::int64_t value, Duration event_time) {
  return {.at = 0ms, .component = component, .value = Payload(value), .event_time = event_time};
}

RuntimeRunnerResult run_injected(const RunText& parts, std::vector<TimedInjection> injections) {
  RuntimeRunnerOptions options;
  options.injections = std::move(injections);
  return run_graph(parts, options);
}

TEST(Trigger, G24_ATimerFiresAtTheFirstBoundaryAndMakesNothingUp) {
  const RunText parts{
      .lanes = {"tick: {type: fixed_rate, period: 10ms}"},
      .components = {"id: s, type: core.counter, event_sources: [{type: timer, period: 40ms}], "
                     "execution: {lane: tick}",
                     "id: o, type: core.output, trigger_policy: {type: any_input}, "
                     "execution: {lane: tick}"},
      .edges = {"id: e, kind: immediate, from: s.out, to: o.in"}};
  EXPECT_EQ(values_and_epochs(run_graph(parts, {.steps = 9})), (Strings{"1@1", "2@5", "3@9"}));
}

TEST(Trigger, G24_PeriodsThatPassAreCounted) {
  const RunText parts{
      .lanes = {"tick: {type: fixed_rate, period: 100ms}"},
      .components = {"id: s, type: core.counter, event_sources: [{type: timer, period: 40ms}], "
                     "execution: {lane: tick}"}};
  const RuntimeRunnerResult result = run_graph(parts, {.steps = 3});
  // Due at 0, 40, 80, 120, 160, 200; looked at at 0, 100, 200.
  EXPECT_EQ(result.metric("runtime.component.execution_count", "s"), 3);
  EXPECT_EQ(result.metric("runtime.trigger.missed_timer_count", "s"), 3);
}

TEST(Trigger, G24_ManualRunsOncePerEpochUntilItFinishes) {
  const RunText parts{.components = {"id: s, type: core.counter, config: {count: 3}, "
                                     "execution: {lane: main}"}};
  const RuntimeRunnerResult result = run_graph(parts);
  EXPECT_EQ(result.epochs.front().epochs, 3U);
  EXPECT_EQ(result.scheduler_stop_reason, SchedulerStopReason::kIdle);
}

TEST(Trigger, G25_AnyInputTakesMessagesInOrderOfArrivalOverPorts) {
  const auto result = run_injected(collected("type: any_input, inputs: [b, a]"),
                                   {at(0ms, "a", 1), at(0ms, "b", 2), at(0ms, "a", 3)});
  // a runs before b: all of a's messages arrive first.
  EXPECT_EQ(values(result), (Strings{"[1]", "[3]", "[2]"}));
}

TEST(Trigger, G25_AllInputsTakesOneOfEachInTheListedOrder) {
  const auto result = run_injected(
      collected("type: all_inputs, inputs: [b, a]"),
      {at(0ms, "a", 1), at(0ms, "a", 2), at(5ms, "b", 10), at(6ms, "b", 20), at(7ms, "b", 30)});
  EXPECT_EQ(values_and_times(result), (Strings{"[10,1]@5", "[20,2]@6"}));
}

TEST(Trigger, G25_TimeSyncDropsTheOldestFrontUntilTheyAreClose) {
  const auto result = run_injected(
      collected("type: time_sync, inputs: [a, b], slop: 2ms"),
      {stamped("a", 1, 0ms), stamped("a", 2, 10ms), stamped("b", 3, 9ms), stamped("b", 4, 30ms)});
  EXPECT_EQ(values(result), (Strings{"[2,3]"}));
  EXPECT_EQ(result.metric("runtime.trigger.time_sync_drop_count", "c"), 1);
}

TEST(Trigger, G25_BatchesAreFullOrTheirWindowIsOver) {
  const auto result =
      run_injected(collected("type: batch, inputs: [a, b], batch_size: 2, batch_window: 10ms"),
                   {at(0ms, "a", 1), at(1ms, "b", 2), at(2ms, "a", 3)});
  EXPECT_EQ(values_and_times(result), (Strings{"[1,2]@1", "[3]@12"}));
  EXPECT_EQ(result.metric("runtime.trigger.batch_flush_count", "c"), 1);
}

TEST(Trigger, G25_WatermarkDropsWhatIsTooLate) {
  const auto result = run_injected(
      collected("type: watermark, inputs: [a], lateness: 5ms"),
      {stamped("a", 1, 10ms), stamped("a", 2, 5ms), stamped("a", 3, 4ms), stamped("a", 4, 20ms)});
  EXPECT_EQ(values(result), (Strings{"[1]", "[2]", "[4]"}));
  EXPECT_EQ(result.metric("runtime.trigger.late_drop_count", "c"), 1);
}

TEST(Trigger, G25_DebounceWaitsUntilTheNewestIsOldEnough) {
  const auto result = run_injected(collected("type: debounce, inputs: [a], window: 10ms"),
                                   {at(0ms, "a", 1), at(6ms, "a", 2), at(9ms, "a", 3)});
  EXPECT_EQ(values_and_times(result), (Strings{"[3]@19"}));
  EXPECT_EQ(result.metric("runtime.trigger.coalesced_count", "c"), 2);
}

TEST(Trigger, G25_RateLimitTakesOneAndWaits) {
  const auto result = run_injected(collected("type: rate_limit, inputs: [a], min_interval: 10ms"),
                                   {at(0ms, "a", 1), at(1ms, "a", 2), at(2ms, "a", 3)});
  EXPECT_EQ(values_and_times(result), (Strings{"[1]@0", "[2]@10", "[3]@20"}));
  EXPECT_GT(result.metric("runtime.trigger.rate_limit_suppressed_count", "c"), 0);
}

TEST(Trigger, G25_ConditionsAreAllAnyAndTimestampPresent) {
  EXPECT_EQ(values(run_injected(collected("type: condition, condition: all_inputs_ready"),
                                {at(0ms, "a", 1), at(0ms, "b", 2)})),
            (Strings{"[1,2]"}));
  EXPECT_EQ(values(run_injected(collected("type: condition, condition: any_input_ready"),
                                {at(0ms, "a", 1), at(0ms, "b", 2)})),
            (Strings{"[1]", "[2]"}));
  const auto result =
      run_injected(collected("type: condition, condition: event_timestamp_present, inputs: [a]"),
                   {at(0ms, "a", 1), stamped("a", 2, 1ms)});
  EXPECT_EQ(values(result), (Strings{"[2]"}));
  EXPECT_EQ(result.metric("runtime.trigger.condition_suppressed_count", "c"), 1);
}

TEST(Trigger, G25_CoalesceTakesTheNewestOfEachInput) {
  const auto result = run_injected(collected("type: any_input, inputs: [a, b], coalesce: true"),
                                   {at(0ms, "a", 1), at(0ms, "a", 2), at(0ms, "b", 3)});
  EXPECT_EQ(values(result), (Strings{"[2,3]"}));
  EXPECT_EQ(result.metric("runtime.trigger.coalesced_count", "c"), 1);
}

TEST(Trigger, G25_MaxLatencyDropsWhatWaitedTooLong) {
  const auto result = run_injected(collected("type: all_inputs, inputs: [a, b], max_latency: 5ms"),
                                   {at(0ms, "a", 1), at(6ms, "b", 2), at(8ms, "a", 3)});
  EXPECT_EQ(values_and_times(result), (Strings{"[3,2]@8"}));
  EXPECT_EQ(result.metric("runtime.trigger.timeout_drop_count", "c"), 1);
}

TEST(Trigger, G19_LifespanIsExactAndDeadlineIsCounted) {
  const auto result =
      run_injected(collected("type: all_inputs, inputs: [a, b]",
                             "mode: queue, capacity: 8, lifespan: 5ms, deadline: 4ms"),
                   {at(0ms, "a", 1), at(5ms, "b", 2), at(10ms, "a", 3), at(16ms, "b", 4)});
  EXPECT_EQ(values_and_times(result), (Strings{"[1,2]@5"}));
  EXPECT_EQ(result.metric("runtime.channel.stale_drop_count", "ea"), 1);
  EXPECT_EQ(result.metric("runtime.channel.deadline_miss_count", "ea"), 1);
}

TEST(Trigger, G72_SilenceInvokesOnceAndAgainOnlyAfterAMessage) {
  const auto result = run_injected(collected("type: any_input, inputs: [a], max_silence: 10ms"),
                                   {at(4ms, "a", 1), at(50ms, "a", 2)});
  EXPECT_EQ(values_and_times(result), (Strings{"[1]@4", "[]@14", "[2]@50", "[]@60"}));
  EXPECT_EQ(result.metric("runtime.trigger.silence_count", "c"), 2);
  ASSERT_FALSE(result.health_events.empty());
  EXPECT_EQ(result.health_events.front().kind, HealthKind::kSilence);
}

TEST(Trigger, G26_EveryTimeRuleIsExactWhenBodiesTakeTime) {
  RunText parts = collected("type: debounce, inputs: [a], window: 10ms");
  parts.components[0] = "id: x, type: core.input, execution: {lane: main}";
  parts.components.push_back(
      "id: a, type: core.spend, config: {cost: 3ms}, trigger_policy: {type: any_input}, "
      "execution: {lane: main}");
  parts.edges.push_back(
      "id: ex, kind: immediate, from: x.out, to: a.in, policy: {mode: queue, capacity: 8}");
  // a ends at 3 ms, so its message is 10 ms old at 13 ms.
  EXPECT_EQ(values_and_times(run_injected(parts, {at(0ms, "x", 1)})), (Strings{"[1]@13"}));
}

TEST(Trigger, G20_ALatchedInputIsPresentForEverySet) {
  RunText parts = collected("type: all_inputs, inputs: [a, b]");
  parts.edges[1] = "id: eb, kind: immediate, from: b.out, to: c.b, policy: {mode: latched}";
  const auto result = run_injected(
      parts, {at(0ms, "a", 1), at(1ms, "b", 7), at(2ms, "a", 2), at(3ms, "b", 8), at(4ms, "a", 3)});
  EXPECT_EQ(values_and_times(result), (Strings{"[1,7]@1", "[2,7]@2", "[3,8]@4"}));
}

/// Input x of c has a latched edge from a beside a queue from b; input y has an edge from d.
RunText mixed(const std::string& trigger, const std::string& mode_of_y) {
  RunText parts = collected(trigger);
  parts.components.push_back("id: d, type: core.input, execution: {lane: main}");
  parts.edges[0] = "id: ea, kind: immediate, from: a.out, to: c.x, policy: {mode: latched}";
  parts.edges[1] =
      "id: eb, kind: immediate, from: b.out, to: c.x, policy: {mode: queue, capacity: 8}";
  parts.edges.push_back("id: ed, kind: immediate, from: d.out, to: c.y, policy: {" + mode_of_y +
                        "}");
  return parts;
}

TEST(Trigger, G20_AUsedLatchedValueHidesNoMessageOfItsInput) {
  const auto result =
      run_injected(mixed("type: all_inputs, inputs: [x, y]", "mode: queue, capacity: 8"),
                   {at(0ms, "a", 1),
                    at(0ms, "d", 10),
                    at(1ms, "b", 2),
                    at(1ms, "d", 20),
                    at(2ms, "d", 30),
                    at(3ms, "b", 3),
                    at(4ms, "d", 40)});
  EXPECT_EQ(values_and_times(result), (Strings{"[1,10]@0", "[2,20]@1", "[1,30]@2", "[3,40]@4"}));
}

TEST(Trigger, G20_AMessageBesideLatchedValuesFiresOnce) {
  const auto result = run_injected(
      mixed("type: all_inputs, inputs: [x, y]", "mode: latched"),
      {at(0ms, "a", 1), at(0ms, "d", 10), at(1ms, "b", 2), at(1ms, "b", 3), at(2ms, "a", 4)});
  EXPECT_EQ(values_and_times(result), (Strings{"[1,10]@0", "[2,10]@1", "[3,10]@1", "[4,10]@2"}));
}

TEST(Trigger, G25_CoalesceTakesWhatCameAfterALatchedValue) {
  const auto result = run_injected(
      mixed("type: any_input, inputs: [x, y], coalesce: true", "mode: queue, capacity: 8"),
      {at(0ms, "a", 1), at(1ms, "b", 2), at(1ms, "b", 3), at(2ms, "d", 9)});
  EXPECT_EQ(values_and_times(result), (Strings{"[1]@0", "[3]@1", "[1,9]@2"}));
  EXPECT_EQ(result.metric("runtime.trigger.coalesced_count", "c"), 1);
}

TEST(Trigger, G25_WhatCoalescingDropsIsNotDelivered) {
  const auto result = run_injected(collected("type: debounce, inputs: [a], window: 1ms"),
                                   {at(0ms, "a", 1), at(0ms, "a", 2)});
  EXPECT_EQ(values_and_times(result), (Strings{"[2]@1"}));
  EXPECT_EQ(result.metric("runtime.channel.delivery_count", "ea"), 1);
  EXPECT_EQ(result.metric("runtime.trigger.coalesced_count", "c"), 1);
}

TEST(Trigger, G63_WhatCoalescingDropsGivesNoCorrelation) {
  const auto result = run_injected(collected("type: any_input, inputs: [a], coalesce: true"),
                                   {at(0ms, "a", 1), at(0ms, "a", 2)});
  ASSERT_EQ(result.outputs.size(), 1U);
  EXPECT_EQ(result.outputs.front().correlation, "a#2");
}

TEST(Trigger, G25_ACompleteBatchWaitsForTheInterval) {
  const std::vector<TimedInjection> two = {at(0ms, "a", 1), at(0ms, "a", 2)};
  EXPECT_EQ(values_and_times(run_injected(
                collected("type: batch, inputs: [a], batch_size: 1, min_interval: 5ms"), two)),
            (Strings{"[1]@0", "[2]@5"}));
  EXPECT_EQ(values_and_times(run_injected(collected("type: batch, inputs: [a], batch_size: 1, "
                                                    "batch_window: 50ms, min_interval: 5ms"),
                                          two)),
            (Strings{"[1]@0", "[2]@5"}));
}

TEST(Trigger, G25_TheOldestOfABatchIsTheOneThatWasPublishedFirst) {
  RunText parts = collected("type: batch, inputs: [a, b], batch_size: 4, batch_window: 8ms");
  // Both leave at 7 ms, in region order: x, which published at 7 ms, then y, which did at 0 ms.
  const Strings first = {
      "id: x, type: core.spend, config: {cost: 7ms}, trigger_policy: {type: "
      "any_input}, execution: {lane: pool}",
      "id: y, type: core.linear, config: {factor: 10}, trigger_policy: {type: "
      "any_input}, execution: {lane: main}"};
  parts.components.insert(parts.components.begin(), first.begin(), first.end());
  parts.lanes.push_back("pool: {type: thread_pool}");
  parts.edges[0] = "id: ea, kind: delay, from: x.out, to: c.a";
  parts.edges[1] = "id: eb, kind: delay, from: y.out, to: c.b";
  parts.edges.push_back("id: bx, kind: immediate, from: b.out, to: x.in");
  parts.edges.push_back("id: by, kind: immediate, from: b.out, to: y.in");
  EXPECT_EQ(values_and_times(run_injected(parts, {at(0ms, "b", 2)})), (Strings{"[2,20]@8"}));
}

TEST(Trigger, G25_ARuleThatWaitedIsDueEvenIfItThenDropsTheMessage) {
  const auto result =
      run_injected(collected("type: watermark, inputs: [a], lateness: 5ms, min_interval: 10ms"),
                   {stamped("a", 1, 20ms), stamped("a", 2, 5ms)});
  EXPECT_EQ(values_and_times(result), (Strings{"[1]@0"}));
  EXPECT_EQ(result.metric("runtime.trigger.late_drop_count", "c"), 1);
  EXPECT_EQ(result.epochs.front().epochs, 2U);
}

}  // namespace
}  // namespace millrace::graph
