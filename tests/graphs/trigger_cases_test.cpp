#include <chrono>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/format.h"
#include "case_run.h"

// Small graphs about triggers, whose outcome was worked out by hand from the contract.

namespace millrace::graph_reference {
namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAre;

TEST(GraphReference, TimersFireAtTheFirstBoundaryThatIsDue) {
  CaseGraph graph;
  graph.lanes = "  main: {type: fixed_rate, period: 10ms}\n";
  graph.component(
      "id: src, type: core.counter, event_sources: [{type: timer, period: 40ms}], "
      "execution: {lane: main}");
  graph.print("out").edge("e", "src", "out.in").steps(9);
  const Outcome outcome = run(graph);
  EXPECT_THAT(
      list_lines(outcome),
      ElementsAre("out 1 0 1 src#1 e#1", "out 5 40000 2 src#2 e#2", "out 9 80000 3 src#3 e#3"));
  EXPECT_EQ(outcome.stop_reason, "tick_bound");
}

TEST(GraphReference, TimersThatPassedAreCountedAndNotMadeUp) {
  CaseGraph graph;
  graph.lanes = "  main: {type: fixed_rate, period: 30ms, wall_clock_enabled: true}\n";
  graph.component(
      "id: src, type: core.counter, event_sources: [{type: timer, period: 10ms}], "
      "execution: {lane: main}");
  graph.print("out").edge("e", "src", "out.in").until(milliseconds(70));
  const Outcome outcome = run(graph);
  EXPECT_THAT(begins(outcome, "src"), ElementsAre(0, 30, 60));
  EXPECT_EQ(metric(outcome, "trigger.missed_timer_count{src}"), 4);
  EXPECT_EQ(outcome.stop_reason, "duration_bound");
}

/// A timer that publishes 1, 2, 3 … every 4 ms on an event loop, behind one trigger.
Outcome run_trigger(const std::string& trigger, int count) {
  CaseGraph graph;
  graph.component(base::format(
      "id: src, type: core.counter, config: {{count: {}}}, event_sources: [{{type: timer, period: "
      "4ms}}], execution: {{lane: main}}",
      count));
  graph.component("id: all, type: core.collect, trigger_policy: {" + trigger +
                  "}, execution: {lane: main}");
  graph.print("out").edge("e", "src", "all.in").edge("o", "all", "out.in");
  return run(graph);
}

TEST(GraphReference, RulesAboutTimeAreExact) {
  EXPECT_THAT(list_lines(run_trigger("type: debounce, window: 6ms", 3)),
              ElementsAre("out 4 14000 [3] src#3 o#1"));
  EXPECT_THAT(list_lines(run_trigger("type: batch, batch_size: 2, batch_window: 6ms", 3)),
              ElementsAre("out 2 4000 [1,2] src#1 o#1", "out 4 14000 [3] src#3 o#2"));
  EXPECT_THAT(
      list_lines(run_trigger("type: rate_limit, min_interval: 6ms", 3)),
      ElementsAre(
          "out 1 0 [1] src#1 o#1", "out 3 6000 [2] src#2 o#2", "out 5 12000 [3] src#3 o#3"));
  EXPECT_THAT(
      list_lines(run_trigger("type: any_input, max_silence: 5ms", 2)),
      ElementsAre("out 1 0 [1] src#1 o#1", "out 2 4000 [2] src#2 o#2", "out 3 9000 [] all#1 o#3"));
}

TEST(GraphReference, EventTimesDecide) {
  const auto run_with = [](const std::string& trigger) {
    CaseGraph graph;
    graph.component(
        "id: a, type: core.values, config: {values: [1, 2, 3], timestamps_ms: [0, 20, 10], "
        "per_invocation: 3}, execution: {lane: main}");
    graph.component(
        "id: b, type: core.values, config: {values: [7, 8], timestamps_ms: [18, 12], "
        "per_invocation: 2}, execution: {lane: main}");
    graph.component("id: all, type: core.collect, trigger_policy: {" + trigger +
                    "}, execution: {lane: main}");
    graph.print("out").edge("x", "a", "all.a").edge("y", "b", "all.b").edge("o", "all", "out.in");
    return printed(run(graph));
  };
  EXPECT_THAT(run_with("type: time_sync, inputs: [a, b], slop: 5ms"),
              ElementsAre("[2,7]", "[3,8]"));
  EXPECT_THAT(run_with("type: watermark, inputs: [a, b], lateness: 5ms"),
              ElementsAre("[1]", "[2]", "[7]"));
  EXPECT_THAT(run_with("type: any_input, coalesce: true"), ElementsAre("[3,8]"));
}

TEST(GraphReference, OldMessagesAreDroppedOrFlagged) {
  CaseGraph graph;
  graph.counter("src", 2, 2);
  graph.component(
      "id: slow, type: core.spend, config: {cost: 5ms}, trigger_policy: {type: any_input}, "
      "execution: {lane: main}");
  graph.print("strict").print("lenient").edge("e", "src", "slow.in");
  // Both leave `slow` at 10 ms; the first was published at 5 ms.
  graph.edge("s",
             "slow",
             "strict.in",
             "kind: immediate, policy: {mode: queue, capacity: 4, lifespan: 4ms}");
  graph.edge("l",
             "slow",
             "lenient.in",
             "kind: immediate, policy: {mode: queue, capacity: 4, deadline: 4ms}");
  const Outcome outcome = run(graph);
  EXPECT_THAT(printed(outcome, "strict"), ElementsAre("2"));
  EXPECT_THAT(printed(outcome, "lenient"), ElementsAre("1", "2"));
  EXPECT_EQ(metric(outcome, "channel.stale_drop_count{s}"), 1);
  EXPECT_EQ(metric(outcome, "channel.deadline_miss_count{l}"), 1);
}

TEST(GraphReference, ARuleThatWaitedIsDueEvenIfItThenDropsTheMessage) {
  CaseGraph graph;
  graph.component(
      "id: src, type: core.values, config: {values: [1, 2], timestamps_ms: [20, 5], "
      "per_invocation: 2}, execution: {lane: main}");
  graph.print("out", "type: watermark, lateness: 5ms, min_interval: 10ms");
  graph.edge("e", "src", "out.in");
  const Outcome outcome = run(graph);
  EXPECT_THAT(printed(outcome), ElementsAre("1"));
  EXPECT_THAT(tick_times(outcome, "main"), ElementsAre(0, 10));
  EXPECT_EQ(metric(outcome, "trigger.late_drop_count{out}"), 1);
}

TEST(GraphReference, AUsedLatchedValueHidesNoMessageOfItsInput) {
  CaseGraph graph;
  for (const char* id : {"a", "b", "d"}) {
    graph.component(base::format("id: {}, type: core.input, execution: {{lane: main}}", id));
  }
  graph.component(
      "id: all, type: core.collect, trigger_policy: {type: all_inputs, inputs: [x, y]}, "
      "execution: {lane: main}");
  graph.print("out").edge("b", "b", "all.x").edge("o", "all", "out.in");
  graph.edge("a", "a", "all.x", "kind: immediate, policy: {mode: latched}");
  graph.edge("d", "d", "all.y", "kind: immediate, policy: {mode: latched}");
  graph.options.injections = {{milliseconds(0), "a", "1"},
                              {milliseconds(0), "d", "10"},
                              {milliseconds(1), "b", "2"},
                              {milliseconds(1), "b", "3"}};
  EXPECT_THAT(printed(run(graph)), ElementsAre("[1,10]", "[2,10]", "[3,10]"));
}

}  // namespace
}  // namespace millrace::graph_reference
