#include "graph/format/fields.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include "graph/format/graph_file.h"
#include "graph/format/limits.h"
#include "graph/format/spec.h"
#include "graph/format/words.h"

namespace millrace::graph {
namespace {

using namespace std::chrono_literals;

TEST(FieldsTest, EveryFieldOfTheFormatIsRead) {
  const GraphFile file(R"(schema_version: 1
graph: {name: g, kind: internal_test, config: {x: 1}, tasks: {workers: 2, max_inflight: 8, task_budget: 5ms}}
lanes:
  r: {type: fixed_rate, period: 20ms, hz: 10, tick_budget_ms: 15, wall_clock_enabled: true,
      overrun_policy: catch_up_once, independent: true, phase: 1ms}
  p: {type: thread_pool, max_threads: 4, queue_capacity: 8, overflow: drop_oldest,
      starvation_guard_every: 16, abandon_max: 2, thread_name: w, priority: -3, cpu_affinity: [0, 1],
      nice_priority: -5, rt_policy: rr, rt_priority: 9, isolation_intent: shared, enforce: best_effort}
components:
  - id: c
    type: core.linear
    event_sources: [{type: timer, period: 1s}, {type: request, inputs: [q]}]
    trigger_policy: {type: batch, inputs: [q], batch_size: 3, batch_window: 2ms, coalesce: true,
                     min_interval: 1us, max_latency: 1s, max_silence: 2s}
    execution: {lane: p, reentrant: true, priority: low, budget: 3ms, abandon_after: 1s,
                on_error: {restart: {max: 5, window: 1m, backoff: 10ms}}}
    depends_on: [d]
    boundary: {role: none, descriptor: text, max_age: 1s}
    config: {factor: 2}
edges:
  - {id: e, kind: async, from: c.out, to: c.q, policy: {mode: ring_buffer, capacity: 9, overflow: fail_fast,
     lifespan: 1s, deadline: 2s, max_inflight: 3, copy_policy: copy, readers: multi}}
composite_loops:
  - {id: l, components: [c], loop_policy: {type: solver_iteration, max_iterations: 7, budget: 1ms,
     convergence: stable_state, residual_threshold: 0.5, partial_success: fail_run, outputs: all}}
)",
                       TextFormat::kYaml,
                       GraphLimits());
  ASSERT_TRUE(file.has_spec());
  EXPECT_EQ(file.report().to_text("f"), "");
  const GraphSpec& spec = file.spec();
  EXPECT_EQ(spec.tasks.task_budget, 5ms);
  EXPECT_EQ(spec.lanes[0].tick_budget, 15ms);
  EXPECT_EQ(spec.lanes[0].overrun_policy, OverrunPolicy::kCatchUpOnce);
  EXPECT_EQ(spec.lanes[1].queue_capacity, 8);
  EXPECT_EQ(spec.lanes[1].cpu_affinity, (std::vector<std::int64_t>{0, 1}));
  EXPECT_EQ(spec.lanes[1].enforce, Enforce::kBestEffort);
  const ComponentSpec& component = spec.components.at(0);
  EXPECT_EQ(component.event_sources.size(), 2U);
  EXPECT_EQ(component.trigger->batch_size, 3);
  EXPECT_EQ(component.trigger->max_silence, 2s);
  EXPECT_EQ(component.execution.on_error, OnError::kRestart);
  EXPECT_EQ(component.execution.restart.backoff, 10ms);
  EXPECT_EQ(component.execution.priority, PriorityClass::kLow);
  EXPECT_EQ(component.boundary.max_age, 1s);
  EXPECT_EQ(spec.edges.at(0).policy.copy_policy, CopyPolicy::kCopy);
  EXPECT_EQ(spec.edges.at(0).policy.deadline, 2s);
  EXPECT_EQ(spec.loops.at(0).policy.partial_success, PartialSuccess::kFailRun);
  EXPECT_EQ(spec.loops.at(0).policy.residual_threshold, 0.5);
}

TEST(FieldsTest, DefaultsAreThoseOfTheContract) {
  const LaneSpec lane;
  EXPECT_EQ(lane.queue_capacity, std::nullopt);
  EXPECT_EQ(lane.overflow, LaneOverflow::kReject);
  EXPECT_EQ(lane.starvation_guard_every, 64);
  EXPECT_EQ(lane.abandon_max, 4);
  const ChannelSpec channel;
  EXPECT_EQ(channel.mode, ChannelMode::kLatest);
  EXPECT_EQ(channel.overflow, EdgeOverflow::kOverwrite);
  EXPECT_EQ(channel.copy_policy, CopyPolicy::kSharedView);
  const TasksSpec tasks;
  EXPECT_EQ(tasks.workers, 1);
  EXPECT_EQ(tasks.max_inflight, 64);
}

}  // namespace
}  // namespace millrace::graph
