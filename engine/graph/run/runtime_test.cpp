#include "graph/run/runtime.h"

#include <chrono>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "graph/payload.h"
#include "graph/run/run_fixture.h"
#include "graph/run/run_result.h"
#include "graph/watch/graph_event.h"
#include "graph/watch/health.h"
#include "loop/stop.h"

namespace millrace::graph {
namespace {

using namespace std::chrono_literals;

RunText pool_graph(const std::string& pool, const std::string& execution, int count) {
  return {
      .lanes = {"main: {type: event_loop}", "pool: {type: thread_pool, " + pool + "}"},
      .components =
          {base::format("id: s, type: core.counter, config: {{count: {0}, per_invocation: {0}}}, "
                        "execution: {{lane: main}}",
                        count),
           "id: w, type: core.spend, config: {cost: 10ms}, trigger_policy: {type: any_input}, "
           "execution: {lane: pool, " +
               execution + "}",
           "id: o, type: core.output, trigger_policy: {type: any_input}, execution: {lane: main}"},
      .edges = {
          "id: sw, kind: immediate, from: s.out, to: w.in, policy: {mode: queue, capacity: 64}",
          "id: wo, kind: immediate, from: w.out, to: o.in, policy: {mode: queue, capacity: 64}"}};
}

/// Most invocations of a component that overlap, from their spans.
std::size_t overlap(const RuntimeRunnerResult& result, std::uint32_t component) {
  std::size_t most = 0;
  for (const GraphEvent& one : result.events) {
    if (one.name != GraphEventName::kComponentExecute || one.component != component) continue;
    std::size_t count = 0;
    for (const GraphEvent& other : result.events) {
      if (other.name != GraphEventName::kComponentExecute || other.component != component) continue;
      count += other.time <= one.time && one.time < other.time + other.duration ? 1U : 0U;
    }
    most = std::max(most, count);
  }
  return most;
}

RuntimeRunnerResult traced(const RunText& parts, RuntimeRunnerOptions options = {}) {
  options.trace = true;
  return run_graph(parts, options);
}

TEST(Runtime, ThreadPoolLaneExecutesReentrantInvocationsConcurrently) {
  const auto result = traced(pool_graph("max_threads: 3", "reentrant: true", 7));
  EXPECT_EQ(overlap(result, 1), 3U);
  EXPECT_EQ(result.metric("runtime.scheduler.active_count", "pool"), 3);
}

TEST(Runtime, ThreadPoolWorkersPersistAcrossMultipleRuntimeSteps) {
  RunText parts = pool_graph("max_threads: 2", "reentrant: true", 3);
  parts.components[0] =
      "id: s, type: core.counter, config: {per_invocation: 3}, execution: {lane: main}";
  const auto result = traced(parts, {.steps = 5});
  std::set<std::uint32_t> workers;
  for (const GraphEvent& event : result.events) {
    if (event.name == GraphEventName::kComponentExecute && event.component == 1)
      workers.insert(event.worker);
  }
  EXPECT_EQ(workers, (std::set<std::uint32_t>{0, 1}));
  EXPECT_EQ(result.metric("runtime.scheduler.worker_count", "pool"), 2);
  EXPECT_EQ(result.metric("runtime.scheduler.completed_count", "pool"), 15);
}

TEST(Runtime, ThreadPoolLaneSerializesNonReentrantInvocations) {
  const auto result = traced(pool_graph("max_threads: 4", "reentrant: false", 5));
  EXPECT_EQ(overlap(result, 1), 1U);
  EXPECT_EQ(values(result), (Strings{"1", "2", "3", "4", "5"}));
}

TEST(Runtime, ThreadPoolStopWhileQueueNonEmptyDrainsAdmittedWork) {
  loop::StopSource stop;
  TestTypes types;
  types.add_body("t.Stop",
                 [&stop](const Invocation& invocation, GraphContext& context) -> base::Status {
                   stop.request_stop();
                   for (const InputMessage& input : invocation.messages())
                     context.publish("out", input.message.value);
                   return {};
                 });
  RunText parts = pool_graph("max_threads: 1", "reentrant: true", 4);
  parts.components[1] =
      "id: w, type: t.Stop, trigger_policy: {type: any_input}, execution: {lane: pool, reentrant: "
      "true}";
  RuntimeRunnerOptions options{.stop_token = stop.token(), .steps = 9};
  const auto result = run_graph(parts, options, types);
  EXPECT_EQ(result.scheduler_stop_reason, SchedulerStopReason::kStopRequested);
  EXPECT_EQ(values(result), (Strings{"1", "2", "3", "4"}));
  EXPECT_EQ(result.epochs.front().epochs, 1U);
}

void expect_rejection(const RuntimeRunnerResult& result,
                      std::uint64_t count,
                      std::string_view policy) {
  EXPECT_EQ(result.metric("runtime.scheduler.rejected_count", "pool"), static_cast<double>(count));
  ASSERT_EQ(result.health_events.size(), 1U);
  EXPECT_EQ(result.health_events.front().kind, HealthKind::kSchedulerReject);
  EXPECT_EQ(result.health_events.front().count, count);
  EXPECT_EQ(result.health_events.front().policy, policy);
}

TEST(Runtime, ThreadPoolLaneQueueCapacityRejectsNewestWhenFull) {
  const auto result = traced(
      pool_graph("max_threads: 1, queue_capacity: 2, overflow: reject", "reentrant: true", 5));
  EXPECT_EQ(values(result), (Strings{"1", "2", "3"}));
  expect_rejection(result, 2, "reject");
  EXPECT_EQ(result.metric("runtime.scheduler.low_priority_rejected_count", "pool"), 0);
}

TEST(Runtime, ThreadPoolLaneRejectNewKeepsOldestAdmissionWhenFull) {
  const auto result = traced(
      pool_graph("max_threads: 2, queue_capacity: 1, overflow: reject_new", "reentrant: true", 5));
  EXPECT_EQ(values(result), (Strings{"1", "2", "3"}));
  expect_rejection(result, 2, "reject_new");
}

TEST(Runtime, ThreadPoolLaneQueueCapacityDropsOldestWhenConfigured) {
  const auto result = traced(pool_graph("max_threads: 1, queue_capacity: 1, overflow: drop_oldest",
                                        "reentrant: true, priority: low",
                                        5));
  EXPECT_EQ(values(result), (Strings{"4", "5"}));
  expect_rejection(result, 3, "drop_oldest");
  EXPECT_EQ(result.metric("runtime.scheduler.low_priority_rejected_count", "pool"), 3);
}

TEST(Runtime, RuntimePriorityOrdersIndependentReadyComponentsAndDoesNotStarveLowPriority) {
  std::string order;
  TestTypes types;
  types.add_body("t.Note", [&order](const Invocation& invocation, GraphContext&) -> base::Status {
    order += static_cast<char>('a' + invocation.correlation().component);
    return {};
  });
  const RunText parts{
      .components = {"id: a, type: t.Note, execution: {lane: main, priority: background}",
                     "id: b, type: t.Note, execution: {lane: main, priority: high}",
                     "id: c, type: t.Note, execution: {lane: main}",
                     "id: d, type: t.Note, execution: {lane: main, priority: low}"}};
  const auto result = run_graph(parts, {.steps = 3}, types);
  EXPECT_EQ(order, "bcdabcdabcda");
  for (const char* name : {"high", "normal", "low", "background"}) {
    EXPECT_EQ(result.metric(base::format("runtime.scheduler.priority_{}_count", name), "main"), 3)
        << name;
  }
}

TEST(Runtime, ThreadPoolExecuteStatusFailureKeepsStructuredRuntimeError) {
  RunText parts = pool_graph("max_threads: 2", "reentrant: true", 3);
  parts.components[1] =
      "id: w, type: core.fail, config: {fail_at: [2]}, trigger_policy: {type: any_input}, "
      "execution: {lane: pool}";
  const auto result = traced(parts);
  EXPECT_EQ(result.scheduler_stop_reason, SchedulerStopReason::kError);
  ASSERT_EQ(result.errors.size(), 1U);
  const RunError& error = result.errors.front();
  EXPECT_EQ(
      base::format(
          "{} {} {} {} {}", error.phase, error.component, error.lane, error.code, error.message),
      "execute w pool component_execute failed as configured");
}

TEST(Runtime, PublishStagesWithoutRecursiveDownstreamExecute) {
  int depth = 0;
  TestTypes types;
  types.add_body("t.Deep", [&depth](const Invocation&, GraphContext& context) -> base::Status {
    EXPECT_EQ(++depth, 1);
    context.publish("out", Payload(true));
    --depth;
    return {};
  });
  const auto result = run_graph(
      {.components =
           {"id: a, type: t.Deep, execution: {lane: main}",
            "id: b, type: t.Deep, trigger_policy: {type: any_input}, execution: {lane: main}",
            "id: c, type: t.Deep, trigger_policy: {type: any_input}, execution: {lane: main}"},
       .edges = {"id: ab, kind: immediate, from: a.out, to: b.in",
                 "id: bc, kind: immediate, from: b.out, to: c.in"}},
      {.steps = 2},
      types);
  EXPECT_EQ(result.invocations, 6U);
}

TEST(Runtime, G42_AManualLaneRunsWhenSteppedOnly) {
  const TestTypes types;
  const CompiledGraph graph = types.compile(RunText{
      .lanes = {"hand: {type: manual_step}"},
      .components =
          {"id: i, type: core.input, execution: {lane: hand}",
           "id: o, type: core.output, trigger_policy: {type: any_input}, execution: {lane: hand}"},
      .edges =
          {"id: e, kind: immediate, from: i.out, to: o.in, policy: {mode: queue, capacity: 8}"}}
                                                .text());
  const auto play = [&](const std::vector<std::uint64_t>& steps) {
    Runtime runtime(graph, types.registry(), {.virtual_time = true});
    EXPECT_TRUE(runtime.start());
    EXPECT_TRUE(runtime.inject("i", Payload(std::int64_t{4})));
    EXPECT_EQ(runtime.run(), SchedulerStopReason::kIdle);
    EXPECT_FALSE(runtime.poll_output("o")) << "nothing runs by itself";
    for (const std::uint64_t count : steps) EXPECT_EQ(runtime.step("hand", count), count);
    const auto output = runtime.poll_output("o");
    return base::format(
        "{} {}", output ? output->value.to_json() : "none", runtime.result().epochs.front().epochs);
  };
  EXPECT_EQ(play({3}), "4 3");
  EXPECT_EQ(play({1, 1, 1}), "4 3");
}

TEST(Runtime, BadCallsAreErrorsThatSayWhy) {
  const TestTypes types;
  const CompiledGraph graph = types.compile(RunText{
      .components = {"id: i, type: core.input, config: {capacity: 1}, execution: {lane: main}",
                     "id: s, type: core.counter, config: {count: 1}, execution: {lane: main}"}}
                                                .text());
  Runtime runtime(graph, types.registry(), {.virtual_time = true});
  EXPECT_FALSE(runtime.inject("i", Payload())) << "not started";
  EXPECT_FALSE(runtime.step());
  EXPECT_EQ(runtime.run(), SchedulerStopReason::kNotStarted);
  ASSERT_TRUE(runtime.start());
  EXPECT_FALSE(runtime.inject("none", Payload()));
  EXPECT_FALSE(runtime.inject("s", Payload()));
  EXPECT_TRUE(runtime.inject("i", Payload()));
  EXPECT_FALSE(runtime.inject("i", Payload())) << "full";
  EXPECT_FALSE(runtime.step("none"));
  EXPECT_FALSE(runtime.why("none"));
  EXPECT_FALSE(runtime.poll_output("none"));
  runtime.pause();
  EXPECT_EQ(runtime.step().value(), 0U);
  runtime.resume();
  EXPECT_EQ(runtime.step().value(), 1U);
  ASSERT_TRUE(runtime.snapshot());
  runtime.stop();
  runtime.stop();
  EXPECT_FALSE(runtime.snapshot());
  EXPECT_EQ(runtime.result().scheduler_stop_reason, SchedulerStopReason::kStopRequested);
}

TEST(Runtime, AFullOutputKeepsTheNewestValuesAndReportsIt) {
  const TestTypes types;
  const CompiledGraph graph = types.compile(RunText{
      .components = {"id: s, type: core.counter, config: {count: 5}, execution: {lane: main}",
                     "id: o, type: core.output, config: {capacity: 2}, trigger_policy: {type: "
                     "any_input}, execution: {lane: main}"},
      .edges = {"id: e, kind: immediate, from: s.out, to: o.in"}}
                                                .text());
  Runtime runtime(graph, types.registry(), {.virtual_time = true});
  ASSERT_TRUE(runtime.start());
  runtime.run();
  EXPECT_EQ(runtime.poll_output("o")->value.to_json(), "4");
  EXPECT_EQ(runtime.poll_output("o")->value.to_json(), "5");
  EXPECT_FALSE(runtime.poll_output("o"));
  ASSERT_EQ(runtime.result().health_events.size(), 1U);
  EXPECT_EQ(runtime.result().health_events.front().count, 3U);
}

}  // namespace
}  // namespace millrace::graph
