#include <chrono>
#include <map>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "case_run.h"

// Small graphs about loops, errors and boundaries, whose outcome was worked out by hand from the
// contract.

namespace millrace::graph_reference {
namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAre;

/// `first` and `second` feed each other; 1 comes from outside.
Outcome run_circle(const std::string& factor, const std::string& policy) {
  CaseGraph graph;
  graph.counter("src", 1);
  graph.component("id: first, type: core.linear, config: {factor: " + factor +
                  ", offset: 1}, trigger_policy: {type: any_input}, execution: {lane: main}");
  graph.component(
      "id: second, type: core.linear, trigger_policy: {type: any_input}, execution: {lane: main}");
  graph.print("out").edge("e", "src", "first.ext").edge("f", "first", "second.in");
  graph.edge("b", "second", "first.back").edge("o", "second", "out.in");
  graph.loop("id: circle, components: [first, second], loop_policy: {" + policy + "}");
  return run(graph);
}

TEST(GraphReference, LoopsEndForTheReasonOfTheContract) {
  const Outcome bounded = run_circle("1", "type: fixed_point, max_iterations: 3");
  EXPECT_THAT(list_lines(bounded), ElementsAre("out 1 0 4 src#1 o#1"));
  EXPECT_EQ(bounded.loop_stop_reasons.at("circle"), "max_iterations");
  const Outcome stable =
      run_circle("0", "type: fixed_point, max_iterations: 9, convergence: stable_state");
  EXPECT_EQ(stable.loop_stop_reasons.at("circle"), "stable_state");
  EXPECT_EQ(metric(stable, "loop.iterations{circle}"), 2);
  EXPECT_THAT(printed(stable), ElementsAre("1"));
  const Outcome all = run_circle("1", "type: fixed_point, max_iterations: 3, outputs: all");
  EXPECT_THAT(printed(all), ElementsAre("2", "3", "4"));
  const Outcome once = run_circle("1", "type: transaction, max_iterations: 5");
  EXPECT_THAT(printed(once), ElementsAre("2"));
  const Outcome none =
      run_circle("1", "type: fixed_point, max_iterations: 3, partial_success: discard_outputs");
  EXPECT_THAT(printed(none), ElementsAre());
  const Outcome failed =
      run_circle("1", "type: fixed_point, max_iterations: 3, partial_success: fail_run");
  EXPECT_EQ(failed.error_code, "loop_not_converged");
}

/// Five numbers, one per epoch, through a component that fails at its second call.
Outcome run_failing(const std::string& on_error) {
  CaseGraph graph;
  graph.counter("src", 5);
  graph.component(
      "id: bad, type: core.fail, config: {fail_at: [2]}, trigger_policy: {type: any_input}, "
      "execution: {lane: main, on_error: " +
      on_error + "}");
  graph.print("out").edge("e", "src", "bad.in").edge("o", "bad", "out.in");
  return run(graph);
}

TEST(GraphReference, ErrorsDoAsTheComponentSays) {
  const Outcome going_on = run_failing("continue");
  EXPECT_THAT(printed(going_on), ElementsAre("1", "3", "4", "5"));
  const Outcome isolated = run_failing("isolate");
  EXPECT_THAT(printed(isolated), ElementsAre("1"));
  EXPECT_EQ(metric(isolated, "trigger.isolated_drop_count{bad}"), 3);
  const Outcome failed = run_failing("fail_fast");
  EXPECT_THAT(printed(failed), ElementsAre("1"));
  EXPECT_EQ(failed.error_code, "component_execute");
  EXPECT_EQ(failed.error_component, "bad");
  // Calls 1 and 2 of each instance: 2 and 4 fail, all at time 0.
  const Outcome restarted = run_failing("{restart: {max: 2, window: 1s, backoff: 0ms}}");
  EXPECT_THAT(printed(restarted), ElementsAre("1", "3", "5"));
  const Outcome too_often = run_failing("{restart: {max: 1, window: 1s, backoff: 0ms}}");
  EXPECT_THAT(printed(too_often), ElementsAre("1", "3"));
  EXPECT_EQ(too_often.stop_reason, "error");
}

TEST(GraphReference, TasksAnswerInALaterEpoch) {
  CaseGraph graph;
  graph.counter("src", 2, 2);
  graph.component(
      "id: ask, type: core.task, config: {delay: 5ms}, trigger_policy: {type: any_input}, "
      "execution: {lane: main}");
  graph.print("out").edge("e", "src", "ask.in");
  graph.edge("t", "ask", "out.in", "kind: async, policy: {mode: queue, capacity: 4}");
  EXPECT_THAT(list_lines(run(graph)),
              ElementsAre("out 2 5000 1 src#1 t#1", "out 3 10000 2 src#1 t#2"));
}

TEST(GraphReference, TablesKeepTheLastValueOfAKey) {
  CaseGraph graph;
  graph.component(
      "id: src, type: core.values, config: {values: [{key: a, value: 1}, {b: 2, c: [3]}, {key: a, "
      "value: 4}]}, execution: {lane: main}");
  graph.component(
      "id: keep, type: core.table, config: {table: facts}, trigger_policy: {type: any_input}, "
      "execution: {lane: main}");
  graph.edge("e", "src", "keep.in");
  const Outcome outcome = run(graph);
  const std::map<std::string, std::string> expected = {{"a", "4"}, {"b", "2"}, {"c", "[3]"}};
  EXPECT_EQ(outcome.tables.at("facts"), expected);
}

TEST(GraphReference, InjectedValuesAreInvocationsOfTheirOwn) {
  CaseGraph graph;
  graph.component("id: host, type: core.input, execution: {lane: main}");
  graph.print("out").edge("e", "host", "out.in");
  graph.options.injections = {{milliseconds(3), "host", "7"},
                              {milliseconds(3), "host", "8"},
                              {milliseconds(9), "host", "9"}};
  EXPECT_THAT(
      list_lines(run(graph)),
      ElementsAre("out 1 3000 7 host#1 e#1", "out 1 3000 8 host#2 e#2", "out 2 9000 9 host#3 e#3"));
}

TEST(GraphReference, ANewInstanceBeginsAtABoundary) {
  CaseGraph graph;
  graph.counter("src", 2);
  graph.component(
      "id: slow, type: core.spend, config: {cost: 2ms}, trigger_policy: {type: any_input}, "
      "execution: {lane: main}");
  graph.component(
      "id: bad, type: core.fail, config: {fail_at: [1]}, trigger_policy: {type: any_input}, "
      "execution: {lane: main, on_error: {restart: {max: 1, window: 1ms, backoff: 1ms}}}");
  graph.edge("s", "src", "slow.in").edge("b", "src", "bad.in");
  const Outcome outcome = run(graph);
  // It fails at 2 ms. Its turn in the epoch that began at 2 ms comes at 4 ms: too early.
  EXPECT_THAT(begins(outcome, "bad"), ElementsAre(2, 4));
  EXPECT_THAT(tick_times(outcome, "main"), ElementsAre(0, 2, 4, 5)) << "5 ms: the next instance";
}

TEST(GraphReference, WhatLeavesAfterTheDurationStartsNothing) {
  CaseGraph graph;
  graph.lanes = "  main: {type: fixed_rate, period: 7ms}\n  own: {type: isolated_thread}\n";
  graph.component("id: host, type: core.input, execution: {lane: own}");
  graph.component(
      "id: slow, type: core.spend, config: {cost: 10ms}, trigger_policy: {type: any_input}, "
      "execution: {lane: main}");
  graph.component(
      "id: out, type: core.stdout, trigger_policy: {type: any_input}, execution: {lane: own}");
  graph.edge("e", "host", "slow.in", "kind: async").edge("o", "slow", "out.in", "kind: delay");
  graph.until(milliseconds(15));
  graph.options.injections = {{milliseconds(11), "host", "3"}, {milliseconds(22), "host", "4"}};
  const Outcome outcome = run(graph);
  EXPECT_THAT(begins(outcome, "slow"), ElementsAre(14));
  EXPECT_THAT(printed(outcome), ElementsAre()) << "it left at 24 ms";
  EXPECT_EQ(outcome.stop_reason, "duration_bound");
}

}  // namespace
}  // namespace millrace::graph_reference
