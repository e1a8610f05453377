#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <latch>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/metrics/metrics_registry.h"
#include "graph/run/run_fixture.h"
#include "graph/run/run_result.h"
#include "graph/run/runtime.h"
#include "graph/run/runtime_runner.h"
#include "graph/watch/graph_event.h"
#include "loop/stop.h"

// Statements about whole runs that no one unit answers for.

namespace millrace::graph {
namespace {

std::size_t count_of(const RuntimeRunnerResult& result, GraphEventName name) {
  return static_cast<std::size_t>(std::ranges::count(result.events, name, &GraphEvent::name));
}

/// Six components of all classes wait for one worker with room for four more.
RunText busy_lanes(const std::string& policy) {
  RunText parts{
      .lanes = {"tick: {type: fixed_rate, period: 10ms, wall_clock_enabled: true, " + policy + "}",
                "pool: {type: thread_pool, max_threads: 1, queue_capacity: 4, "
                "starvation_guard_every: 2}"},
      .components = {"id: s, type: core.counter, config: {count: 2}, execution: {lane: tick}"}};
  const std::vector<std::pair<std::string, std::string>> all = {{"h", "high, budget: 3ms"},
                                                                {"n", "normal"},
                                                                {"n2", "normal"},
                                                                {"l", "low"},
                                                                {"b", "background"},
                                                                {"b2", "background"}};
  for (const auto& [id, priority] : all) {
    parts.components.push_back("id: " + id +
                               ", type: core.spend, config: {cost: 5ms}, trigger_policy: {type: "
                               "any_input}, execution: {lane: pool, priority: " +
                               priority + "}");
    parts.edges.push_back("id: e" + id + ", kind: immediate, from: s.out, to: " + id + ".in");
  }
  return parts;
}

TEST(GraphContract, G51_EveryCounterOfTheSchedulerCounts) {
  const auto result =
      run_graph(busy_lanes("overrun_policy: catch_up_once"), {.steps = 2, .trace = true});
  const auto expect = [&result](std::string_view name, std::string_view lane, double value) {
    EXPECT_EQ(result.metric("runtime.scheduler." + std::string(name), lane), value) << name;
  };
  // Five calls of 5 ms each: the tick at 0 ends at 25, is made up for at once (slot 20, 5 ms late)
  // and that one ends at 50.
  expect("tick_count", "tick", 2);
  expect("tick_overrun_count", "tick", 2);
  expect("skipped_tick_count", "tick", 3);
  expect("max_lateness_ms", "tick", 15);
  expect("last_callback_duration_ms", "tick", 25);
  expect("tick_jitter_ms", "tick", 5);
  expect("worker_count", "pool", 1);
  expect("queue_capacity", "pool", 4);
  expect("in_flight_count", "pool", 5);
  expect("active_count", "pool", 1);
  expect("queue_depth", "pool", 4);
  expect("completed_count", "pool", 10);
  expect("rejected_count", "pool", 2);
  expect("low_priority_rejected_count", "pool", 2);
  expect("priority_high_count", "pool", 2);
  expect("priority_normal_count", "pool", 4);
  expect("priority_low_count", "pool", 2);
  expect("priority_background_count", "pool", 2);
  expect("starvation_guard_count", "pool", 3);
  // The next slot after 25 is 30: it waits 5 ms for the clock.
  const auto waiting = run_graph(busy_lanes("overrun_policy: drop_tick"), {.steps = 2});
  EXPECT_EQ(waiting.metric("runtime.scheduler.blocked_duration_ms", "tick"), 5);
}

TEST(GraphContract, G51_EveryTraceEventOfTheSchedulerIsEmitted) {
  const auto result =
      run_graph(busy_lanes("overrun_policy: catch_up_once"), {.steps = 2, .trace = true});
  for (const auto name : {GraphEventName::kSchedulerIterationBegin,
                          GraphEventName::kSchedulerIteration,
                          GraphEventName::kSchedulerIterationEnd,
                          GraphEventName::kFixedRateTickBegin,
                          GraphEventName::kFixedRateTick,
                          GraphEventName::kFixedRateTickEnd,
                          GraphEventName::kFixedRateOverrun,
                          GraphEventName::kFixedRateSkippedTick,
                          GraphEventName::kThreadPoolBatch,
                          GraphEventName::kComponentTimeoutBudgetExceeded,
                          GraphEventName::kComponentCancellationRequested,
                          GraphEventName::kComponentCancellationObserved}) {
    EXPECT_EQ(count_of(result, name), 2U) << to_string(name);
  }
  for (const auto name : {GraphEventName::kComponentExecuteBegin,
                          GraphEventName::kComponentExecute,
                          GraphEventName::kComponentExecuteEnd}) {
    EXPECT_EQ(count_of(result, name), 12U) << to_string(name);
  }
}

TEST(GraphContract, G51_AStopDuringALoopIsRequestedAndObserved) {
  loop::StopSource stop;
  TestTypes types;
  types.add_body("t.Stop", [&](const Invocation&, GraphContext& context) -> base::Status {
    stop.request_stop();
    context.publish("out", Payload(std::int64_t{1}));
    return {};
  });
  RuntimeRunnerOptions options{.stop_token = stop.token(), .steps = 2, .trace = true};
  const auto result = run_graph(
      {.components = {"id: a, type: t.Stop, execution: {lane: main}",
                      "id: b, type: core.linear, trigger_policy: {type: any_input}, execution: "
                      "{lane: main}"},
       .edges = {"id: ab, kind: immediate, from: a.out, to: b.in",
                 "id: ba, kind: immediate, from: b.out, to: a.in"},
       .loops = {"id: both, components: [a, b], loop_policy: {type: fixed_point, max_iterations: "
                 "5}"}},
      options,
      types);
  EXPECT_EQ(count_of(result, GraphEventName::kLoopCancellationRequested), 1U);
  EXPECT_EQ(count_of(result, GraphEventName::kLoopCancellationObserved), 1U);
  ASSERT_EQ(result.loop_stop_reason.size(), 1U);
  EXPECT_EQ(result.loop_stop_reason[0].reason, "cancelled");
}

RunText chain() {
  return {.lanes = {"main: {type: event_loop}", "pool: {type: thread_pool, max_threads: 4}"},
          .components = {"id: s, type: core.counter, config: {count: 6, per_invocation: 3}, "
                         "execution: {lane: main}",
                         "id: w, type: core.linear, trigger_policy: {type: any_input}, execution: "
                         "{lane: pool, reentrant: true}",
                         "id: o, type: core.output, trigger_policy: {type: any_input}, execution: "
                         "{lane: main}"},
          .edges = {"id: sw, kind: immediate, from: s.out, to: w.in, policy: {mode: queue, "
                    "capacity: 8}",
                    "id: wo, kind: immediate, from: w.out, to: o.in, policy: {mode: queue, "
                    "capacity: 8}"}};
}

TEST(GraphContract, G15_IdsAreTheSameOnThreadsAndInVirtualTime) {
  const auto ids = [](const RuntimeRunnerResult& result) {
    std::vector<std::string> all;
    for (const OutputRecord& output : result.outputs) {
      all.push_back(output.correlation + " " + output.causation);
    }
    return all;
  };
  const auto expected = ids(run_graph(chain()));
  EXPECT_EQ(expected,
            (Strings{"s#1 wo#1", "s#1 wo#2", "s#1 wo#3", "s#2 wo#4", "s#2 wo#5", "s#2 wo#6"}));
  EXPECT_EQ(ids(run_graph_in_wall_time(chain())), expected);
}

TEST(GraphContract, G54_AnObserverThatFailsDoesNotChangeTheRun) {
  RuntimeRunnerOptions options;
  int calls = 0;
  options.on_output = [&calls](const OutputRecord&) {
    ++calls;
    throw std::runtime_error("no disk");
  };
  for (const bool on_threads : {false, true}) {
    const auto result =
        on_threads ? run_graph_in_wall_time(chain(), options) : run_graph(chain(), options);
    EXPECT_TRUE(result.ok);
    EXPECT_EQ(values(result), (Strings{"1", "2", "3", "4", "5", "6"}));
  }
  EXPECT_EQ(calls, 12);
}

/// A run whose second invocation waits until the test lets it go on.
struct HeldRun {
  explicit HeldRun(base::MetricsRegistry* registry = nullptr) {
    types.add_body("t.Hold", [this](const Invocation&, GraphContext& context) -> base::Status {
      if (++calls == 2) {
        is_held.count_down();
        go_on.wait();
        context.finish();
      }
      return {};
    });
    graph = types.compile(
        RunText{.components = {"id: h, type: t.Hold, execution: {lane: main}"}}.text());
    RuntimeRunnerOptions options{.trace = true, .metrics = registry};
    runtime = std::make_unique<Runtime>(graph, types.registry(), std::move(options));
    EXPECT_TRUE(runtime->start());
    is_held.wait();
  }
  ~HeldRun() {
    go_on.count_down();
    EXPECT_EQ(runtime->run(), SchedulerStopReason::kIdle);
  }

