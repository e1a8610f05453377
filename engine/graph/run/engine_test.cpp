#include "graph/run/engine.h"

#include <chrono>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "graph/payload.h"
#include "graph/run/run_fixture.h"
#include "graph/run/run_result.h"
#include "graph/run/runtime_runner.h"
#include "graph/watch/graph_event.h"

namespace millrace::graph {
namespace {

using namespace std::chrono_literals;

std::string counter(const std::string& id,
                    const std::string& lane,
                    const std::string& config = "") {
  return "id: " + id + ", type: core.counter, config: {" + config + "}, execution: {lane: " + lane +
         "}";
}
std::string output(const std::string& id, const std::string& lane) {
  return "id: " + id +
         ", type: core.output, trigger_policy: {type: any_input}, execution: {lane: " + lane + "}";
}

TEST(Engine, G35_TwoIndependentLanesTickThreeToOne) {
  const RunText parts{
      .lanes =
          {"fast: {type: fixed_rate, period: 10ms, wall_clock_enabled: true, independent: true}",
           "slow: {type: fixed_rate, period: 30ms, wall_clock_enabled: true, independent: true}"},
      .components = {counter("f", "fast"), counter("s", "slow")}};
  const auto result = run_graph(parts, {.duration = 300ms});
  EXPECT_EQ(result.epochs[0].epochs, 30U);
  EXPECT_EQ(result.epochs[1].epochs, 10U);
  EXPECT_EQ(result.scheduler_stop_reason, SchedulerStopReason::kDurationBound);
}

TEST(Engine, G61_ARunInVirtualTimeEndsBeforeItsTimesOverflow) {
  const std::string most = "2305843009213693951ns";  // the longest that a file may give
  const RunText parts{
      .components = {"id: t, type: core.counter, event_sources: [{type: timer, period: " + most +
                         "}], execution: {lane: main}",
                     "id: s, type: core.spend, config: {cost: " + most +
                         "}, trigger_policy: {type: any_input, max_silence: " + most +
                         "}, execution: {lane: main, budget: " + most +
                         ", on_error: {restart: {max: 9, backoff: " + most + "}}}",
                     "id: k, type: core.task, config: {delay: " + most +
                         "}, trigger_policy: {type: batch, batch_size: 1, batch_window: " + most +
                         "}, execution: {lane: main}",
                     output("o", "main")},
      .edges = {"id: ts, kind: immediate, from: t.out, to: s.in",
                "id: tk, kind: immediate, from: t.out, to: k.in",
                "id: so, kind: delay, from: s.out, to: o.in, policy: {lifespan: " + most + "}",
                "id: ko, kind: async, from: k.out, to: o.in, policy: {mode: queue, capacity: 9}"}};
  const auto result = run_graph(parts, {.steps = 1000});
  EXPECT_TRUE(result.ok);
  EXPECT_EQ(result.scheduler_stop_reason, SchedulerStopReason::kDurationBound);
  EXPECT_EQ(result.time.count(), 2305843009213693951);
  EXPECT_GT(result.invocations, 2U);
}

TEST(Engine, G60_WhatLeavesAtAnEndIsThereForEveryBoundaryAfterIt) {
  // p ends its epochs at 10, 20, ... when q begins: ends come first, although q has the lower rank.
  const RunText parts{
      .lanes = {"q: {type: fixed_rate, period: 10ms, wall_clock_enabled: true, independent: true}",
                "p: {type: fixed_rate, period: 10ms, wall_clock_enabled: true, independent: true}"},
      .components = {output("o", "q"),
                     counter("s", "p"),
                     "id: w, type: core.spend, config: {cost: 10ms}, trigger_policy: {type: "
                     "any_input}, execution: {lane: p}"},
      .edges = {"id: sw, kind: immediate, from: s.out, to: w.in",
                "id: e, kind: async, from: w.out, to: o.in"}};
  EXPECT_EQ(values_and_times(run_graph(parts, {.duration = 31ms})),
            (Strings{"1@10", "2@20", "3@30"}));
}

TEST(Engine, G60_AtTheSameTimeTheLowerRankBeginsFirst) {
  const RunText parts{
      .lanes = {"a: {type: fixed_rate, period: 10ms, wall_clock_enabled: true, independent: true}",
                "b: {type: fixed_rate, period: 10ms, wall_clock_enabled: true, independent: true}"},
      .components = {counter("x", "a", "count: 1"), output("o", "b")},
      .edges = {"id: e, kind: async, from: x.out, to: o.in"}};
  // a begins and ends at 0; its end comes before the beginning of b.
  EXPECT_EQ(values_and_times(run_graph(parts, {.duration = 20ms})), (Strings{"1@0"}));
}

TEST(Engine, G61_StepsCountEpochsOfTheLowestRank) {
  const auto result = run_graph({.components = {counter("s", "main")}}, {.steps = 7});
  EXPECT_EQ(result.epochs.front().epochs, 7U);
  EXPECT_EQ(result.scheduler_stop_reason, SchedulerStopReason::kTickBound);
  EXPECT_EQ(run_graph({.components = {counter("s", "main")}}, {.steps = 0}).epochs.front().epochs,
            0U);
}

TEST(Engine, G61_TheLastStepEndsTheRunAfterTheDurationToo) {
  // The second epoch of main lasts from 10 to 22 ms; what else would begin at 15 ms does not
  // matter.
  const auto run_with = [](const std::string& lane) {
    return run_graph(
        {.lanes = {"tick: {type: fixed_rate, period: 10ms}", lane},
         .components = {"id: x, type: core.spend, config: {costs: [0ms, 12ms]}, trigger_policy: "
                        "{type: manual}, execution: {lane: tick}",
                        counter("s", "other")}},
        {.steps = 2, .duration = 15ms});
  };
  const auto alone = run_with("other: {type: manual_step}");
  const auto beside = run_with(
      "other: {type: fixed_rate, period: 5ms, wall_clock_enabled: true, independent: true}");
  EXPECT_EQ(alone.scheduler_stop_reason, SchedulerStopReason::kTickBound);
  EXPECT_EQ(beside.scheduler_stop_reason, SchedulerStopReason::kTickBound);
  EXPECT_EQ(beside.epochs[1].epochs, 3U);
}

TEST(Engine, G61_NoEpochBeginsAtOrAfterTheDuration) {
  const RunText parts{.lanes = {"t: {type: fixed_rate, period: 10ms}"},
                      .components = {counter("s", "t")}};
  EXPECT_EQ(run_graph(parts, {.duration = 30ms}).epochs.front().epochs, 3U);
  EXPECT_EQ(run_graph(parts, {.duration = 31ms}).epochs.front().epochs, 4U);
}

TEST(Engine, G49_G61_UntilIdleEndsBehindTheLastThingThatCanHappen) {
  const RunText parts{.lanes = {"t: {type: fixed_rate, period: 10ms}"},
                      .components = {counter("s", "t", "count: 2"), output("o", "t")},
                      .edges = {"id: e, kind: delay, from: s.out, to: o.in"}};
  const auto result = run_graph(parts, {.until_idle = true});
  EXPECT_EQ(result.scheduler_stop_reason, SchedulerStopReason::kIdle);
  EXPECT_EQ(values_and_epochs(result), (Strings{"1@2", "2@3"}));
  EXPECT_EQ(result.epochs.front().epochs, 3U);
}

TEST(Engine, G61_AReadyGraphEndsWhenNothingCanHappen) {
  const auto result =
      run_graph({.components = {counter("s", "main", "count: 2")}}, {.duration = 1s});
  EXPECT_EQ(result.scheduler_stop_reason, SchedulerStopReason::kIdle);
}

TEST(Engine, TimeThatDoesNotAdvanceIsAnError) {
  TestTypes types;
  types.add_body("t.Tireless", [](const Invocation&, GraphContext&) -> base::Status { return {}; });
  const auto result =
      run_graph({.components = {"id: s, type: t.Tireless, execution: {lane: main}"}},
                {.until_idle = true},
                types);
  ASSERT_EQ(result.errors.size(), 1U);
  EXPECT_EQ(result.errors.front().code, "time_does_not_advance");
}

TEST(Engine, G63_CorrelationsAreInheritedOverDelayHopsFromTheEarliestMessage) {
  // Neither the first nor the last that is taken decides.
  for (const std::string inputs : {"a, b", "b, a"}) {
    const RunText parts{
        .components = {counter("a", "main", "count: 2"),
                       counter("b", "main", "count: 2"),
                       "id: c, type: core.collect, trigger_policy: {type: all_inputs, inputs: [" +
                           inputs + "]}, execution: {lane: main}",
                       output("o", "main")},
        .edges = {
            "id: ea, kind: immediate, from: a.out, to: c.a, policy: {mode: queue, capacity: 8}",
            "id: eb, kind: immediate, from: b.out, to: c.b, policy: {mode: queue, capacity: 8}",
            "id: eo, kind: delay, from: c.out, to: o.in, policy: {mode: queue, capacity: 8}"}};
    const auto result = run_graph(parts);
    ASSERT_EQ(result.outputs.size(), 2U);
    EXPECT_EQ(result.outputs[0].correlation, "a#1") << inputs;
    EXPECT_EQ(result.outputs[1].correlation, "a#2") << inputs;
    EXPECT_EQ(result.outputs[1].causation, "eo#2");
  }
}

TEST(Engine, G59_TheSameFileAndOptionsGiveTheSameRun) {
  const RunText parts{
      .lanes = {"main: {type: event_loop}", "pool: {type: thread_pool, max_threads: 3}"},
      .components = {counter("s", "main", "count: 20, per_invocation: 4"),
                     "id: w, type: core.spend, config: {costs: [3ms, 1ms, 2ms]}, trigger_policy: "
                     "{type: any_input}, execution: {lane: pool, reentrant: true}",
                     output("o", "main")},
      .edges = {
          "id: sw, kind: immediate, from: s.out, to: w.in, policy: {mode: queue, capacity: 16}",
          "id: wo, kind: async, from: w.out, to: o.in, policy: {mode: queue, capacity: 16}"}};
  RuntimeRunnerOptions options;
  options.trace = true;
  const auto one = run_graph(parts, options);
  const auto two = run_graph(parts, options);
  EXPECT_EQ(values_and_times(one), values_and_times(two));
  ASSERT_EQ(one.events.size(), two.events.size());
  for (std::size_t i = 0; i < one.events.size(); ++i) {
    EXPECT_EQ(one.events[i].name, two.events[i].name);
    EXPECT_EQ(one.events[i].time, two.events[i].time);
    EXPECT_EQ(one.events[i].worker, two.events[i].worker);
  }
}

}  // namespace
}  // namespace millrace::graph
