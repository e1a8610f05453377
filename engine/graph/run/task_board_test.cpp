#include "graph/run/task_board.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <latch>
#include <string>

#include <gtest/gtest.h>

#include "base/result.h"
#include "graph/payload.h"
#include "graph/run/run_fixture.h"
#include "graph/run/run_result.h"
#include "graph/run/runtime_runner.h"
#include "graph/watch/graph_event.h"
#include "graph/watch/health.h"
#include "loop/stop.h"

namespace millrace::graph {
namespace {

using namespace std::chrono_literals;

RunText with_tasks(const std::string& worker, const std::string& tasks = "") {
  return {.components = {"id: s, type: core.counter, config: {count: 3, per_invocation: 3}, "
                         "execution: {lane: main}",
                         "id: t, " + worker +
                             ", trigger_policy: {type: any_input}, execution: {lane: main}",
                         "id: o, type: core.output, event_sources: [{type: task_ready, inputs: "
                         "[in]}], execution: {lane: main}"},
          .edges =
              {"id: st, kind: immediate, from: s.out, to: t.in, policy: {mode: queue, capacity: 8}",
               "id: to, kind: async, from: t.out, to: o.in, policy: {mode: queue, capacity: 8}"},
          .tasks = tasks};
}

TEST(TaskBoard, G56_ResultsArriveInALaterEpochWithTheCorrelationOfTheSubmitter) {
  const auto result = run_graph(with_tasks("type: core.task, config: {delay: 10ms}"));
  EXPECT_EQ(values_and_times(result), (Strings{"1@10", "2@20", "3@30"})) << "one worker";
  EXPECT_EQ(result.outputs[2].correlation, "s#1");
  EXPECT_EQ(result.metric("runtime.task.submitted_count"), 3);
  EXPECT_EQ(result.metric("runtime.task.completed_count"), 3);
  const auto wide =
      run_graph(with_tasks("type: core.task, config: {delay: 10ms}", ", tasks: {workers: 2}"));
  EXPECT_EQ(values_and_times(wide), (Strings{"1@10", "2@10", "3@20"}));
}

TEST(TaskBoard, G56_RejectionsFailuresAndCancellationsAreCounted) {
  const auto full =
      run_graph(with_tasks("type: core.task, config: {delay: 10ms}", ", tasks: {max_inflight: 1}"));
  EXPECT_EQ(full.metric("runtime.task.rejected_count"), 2);
  ASSERT_FALSE(full.health_events.empty());
  EXPECT_EQ(full.health_events.front().kind, HealthKind::kTaskReject);
  const auto cut =
      run_graph(with_tasks("type: core.task, config: {delay: 10ms}"), {.duration = 15ms});
  EXPECT_EQ(cut.metric("runtime.task.cancelled_count"), 2);
  EXPECT_EQ(cut.metric("runtime.task.in_flight_count"), 0);
  TestTypes types;
  types.add_body("t.Fails", [](const Invocation&, GraphContext& context) -> base::Status {
    return context.submit_task("out", [](TaskContext&) -> base::Result<Payload> {
      return base::fail(base::ErrorCode::kNodeFailed, "no");
    });
  });
  EXPECT_EQ(run_graph(with_tasks("type: t.Fails"), {}, types).metric("runtime.task.failed_count"),
            3);
}

/// One task whose result goes to two edges that are full before it arrives.
RunText with_two_full_edges(const std::string& second_overflow) {
  RunText parts = with_tasks("type: core.task, config: {delay: 0ms}", ", tasks: {workers: 3}");
  parts.lanes.emplace_back("slow: {type: manual_step}");
  parts.components[2] =
      "id: o, type: core.output, event_sources: [{type: task_ready, inputs: [in]}], "
      "execution: {lane: slow}";
  parts.components.emplace_back(
      "id: p, type: core.output, event_sources: [{type: task_ready, inputs: [in]}], "
      "execution: {lane: slow}");
  parts.edges[1] =
      "id: to, kind: async, from: t.out, to: o.in, policy: {mode: queue, capacity: 2, overflow: "
      "reject}";
  parts.edges.emplace_back(
      "id: tp, kind: async, from: t.out, to: p.in, policy: {mode: queue, capacity: 2, overflow: " +
      second_overflow + "}");
  return parts;
}

TEST(TaskBoard, G17_AResultThatSeveralEdgesRefuseCountsOnEachOfThem) {
  const auto result = run_graph(with_two_full_edges("reject"));
  EXPECT_TRUE(result.ok);
  EXPECT_EQ(result.metric("runtime.channel.reject_count", "to"), 1);
  EXPECT_EQ(result.metric("runtime.channel.reject_count", "tp"), 1);
  EXPECT_EQ(result.metric("runtime.publication.refused"), 1) << "it is one publication";
}

TEST(TaskBoard, G18_AFailFastEdgeThatRefusesAResultEndsTheRun) {
  const auto result = run_graph(with_two_full_edges("fail_fast"));
  ASSERT_EQ(result.errors.size(), 1U);
  EXPECT_EQ(result.errors.front().code, "channel_overflow");
  EXPECT_EQ(result.errors.front().component, "t");
  EXPECT_NE(result.errors.front().message.find("'tp'"), std::string::npos);
  EXPECT_EQ(result.scheduler_stop_reason, SchedulerStopReason::kError);
}

TEST(TaskBoard, G22_ResultsThatOverflowAnEdgeAreTold) {
  for (const std::string overflow : {"drop_oldest", "drop_newest"}) {
    RunText parts = with_two_full_edges("drop_oldest");
    parts.edges.pop_back();
    parts.components.pop_back();
    parts.edges[1] =
        "id: to, kind: async, from: t.out, to: o.in, policy: {mode: queue, capacity: 2, "
        "overflow: " +
        overflow + "}";
    const auto result = run_graph(parts, {.duration = 5ms, .trace = true});
    ASSERT_EQ(result.health_events.size(), 2U) << overflow;
    EXPECT_EQ(result.health_events[0].kind, HealthKind::kBackpressureHighWatermark);
    EXPECT_EQ(result.health_events[1].kind, HealthKind::kChannelOverflow);
    EXPECT_EQ(result.health_events[1].policy, overflow);
    EXPECT_EQ(std::ranges::count(result.events, GraphEventName::kChannelDrop, &GraphEvent::name),
              1);
  }
}

TEST(TaskBoard, G44_ATaskThatTakesLongerThanItsBudgetIsReported) {
  const auto result = run_graph(
      with_tasks("type: core.task, config: {delay: 10ms}", ", tasks: {task_budget: 5ms}"));
  EXPECT_EQ(result.metric("runtime.component.budget_overrun_count", "t"), 3);
}

TEST(TaskBoard, G56_ATaskThatWaitsHoldsUpNeitherItsGraphNorTheOtherTasksInWallTime) {
  // The task ends only when the graph, which goes on meanwhile, has counted to 3.
  std::latch counted(3);
  TestTypes types;
  types.add_body("t.Waits", [&counted](const Invocation&, GraphContext& context) -> base::Status {
    return context.submit_task("out", [&counted](TaskContext&) -> base::Result<Payload> {
      counted.wait();
      return Payload(std::string("done"));
    });
  });
  types.add_body("t.Counts", [&counted](const Invocation&, GraphContext&) -> base::Status {
    counted.count_down();
    return {};
  });
  RunText parts = with_tasks("type: t.Waits");
  parts.components[0] = "id: s, type: core.counter, config: {count: 1}, execution: {lane: main}";
  parts.components.emplace_back(
      "id: n, type: core.counter, config: {count: 3}, execution: {lane: main}");
  parts.components.emplace_back(
      "id: c, type: t.Counts, trigger_policy: {type: any_input}, execution: {lane: main}");
  parts.edges.emplace_back(
      "id: nc, kind: delay, from: n.out, to: c.in, policy: {mode: queue, capacity: 8}");
  const auto result = run_graph_in_wall_time(parts, {}, types);
  EXPECT_EQ(values(result), (Strings{R"("done")"}));
  EXPECT_EQ(result.outputs.front().correlation, "s#1");
  EXPECT_EQ(result.scheduler_stop_reason, SchedulerStopReason::kIdle);
  EXPECT_EQ(result.metric("runtime.task.completed_count"), 1);
  EXPECT_EQ(result.metric("runtime.task.in_flight_count"), 0);
}

TEST(TaskBoard, G56_AStopCancelsTasksAndWaitsForThoseThatRun) {
  loop::StopSource stop;
  std::atomic<bool> has_ended{false};
  TestTypes types;
  types.add_body("t.Waits", [&](const Invocation&, GraphContext& context) -> base::Status {
    return context.submit_task("out", [&](TaskContext& task) -> base::Result<Payload> {
      stop.request_stop();
      task.spend(1h);  // ended by the stop
      EXPECT_TRUE(task.cancel_requested());
      has_ended = true;
      return Payload();
    });
  });
  const auto result =
      run_graph_in_wall_time(with_tasks("type: t.Waits"), {.stop_token = stop.token()}, types);
  EXPECT_TRUE(has_ended);
  EXPECT_EQ(result.scheduler_stop_reason, SchedulerStopReason::kStopRequested);
  EXPECT_TRUE(result.outputs.empty());
  EXPECT_EQ(result.metric("runtime.task.submitted_count"),
            result.metric("runtime.task.cancelled_count"));
}

TEST(TaskBoard, G56_ATaskThatThrowsHasFailed) {
  TestTypes types;
  types.add_body("t.Throws", [](const Invocation&, GraphContext& context) -> base::Status {
    return context.submit_task("out", [](TaskContext&) -> base::Result<Payload> {
      return Payload(static_cast<std::int64_t>(std::string("x").at(7)));
    });
  });
  for (const auto& result : {run_graph(with_tasks("type: t.Throws"), {}, types),
                             run_graph_in_wall_time(with_tasks("type: t.Throws"), {}, types)}) {
    EXPECT_TRUE(result.ok);
    EXPECT_EQ(result.metric("runtime.task.failed_count"), 3);
  }
}

TEST(TaskBoard, G44_ATaskOnAThreadThatTakesTooLongIsToldAndReported) {
  TestTypes types;
  types.add_body("t.Long", [](const Invocation&, GraphContext& context) -> base::Status {
    return context.submit_task("out", [](TaskContext& task) -> base::Result<Payload> {
      while (!task.cancel_requested()) task.spend(1ms);
      return Payload();
    });
  });
  const auto result =
      run_graph_in_wall_time(with_tasks("type: t.Long", ", tasks: {task_budget: 2ms}"), {}, types);
  EXPECT_EQ(result.metric("runtime.component.budget_overrun_count", "t"), 3);
  EXPECT_EQ(result.metric("runtime.task.completed_count"), 3);
}

TEST(TaskBoard, AResultWithoutAnAsyncEdgeIsRefusedAtOnce) {
  TestTypes types;
  types.add_body("t.Lost", [](const Invocation&, GraphContext& context) -> base::Status {
    return context.submit_task("nowhere",
                               [](TaskContext&) -> base::Result<Payload> { return Payload(); });
  });
  const auto result = run_graph(with_tasks("type: t.Lost"), {}, types);
  ASSERT_EQ(result.errors.size(), 1U);
  EXPECT_EQ(result.errors.front().component, "t");
}

}  // namespace
}  // namespace millrace::graph