  std::latch is_held{1};
  std::latch go_on{1};
  int calls = 0;
  TestTypes types;
  CompiledGraph graph;
  std::unique_ptr<Runtime> runtime;
};

TEST(GraphContract, G52_AnotherThreadSeesEventsWhileTheRunIsInProgress) {
  const HeldRun held;
  const std::vector<GraphEvent> events = held.runtime->events_from(0);
  EXPECT_EQ(std::ranges::count(events, GraphEventName::kComponentExecuteBegin, &GraphEvent::name),
            2);
  EXPECT_EQ(std::ranges::count(events, GraphEventName::kComponentExecuteEnd, &GraphEvent::name), 1);
  EXPECT_TRUE(held.runtime->events_from(events.size()).empty());
  const auto why = held.runtime->why("h");
  ASSERT_TRUE(why);
  EXPECT_EQ(why->lane_state, "in epoch 2");
}

TEST(GraphContract, G71_WhatHasNotReturnedIsSaidToRun) {
  const HeldRun held;
  const auto why = held.runtime->why("h");
  ASSERT_TRUE(why);
  EXPECT_TRUE(why->ran);
  EXPECT_EQ(why->epoch, 2U);
  EXPECT_EQ(why->reason, "an invocation of it has not returned yet");
}

TEST(GraphContract, G71_WhoWaitsForALineSaysSo) {
  TestTypes types;
  const CompiledGraph graph = types.compile(
      RunText{.components = {"id: in, type: core.stdin, execution: {lane: main}"}}.text());
  std::latch ends(1);
  RuntimeRunnerOptions options{.standard_input = [&ends]() -> std::optional<std::string> {
                                 ends.wait();
                                 return std::nullopt;
                               },
                               .close_input = [&ends] { ends.count_down(); }};
  Runtime runtime(graph, types.registry(), std::move(options));
  ASSERT_TRUE(runtime.start());
  EXPECT_EQ(runtime.why("in")->reason, "it waits for a line of standard input");
  runtime.pause();
  EXPECT_EQ(runtime.why("in")->lane_state, "paused: no epoch begins before resume");
  runtime.stop();
}

TEST(GraphContract, G65_TheRegistryOfTheProcessHasTheValuesLive) {
  base::MetricsRegistry registry;
  const HeldRun held(&registry);
  double executed = -1;
  for (const base::MetricSnapshot& metric : registry.snapshot()) {
    if (metric.descriptor.name != "runtime.component.execution_count") continue;
    executed = metric.series.front().value.value;
  }
  EXPECT_EQ(executed, 1);
}

TEST(GraphContract, G47_AComponentThatThrowsIsTreatedByItsErrorRules) {
  TestTypes types;
  types.add_body("t.Throw",
                 [](const Invocation& invocation, GraphContext& context) -> base::Status {
                   for (const InputMessage& input : invocation.messages()) {
                     if (input.message.value == Payload(std::int64_t{2}))
                       throw std::runtime_error("two");
                     if (input.message.value == Payload(std::int64_t{5})) throw 5;
                     context.publish("out", input.message.value);
                   }
                   return {};
                 });
  RunText parts = chain();
  const auto set_rule = [&parts](const std::string& rule) {
    parts.components[1] =
        "id: w, type: t.Throw, trigger_policy: {type: any_input}, execution: {lane: pool, "
        "on_error: " +
        rule + "}";
  };
  for (const bool on_threads : {false, true}) {
    const auto run = [&] {
      return on_threads ? run_graph_in_wall_time(parts, {}, types) : run_graph(parts, {}, types);
    };
    set_rule("continue");
    const auto continued = run();
    EXPECT_TRUE(continued.ok);
    EXPECT_EQ(values(continued), (Strings{"1", "3", "4", "6"}));
    EXPECT_EQ(continued.metric("runtime.component.error_count", "w"), 2);
    set_rule("fail_fast");
    const auto failed = run();
    ASSERT_EQ(failed.errors.size(), 1U);
    EXPECT_EQ(failed.errors[0].code, "component_execute");
    EXPECT_EQ(failed.errors[0].message, "The component threw an exception: two");
  }
}

TEST(GraphContract, LinesOfStandardInputAreReadByAThreadOfTheirOwn) {
  for (const bool until_idle : {false, true}) {
    RuntimeRunnerOptions options{.until_idle = until_idle};
    int next = 0;
    options.standard_input = [&next]() -> std::optional<std::string> {
      if (next == 200) return std::nullopt;
      return std::to_string(++next);
    };
    bool is_closed = false;
    options.close_input = [&is_closed] { is_closed = true; };
    const auto result = run_graph_in_wall_time(
        {.components = {"id: in, type: core.stdin, execution: {lane: main}",
                        "id: out, type: core.output, trigger_policy: {type: any_input}, execution: "
                        "{lane: main}"},
         .edges = {"id: e, kind: immediate, from: in.out, to: out.in"}},
        options);
    EXPECT_EQ(result.scheduler_stop_reason, SchedulerStopReason::kIdle);
    ASSERT_EQ(result.outputs.size(), 200U);
    EXPECT_EQ(result.outputs.back().value, Payload(std::int64_t{200}));
    EXPECT_TRUE(is_closed);
  }
}

TEST(GraphContract, G44_NothingElseIsCalledInAnInstanceThatHangs) {
  for (const bool is_in_loop : {false, true}) {
    auto release = std::make_shared<std::latch>(1);
    auto has_returned = std::make_shared<std::latch>(1);
    auto calls = std::make_shared<std::atomic<int>>(0);
    TestTypes types;
    types.add_body(
        "t.Hang", [release, has_returned, calls](const Invocation&, GraphContext&) -> base::Status {
          if (++*calls > 1) return {};
          release->wait();
          has_returned->count_down();
          return {};
        });
    RunText parts{
        .lanes = {"apart: {type: isolated_thread}"},
        .components = {"id: s, type: core.counter, config: {count: 3, per_invocation: 2}, "
                       "execution: {lane: apart}",
                       "id: w, type: t.Hang, trigger_policy: {type: any_input, inputs: [in]}, "
                       "execution: {lane: apart, abandon_after: 5ms, on_error: continue}"},
        .edges = {"id: e, kind: immediate, from: s.out, to: w.in, policy: {mode: queue, "
                  "capacity: 2}"}};
    if (is_in_loop) {
      parts.edges.push_back("id: again, kind: immediate, from: w.out, to: w.back");
      parts.loops = {"id: ring, components: [w], loop_policy: {type: fixed_point}"};
    }
    const CompiledGraph graph = types.compile(parts.text());
    {
      Runtime runtime(graph, types.registry(), {.is_hosted = false});
      ASSERT_TRUE(runtime.start());
      EXPECT_EQ(runtime.wait(), SchedulerStopReason::kIdle);
      EXPECT_EQ(*calls, 1);
      const WhyReport why = runtime.why("w").value();
      EXPECT_FALSE(why.ran);
      EXPECT_EQ(why.epoch, 2U);
      EXPECT_EQ(why.reason, "an invocation that was given up still runs in it");
      EXPECT_EQ(why.since, 1U);
      EXPECT_EQ(runtime.result().metric("runtime.trigger.isolated_drop_count", "w"), 1);
    }
    release->count_down();
    has_returned->wait();
  }
}

TEST(GraphContract, G44_AnInvocationThatHangsIsGivenUpAndTheRunGoesOn) {
  for (const std::string lane :
       {"pool: {type: thread_pool, max_threads: 2}", "pool: {type: isolated_thread}"}) {
    auto release = std::make_shared<std::latch>(1);
    auto has_returned = std::make_shared<std::latch>(1);
    TestTypes types;
    types.add_body(
        "t.Hang",
        [release, has_returned](const Invocation&, GraphContext& context) -> base::Status {
          release->wait();
          context.publish("out", Payload(std::int64_t{1}));
          has_returned->count_down();
          return {};
        });
    const auto result = run_graph_in_wall_time(
        {.lanes = {"main: {type: event_loop}", lane},
         .components = {"id: s, type: core.counter, config: {count: 1}, execution: {lane: main}",
                        "id: w, type: t.Hang, trigger_policy: {type: any_input}, execution: "
                        "{lane: pool, abandon_after: 5ms, on_error: isolate}"},
         .edges = {"id: e, kind: async, from: s.out, to: w.in"}},
        {},
        types);
    EXPECT_TRUE(result.ok);
    EXPECT_EQ(result.scheduler_stop_reason, SchedulerStopReason::kIdle);
    EXPECT_EQ(result.metric("runtime.component.abandoned_count", "w"), 1);
    EXPECT_EQ(result.metric("runtime.component.error_count", "w"), 1);
    release->count_down();
    has_returned->wait();
  }
}

}  // namespace
}  // namespace millrace::graph
