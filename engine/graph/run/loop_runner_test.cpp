#include "graph/run/loop_runner.h"

#include <chrono>
#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "graph/payload.h"
#include "graph/run/run_fixture.h"
#include "graph/run/run_result.h"
#include "graph/run/runtime_runner.h"
#include "loop/stop.h"

namespace millrace::graph {
namespace {

/// Two members that pass a value round, and an output outside.
RunText ring(const std::string& policy,
             const std::string& first = "type: core.relax, config: {target: 8}") {
  return {
      .components =
          {"id: a, " + first + ", execution: {lane: main}",
           "id: b, type: core.linear, trigger_policy: {type: any_input}, execution: {lane: main}",
           "id: o, type: core.output, trigger_policy: {type: any_input}, execution: {lane: main}"},
      .edges =
          {"id: ab, kind: immediate, from: a.out, to: b.in",
           "id: ba, kind: immediate, from: b.out, to: a.in",
           "id: bo, kind: immediate, from: b.out, to: o.in, policy: {mode: queue, capacity: 64}"},
      .loops = {"id: loop, components: [a, b], loop_policy: {" + policy + "}"}};
}

std::string reason(const RuntimeRunnerResult& result) {
  return result.loop_stop_reason.front().reason;
}

TEST(LoopRunner, G27_EndsAtMaxIterations) {
  const auto result = run_graph(ring("type: fixed_point, max_iterations: 3"), {.steps = 1});
  EXPECT_EQ(reason(result), "max_iterations");
  EXPECT_EQ(result.metric("runtime.loop.iterations", "loop"), 3);
  EXPECT_EQ(result.metric("runtime.loop.max_iterations_hit", "loop"), 1);
  EXPECT_EQ(values(result), (Strings{"7"})) << "commit_outputs is the default of fixed_point";
}

TEST(LoopRunner, G27_SinglePassComesFirst) {
  const auto result = run_graph(
      ring("type: fixed_point, max_iterations: 9, convergence: single_pass"), {.steps = 1});
  EXPECT_EQ(reason(result), "single_pass");
  EXPECT_EQ(values(result), (Strings{"4"}));
}

TEST(LoopRunner, G27_AResidualAtMostTheThresholdEndsIt) {
  const auto result = run_graph(
      ring("type: solver_iteration, max_iterations: 9, residual_threshold: 1"), {.steps = 1});
  EXPECT_EQ(reason(result), "residual_threshold");
  EXPECT_EQ(values(result), (Strings{"7"}));
  EXPECT_EQ(result.metric("runtime.loop.residual", "loop"), 1);
  EXPECT_EQ(result.metric("runtime.loop.converged", "loop"), 1);
}

TEST(LoopRunner, G27_OfSeveralReasonsTheFirstOfTheListIsTold) {
  // In its second epoch the loop has, after one iteration, all reasons that it may look at.
  const auto reason_of = [](const std::string& policy, bool reports, double residual) {
    TestTypes types;
    types.add_body("t.All", [&](const Invocation&, GraphContext& context) -> base::Status {
      context.spend(std::chrono::milliseconds(5));
      context.publish("out", Payload(std::int64_t{1}));
      context.report_loop_convergence(residual, reports);
      return {};
    });
    return reason(
        run_graph(ring("type: solver_iteration, max_iterations: 1, residual_threshold: 1" + policy,
                       "type: t.All, trigger_policy: {type: manual}"),
                  {.steps = 2},
                  types));
  };
  EXPECT_EQ(reason_of(", budget: 1ms, convergence: single_pass", true, 0), "single_pass");
  EXPECT_EQ(reason_of(", budget: 1ms, convergence: stable_state", true, 0), "component_report");
  EXPECT_EQ(reason_of(", budget: 1ms, convergence: stable_state", false, 0), "residual_threshold");
  EXPECT_EQ(reason_of(", budget: 1ms, convergence: stable_state", false, 2), "stable_state");
  EXPECT_EQ(reason_of(", budget: 1ms", false, 2), "budget_overrun");
  EXPECT_EQ(reason_of("", false, 2), "max_iterations");
}

TEST(LoopRunner, G27_AReportOfAMemberEndsIt) {
  TestTypes types;
  types.add_body("t.Report",
                 [n = 0](const Invocation&, GraphContext& context) mutable -> base::Status {
                   context.publish("out", Payload(static_cast<std::int64_t>(++n)));
                   context.report_loop_convergence(std::nullopt, n == 2);
                   return {};
                 });
  const auto result = run_graph(ring("type: fixed_point, max_iterations: 9",
                                     "type: t.Report, trigger_policy: {type: manual}"),
                                {.steps = 1},
                                types);
  EXPECT_EQ(reason(result), "component_report");
  EXPECT_EQ(values(result), (Strings{"2"}));
}

TEST(LoopRunner, G31_StableStateEndsWhenNoChannelGetsANewValue) {
  TestTypes types;
  types.add_body("t.Settle",
                 [n = 0](const Invocation&, GraphContext& context) mutable -> base::Status {
                   n = std::min(n + 1, 3);
                   context.publish("out", Payload(static_cast<std::int64_t>(n)));
                   return {};
                 });
  const auto result =
      run_graph(ring("type: fixed_point, max_iterations: 9, convergence: stable_state",
                     "type: t.Settle, trigger_policy: {type: manual}"),
                {.steps = 1},
                types);
  EXPECT_EQ(reason(result), "stable_state");
  EXPECT_EQ(result.metric("runtime.loop.iterations", "loop"), 4);
}

TEST(LoopRunner, G27_BudgetEndsIt) {
  RunText parts = ring("type: fixed_point, max_iterations: 99, budget: 25ms",
                       "type: core.spend, config: {cost: 10ms}, trigger_policy: {type: any_input, "
                       "inputs: [in, start]}");
  parts.components.push_back(
      "id: s, type: core.values, config: {values: [1]}, execution: {lane: main}");
  parts.edges.push_back("id: sa, kind: immediate, from: s.out, to: a.start");
  const auto over = run_graph(parts, {.steps = 1});
  EXPECT_EQ(reason(over), "budget_overrun");
  EXPECT_EQ(over.metric("runtime.loop.iterations", "loop"), 3);
  EXPECT_EQ(over.metric("runtime.loop.budget_overrun", "loop"), 1);
}

TEST(LoopRunner, G27_QuiescentIsConvergedAndKeepsTheLastResults) {
  TestTypes types;
  types.add_body(
      "t.Twice",
      [n = 0](const Invocation& invocation, GraphContext& context) mutable -> base::Status {
        static_cast<void>(invocation);
        if (++n <= 2) context.publish("out", Payload(static_cast<std::int64_t>(n)));
        return {};
      });
  RunText parts = ring("type: fixed_point, max_iterations: 9",
                       "type: t.Twice, trigger_policy: {type: any_input, inputs: [in, start]}");
  parts.components.push_back(
      "id: s, type: core.values, config: {values: [1]}, execution: {lane: main}");
  parts.edges.push_back("id: sa, kind: immediate, from: s.out, to: a.start");
  const auto result = run_graph(parts, {}, types);
  EXPECT_EQ(reason(result), "quiescent");
  EXPECT_EQ(result.metric("runtime.loop.iterations", "loop"), 3);
  EXPECT_EQ(result.metric("runtime.loop.converged", "loop"), 1);
}

TEST(LoopRunner, G27_AStopCancelsBeforeTheNextIteration) {
  loop::StopSource stop;
  TestTypes types;
  types.add_body("t.Stop", [&stop](const Invocation&, GraphContext& context) -> base::Status {
    stop.request_stop();
    context.publish("out", Payload(true));
    return {};
  });
  RuntimeRunnerOptions options{.stop_token = stop.token(), .steps = 5, .trace = true};
  RunText parts =
      ring("type: fixed_point, max_iterations: 9", "type: t.Stop, trigger_policy: {type: manual}");
  parts.components[1] =
      "id: b, type: core.fail, trigger_policy: {type: any_input}, execution: {lane: main}";
  const auto result = run_graph(parts, options, types);
  EXPECT_EQ(reason(result), "cancelled");
  EXPECT_EQ(result.scheduler_stop_reason, SchedulerStopReason::kStopRequested);
  bool has_observed = false;
  for (const GraphEvent& event : result.events) {
    has_observed |= event.name == GraphEventName::kLoopCancellationObserved;
  }
  EXPECT_TRUE(has_observed);
}

TEST(LoopRunner, G28_OnlyTheLastIterationIsSeenUnlessAllIsAskedFor) {
  EXPECT_EQ(values(run_graph(ring("type: fixed_point, max_iterations: 3"), {.steps = 1})),
            (Strings{"7"}));
  EXPECT_EQ(
      values(run_graph(ring("type: fixed_point, max_iterations: 3, outputs: all"), {.steps = 1})),
      (Strings{"4", "6", "7"}));
}

TEST(LoopRunner, G29_UnconvergedLoopsDiscardCommitOrFail) {
  const auto solver = run_graph(
      ring("type: solver_iteration, max_iterations: 2, residual_threshold: 0.001"), {.steps = 1});
  EXPECT_EQ(values(solver), Strings());
  EXPECT_EQ(solver.metric("runtime.loop.output_discarded", "loop"), 2);
  EXPECT_EQ(solver.metric("runtime.publication.discarded"), 2);
  const auto forced = run_graph(ring("type: solver_iteration, max_iterations: 2, "
                                     "residual_threshold: 0.001, partial_success: commit_outputs"),
                                {.steps = 1});
  EXPECT_EQ(values(forced), (Strings{"6"}));
  const auto failed = run_graph(
      ring("type: fixed_point, max_iterations: 2, partial_success: fail_run"), {.steps = 1});
  ASSERT_EQ(failed.errors.size(), 1U);
  EXPECT_EQ(failed.errors.front().code, "loop_not_converged");
  EXPECT_EQ(failed.errors.front().component, "loop");
}

TEST(LoopRunner, G30_AMemberThatFailsTheRunIsNamedAndNothingIsSeenOutside) {
  RunText parts = ring("type: fixed_point, max_iterations: 5");
  parts.components[1] =
      "id: b, type: core.fail, config: {fail_at: [2]}, trigger_policy: {type: any_input}, "
      "execution: {lane: main}";
  const auto result = run_graph(parts, {.steps = 1});
  ASSERT_EQ(result.errors.size(), 1U);
  EXPECT_EQ(result.errors.front().component, "b");
  EXPECT_EQ(result.errors.front().code, "component_execute");
  EXPECT_EQ(values(result), Strings());
  EXPECT_EQ(result.metric("runtime.loop.error", "loop"), 1);
}

TEST(LoopRunner, G64_ATransactionIsOnePassAndDiscardsAllOnAnyRefusal) {
  EXPECT_EQ(values(run_graph(ring("type: transaction, max_iterations: 9"), {.steps = 1})),
            (Strings{"4"}));
  RunText parts = ring("type: transaction");
  parts.edges[2] =
      "id: bo, kind: delay, from: b.out, to: o.in, policy: {mode: queue, capacity: 1, overflow: "
      "reject}";
  parts.components[2] =
      "id: o, type: core.output, trigger_policy: {type: all_inputs, inputs: [in, never]}, "
      "execution: {lane: main}";
  parts.components.push_back("id: s, type: core.input, execution: {lane: main}");
  parts.edges.push_back("id: so, kind: immediate, from: s.out, to: o.never");
  parts.edges.push_back(
      "id: bx, kind: delay, from: a.out, to: x.in, policy: {mode: queue, capacity: 9}");
  parts.components.push_back(
      "id: x, type: core.output, trigger_policy: {type: any_input}, execution: {lane: main}");
  const auto result = run_graph(parts, {.steps = 4});
  // The first pass fills the edge to o; from then on nothing is seen, not even by x.
  EXPECT_EQ(values(result), (Strings{"4"}));
}

/// A transaction of `a` and `b`, in which `a` publishes two values to `o` over an edge with room
/// for one, and one to `x`.
RuntimeRunnerResult two_of_a_transaction(const std::string& overflow) {
  TestTypes types;
  types.add_body("t.Twice", [](const Invocation&, GraphContext& context) -> base::Status {
    context.publish("out", Payload(std::int64_t{1}));
    context.publish("out", Payload(std::int64_t{2}));
    return {};
  });
  RunText parts = ring("type: transaction", "type: t.Twice, trigger_policy: {type: manual}");
  parts.edges[2] =
      "id: ao, kind: immediate, from: a.out, to: o.in, policy: {mode: queue, capacity: 1, "
      "overflow: " +
      overflow + "}";
  parts.edges.push_back(
      "id: bx, kind: immediate, from: b.out, to: x.in, policy: {mode: queue, capacity: 9}");
  parts.components.push_back(
      "id: x, type: core.output, trigger_policy: {type: any_input}, execution: {lane: main}");
  return run_graph(parts, {.steps = 2}, types);
}

TEST(LoopRunner, G18_G64_ATransactionThatFitsInPartOnlyIsNotSeenAtAll) {
  const auto result = two_of_a_transaction("reject");
  EXPECT_TRUE(result.ok);
  EXPECT_EQ(values(result), Strings{});
  EXPECT_EQ(result.metric("runtime.channel.publish_count", "ao"), 0);
  EXPECT_EQ(result.metric("runtime.channel.reject_count", "ao"), 2) << "one in each epoch";
  EXPECT_EQ(result.metric("runtime.publication.discarded"),
            result.metric("runtime.loop.output_discarded", "loop"));
  ASSERT_EQ(result.health_events.size(), 1U);
  EXPECT_EQ(to_string(result.health_events.front().kind), "channel_overflow");
  EXPECT_EQ(result.health_events.front().count, 2U);
}

TEST(LoopRunner, G17_G64_ATransactionOnAFullFailFastEdgeEndsTheRun) {
  const auto result = two_of_a_transaction("fail_fast");
  ASSERT_EQ(result.errors.size(), 1U);
  EXPECT_EQ(result.errors.front().code, "channel_overflow");
  EXPECT_EQ(result.errors.front().component, "a");
  EXPECT_EQ(values(result), Strings{});
}

TEST(LoopRunner, G64_ATransactionDiscardsAllOnAnyError) {
  // `b` fails in the second epoch, after `a` has published to `x` outside the loop.
  RunText parts = ring("type: transaction");
  parts.components[1] =
      "id: b, type: core.fail, config: {fail_at: [2]}, trigger_policy: {type: any_input}, "
      "execution: {lane: main, on_error: continue}";
  parts.edges.push_back(
      "id: ax, kind: delay, from: a.out, to: x.in, policy: {mode: queue, capacity: 9}");
  parts.components.push_back(
      "id: x, type: core.output, trigger_policy: {type: any_input}, execution: {lane: main}");
  const auto result = run_graph(parts, {.steps = 2});
  EXPECT_EQ(result.metric("runtime.component.error_count", "b"), 1);
  EXPECT_GT(result.metric("runtime.loop.output_discarded", "loop"), 0);
  EXPECT_EQ(result.metric("runtime.channel.publish_count", "ax"), 1) << "of the first epoch";
}

TEST(LoopRunner, G64_CoalescedEventsTakeTheNewestOfEachInput) {
  RunText parts = ring("type: coalesced_event, max_iterations: 1",
                       "type: core.collect, trigger_policy: {type: any_input, inputs: [start]}");
  parts.components[1] =
      "id: b, type: core.collect, trigger_policy: {type: any_input}, execution: {lane: main}";
  parts.components.push_back(
      "id: s, type: core.counter, config: {count: 3, per_invocation: 3}, execution: {lane: main}");
  parts.edges.push_back(
      "id: sa, kind: immediate, from: s.out, to: a.start, policy: {mode: queue, capacity: 8}");
  EXPECT_EQ(values(run_graph(parts)), (Strings{"[[3]]"}));
}

TEST(LoopRunner, G4_MembersRunInTheListedOrder) {
  std::string order;
  TestTypes types;
  for (const char* name : {"x", "y"}) {
    types.add_body(base::format("t.{}", name),
                   [&order, name](const Invocation&, GraphContext& context) -> base::Status {
                     order += name;
                     context.publish("out", Payload(true));
                     return {};
                   });
  }
  RunText parts =
      ring("type: fixed_point, max_iterations: 2", "type: t.x, trigger_policy: {type: manual}");
  parts.components[1] = "id: b, type: t.y, trigger_policy: {type: manual}, execution: {lane: main}";
  parts.loops = {
      "id: loop, components: [b, a], loop_policy: {type: fixed_point, max_iterations: 2}"};
  run_graph(parts, {.steps = 1}, types);
  EXPECT_EQ(order, "yxyx");
}

TEST(LoopRunner, G31_AnIntegerAndAnEqualFractionAreTheSameValue) {
  RunText parts = ring("type: fixed_point, convergence: stable_state",
                       "type: core.linear, config: {factor: 0}, trigger_policy: {type: any_input}");
  parts.components.push_back(
      "id: s, type: core.values, config: {values: [6.5, 8, 1.5]}, execution: {lane: main}");
  parts.edges.push_back("id: sa, kind: immediate, from: s.out, to: a.start");
  const auto result = run_graph(parts, {.steps = 3});
  EXPECT_EQ(result.metric("runtime.loop.max_iterations_hit", "loop"), 1)
      << "the first value is new";
  EXPECT_EQ(result.metric("runtime.loop.converged", "loop"), 2);
}

}  // namespace
}  // namespace millrace::graph
