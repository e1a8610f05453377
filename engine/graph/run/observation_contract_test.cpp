// Every event, counter and health event of the contract that is not about lanes: each is made to
// happen, and its value is checked. Those about lanes are in wall_contract_test.cpp.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <string>

#include <gtest/gtest.h>

#include "base/format.h"
#include "graph/run/run_fixture.h"
#include "graph/run/run_options.h"
#include "graph/run/run_result.h"
#include "graph/watch/graph_event.h"
#include "graph/watch/health.h"

namespace millrace::graph {
namespace {

std::size_t count_of(const RuntimeRunnerResult& result, GraphEventName name) {
  return static_cast<std::size_t>(std::ranges::count(result.events, name, &GraphEvent::name));
}

std::size_t count_of(const RuntimeRunnerResult& result, HealthKind kind) {
  return static_cast<std::size_t>(
      std::ranges::count(result.health_events, kind, &HealthEvent::kind));
}

TEST(ObservationContract, G51_ChannelsTasksAndStateAreSeen) {
  const RunText parts{
      .components =
          {"id: s, type: core.counter, config: {count: 6, per_invocation: 3}, "
           "execution: {lane: main}",
           "id: l, type: core.linear, trigger_policy: {type: any_input}, execution: {lane: main}",
           "id: w, type: core.task, config: {delay: 1ms}, trigger_policy: {type: any_input}, "
           "execution: {lane: main}",
           "id: v, type: core.values, config: {values: [{a: 1}]}, execution: {lane: main}",
           "id: t, type: core.table, config: {table: T}, trigger_policy: {type: any_input}, "
           "execution: {lane: main}",
           "id: o, type: core.output, trigger_policy: {type: any_input}, execution: {lane: main}"},
      .edges = {
          "id: sl, kind: immediate, from: s.out, to: l.in, policy: {mode: queue, capacity: 2, "
          "overflow: drop_oldest}",
          "id: sw, kind: immediate, from: s.out, to: w.in, policy: {mode: queue, capacity: 4}",
          "id: vt, kind: immediate, from: v.out, to: t.in",
          "id: lo, kind: async, from: l.out, to: o.in, policy: {mode: queue, capacity: 8}",
          "id: wo, kind: async, from: w.out, to: o.in, policy: {mode: queue, capacity: 8}"}};
  const auto result = run_graph(parts, {.trace = true});
  // Two epochs publish three values each; one of the three is dropped on sl.
  EXPECT_EQ(count_of(result, GraphEventName::kChannelDrop), 2U);
  // sl and sw: six each, vt: one; lo: four, said when they are committed.
  EXPECT_EQ(count_of(result, GraphEventName::kChannelPublish), 17U);
  // The same, and the ten on async edges when they become visible.
  EXPECT_EQ(count_of(result, GraphEventName::kChannelCommit), 23U);
  EXPECT_EQ(count_of(result, GraphEventName::kAsyncAdmission), 4U);
  EXPECT_EQ(count_of(result, GraphEventName::kTaskSubmitted), 6U);
  EXPECT_EQ(count_of(result, GraphEventName::kTaskCompleted), 6U);
  EXPECT_EQ(count_of(result, GraphEventName::kStateCommit), 1U);
  EXPECT_EQ(result.metric("runtime.trigger.ready_count", "l"), 4);
  EXPECT_EQ(result.metric("runtime.channel.max_depth", "sl"), 2);
  EXPECT_EQ(result.metric("runtime.publication.staged"), 17)
      << "6 of s, 4 of l, 6 of tasks, 1 of v";
  EXPECT_EQ(result.metric("runtime.publication.committed"), 17);
}

TEST(ObservationContract, G51_EveryIterationOfALoopIsSeen) {
  const auto result = run_graph(
      {.components = {"id: a, type: core.relax, config: {target: 8}, execution: {lane: main}",
                      "id: b, type: core.linear, trigger_policy: {type: any_input}, "
                      "execution: {lane: main}"},
       .edges = {"id: ab, kind: immediate, from: a.out, to: b.in",
                 "id: ba, kind: immediate, from: b.out, to: a.in"},
       .loops = {"id: ring, components: [a, b], loop_policy: {type: fixed_point, "
                 "max_iterations: 3}"}},
      {.steps = 1, .trace = true});
  EXPECT_EQ(count_of(result, GraphEventName::kLoopIterationBegin), 3U);
  EXPECT_EQ(count_of(result, GraphEventName::kLoopIteration), 3U);
  EXPECT_EQ(count_of(result, GraphEventName::kLoopIterationEnd), 3U);
  EXPECT_EQ(count_of(result, GraphEventName::kLoopEnd), 1U);
}

TEST(ObservationContract, G51_WhatFailsIsSeen) {
  const RunText parts{
      .lanes = {"main: {type: event_loop}", "pool: {type: thread_pool}"},
      .components = {"id: s, type: core.counter, config: {count: 1}, execution: {lane: main}",
                     "id: f, type: core.fail, config: {fail_at: [1]}, trigger_policy: {type: "
                     "any_input}, execution: {lane: main, on_error: {restart: {max: 3, window: 1s, "
                     "backoff: 1ms}}}",
                     "id: g, type: core.spend, config: {cost: 9ms}, trigger_policy: {type: "
                     "any_input}, execution: {lane: pool, abandon_after: 2ms, on_error: continue}"},
      .edges = {"id: sf, kind: immediate, from: s.out, to: f.in",
                "id: sg, kind: immediate, from: s.out, to: g.in"}};
  const auto result = run_graph(parts, {.duration = std::chrono::seconds(1), .trace = true});
  EXPECT_TRUE(result.ok);
  EXPECT_EQ(count_of(result, GraphEventName::kComponentRestart), 1U);
  EXPECT_EQ(count_of(result, GraphEventName::kComponentAbandoned), 1U);
  EXPECT_EQ(count_of(result, HealthKind::kComponentRestarted), 1U);
  EXPECT_EQ(count_of(result, HealthKind::kComponentAbandoned), 1U);
  EXPECT_EQ(count_of(result, GraphEventName::kHealthEvent), 2U);
  EXPECT_EQ(result.metric("runtime.component.restart_count", "f"), 1);
  EXPECT_EQ(result.metric("runtime.component.abandoned_count", "g"), 1);
}

TEST(ObservationContract, G19_G51_WhatIsLateIsSeen) {
  const std::string fast = "trigger_policy: {type: any_input}, execution: {lane: main}";
  const RunText parts{
      .components = {"id: s, type: core.counter, config: {count: 1}, execution: {lane: main}",
                     "id: m, type: core.spend, config: {cost: 10ms}, " + fast,
                     "id: x, type: core.linear, " + fast,
                     "id: y, type: core.linear, " + fast},
      .edges = {"id: sm, kind: immediate, from: s.out, to: m.in",
                "id: sx, kind: immediate, from: s.out, to: x.in, policy: {lifespan: 5ms}",
                "id: sy, kind: immediate, from: s.out, to: y.in, policy: {deadline: 5ms}"}};
  const auto result = run_graph(parts);
  EXPECT_EQ(count_of(result, HealthKind::kChannelStaleDrop), 1U);
  EXPECT_EQ(count_of(result, HealthKind::kChannelDeadlineMiss), 1U);
  EXPECT_EQ(result.metric("runtime.channel.stale_drop_count", "sx"), 1);
  EXPECT_EQ(result.metric("runtime.channel.deadline_miss_count", "sy"), 1);
}

TEST(ObservationContract, G66_HealthEventsBeyondTheSinkAreCounted) {
  RunText parts{
      .components = {"id: s, type: core.counter, config: {count: 1}, execution: {lane: main}"}};
  for (int i = 0; i < 70; ++i) {
    parts.components.push_back(
        base::format("id: f{}, type: core.fail, config: {{fail_at: [1]}}, trigger_policy: {{type: "
                     "any_input}}, execution: {{lane: main, on_error: isolate}}",
                     i));
    parts.edges.push_back(base::format("id: e{0}, kind: immediate, from: s.out, to: f{0}.in", i));
  }
  const auto result = run_graph(parts);
  EXPECT_EQ(result.health_events.size(), 64U);
  EXPECT_EQ(result.metric("runtime.health.event_count"), 64);
  EXPECT_EQ(result.metric("runtime.health.dropped_count"), 6);
}

}  // namespace
}  // namespace millrace::graph
