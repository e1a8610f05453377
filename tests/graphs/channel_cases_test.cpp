#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "case_run.h"

// Small graphs about visibility and channels, whose outcome was worked out by hand from the
// contract.

namespace millrace::graph_reference {
namespace {

using ::testing::ElementsAre;

TEST(GraphReference, ImmediateDataIsSeenInTheSameEpoch) {
  CaseGraph graph;
  graph.counter("src", 3).print("out");
  graph.component(
      "id: twice, type: core.linear, config: {factor: 2}, trigger_policy: {type: any_input}, "
      "execution: {lane: main}");
  graph.edge("a", "src", "twice.in").edge("b", "twice", "out.in");
  const Outcome outcome = run(graph);
  EXPECT_THAT(list_lines(outcome),
              ElementsAre("out 1 0 2 src#1 b#1", "out 2 0 4 src#2 b#2", "out 3 0 6 src#3 b#3"));
  EXPECT_EQ(outcome.stop_reason, "idle");
  EXPECT_EQ(outcome.epochs.at("main"), 3);
}

TEST(GraphReference, DelayedDataIsSeenOneEpochLater) {
  CaseGraph graph;
  graph.counter("src", 2).print("out").edge("d", "src", "out.in", "kind: delay");
  const Outcome outcome = run(graph);
  EXPECT_THAT(list_lines(outcome), ElementsAre("out 2 0 1 src#1 d#1", "out 3 0 2 src#2 d#2"));
  EXPECT_EQ(outcome.epochs.at("main"), 3);
}

TEST(GraphReference, LatestKeepsTheNewest) {
  CaseGraph graph;
  graph.counter("src", 3, 3).print("out").edge("e", "src", "out.in", "kind: immediate");
  const Outcome outcome = run(graph);
  EXPECT_THAT(list_lines(outcome), ElementsAre("out 1 0 3 src#1 e#3"));
  EXPECT_EQ(metric(outcome, "channel.overwrite_count{e}"), 2);
}

TEST(GraphReference, FullQueuesDoAsTheirPolicySays) {
  const auto run_with = [](const std::string& overflow) {
    CaseGraph graph;
    graph.counter("src", 4, 4).print("out").edge("e", "src", "out.in", queue(2, overflow));
    return run(graph);
  };
  const Outcome oldest = run_with("drop_oldest");
  EXPECT_THAT(printed(oldest), ElementsAre("3", "4"));
  EXPECT_EQ(metric(oldest, "channel.overwrite_count{e}"), 2);
  const Outcome newest = run_with("drop_newest");
  EXPECT_THAT(printed(newest), ElementsAre("1", "2"));
  EXPECT_EQ(metric(newest, "channel.drop_count{e}"), 2);
  const Outcome rejected = run_with("reject");
  EXPECT_THAT(printed(rejected), ElementsAre("1", "2"));
  EXPECT_EQ(metric(rejected, "channel.reject_count{e}"), 2);
  EXPECT_EQ(rejected.stop_reason, "idle");
  const Outcome failed = run_with("fail_fast");
  EXPECT_EQ(failed.stop_reason, "error");
  EXPECT_EQ(failed.error_code, "channel_overflow");
}

TEST(GraphReference, APublicationToSeveralEdgesIsOne) {
  CaseGraph graph;
  graph.counter("src", 3, 3).print("small").print("wide");
  graph.edge("a", "src", "small.in", queue(1, "reject")).edge("b", "src", "wide.in");
  const Outcome outcome = run(graph);
  EXPECT_THAT(printed(outcome, "wide"), ElementsAre("1"));
  EXPECT_EQ(metric(outcome, "channel.reject_count{a}"), 2);
  EXPECT_EQ(metric(outcome, "channel.reject_count{b}"), 0);
}

TEST(GraphReference, WhatWaitsToLeaveCountsAgainstTheCapacity) {
  CaseGraph graph;
  graph.counter("src", 3, 3).print("out");
  graph.edge(
      "e", "src", "out.in", "kind: delay, policy: {mode: queue, capacity: 2, overflow: reject}");
  const Outcome outcome = run(graph);
  EXPECT_THAT(printed(outcome), ElementsAre("1", "2"));
  EXPECT_EQ(metric(outcome, "channel.reject_count{e}"), 1);
}

TEST(GraphReference, LatchedValuesStayAndAreNotTheCauseAgain) {
  CaseGraph graph;
  graph.counter("first", 1).counter("src", 2);
  graph.component(
      "id: both, type: core.collect, trigger_policy: {type: all_inputs, inputs: [kept, in]}, "
      "execution: {lane: main}");
  graph.print("out").edge("k", "first", "both.kept", "kind: immediate, policy: {mode: latched}");
  graph.edge("e", "src", "both.in").edge("o", "both", "out.in");
  EXPECT_THAT(list_lines(run(graph)),
              ElementsAre("out 1 0 [1,1] first#1 o#1", "out 2 0 [1,2] src#2 o#2"));
}

TEST(GraphReference, BarriersGiveAllOrNothing) {
  CaseGraph graph;
  graph.counter("src", 5).print("out");
  graph.edge("e", "src", "out.in", "kind: immediate, policy: {mode: barrier, capacity: 2}");
  EXPECT_THAT(list_lines(run(graph)),
              ElementsAre("out 2 0 1 src#1 e#1",
                          "out 2 0 2 src#2 e#2",
                          "out 4 0 3 src#3 e#3",
                          "out 4 0 4 src#4 e#4"));
}

TEST(GraphReference, PreviousTickIsReadInTheNextEpoch) {
  CaseGraph graph;
  graph.counter("src", 2).print("out");
  graph.edge("e", "src", "out.in", "kind: immediate, policy: {mode: previous_tick}");
  EXPECT_THAT(list_lines(run(graph)), ElementsAre("out 2 0 1 src#1 e#1", "out 3 0 2 src#2 e#2"));
}

}  // namespace
}  // namespace millrace::graph_reference
