#include "runtime/topology/priority_order.h"

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "runtime/scheduler_fixture.h"
#include "runtime/topology/node.h"

namespace millrace::runtime {
namespace {

/// The ids in the order of the sequence, each with the number of nodes that wait meanwhile.
std::string describe(TestDag& dag) {
  std::string text;
  for (const SequenceStep& step : dag.costs().order().sequence) {
    if (!text.empty()) text += ' ';
    text += dag.topology().id(step.node);
    text += ':' + std::to_string(step.waiting);
  }
  return text;
}

TEST(PriorityOrderTest, D3_TheBestOfWhatBecameReadyComesNext) {
  TestDag dag({noting_node("a"),
               noting_node("b", {"a"}),
               noting_node("long", {"a"}),
               noting_node("longer", {"long"}),
               noting_node("join", {"b", "longer"})});
  EXPECT_EQ(describe(dag), "a:0 long:1 longer:1 b:0 join:0");
  EXPECT_EQ(dag.costs().order().waiting_max, 1U);
}

TEST(PriorityOrderTest, D3_OfSourcesTheBestComesFirst) {
  TestDag dag({noting_node("short"), noting_node("a"), noting_node("b", {"a"})});
  EXPECT_EQ(describe(dag), "a:1 b:1 short:0");
}

TEST(PriorityOrderTest, AChainHasNobodyWaiting) {
  TestDag dag({noting_node("a"), noting_node("b", {"a"}), noting_node("c", {"b"})});
  EXPECT_EQ(describe(dag), "a:0 b:0 c:0");
  EXPECT_EQ(dag.costs().order().waiting_max, 0U);
}

TEST(PriorityOrderTest, P2_ANewRankingHasItsOwnSequence) {
  TestDag dag({noting_node("a"), noting_node("b"), noting_node("c")});
  EXPECT_EQ(describe(dag), "a:2 b:1 c:0");
  dag.teach(dag.node("c"), std::chrono::milliseconds(1));
  dag.costs().refresh();
  EXPECT_EQ(describe(dag), "c:2 a:1 b:0");
}

TEST(PriorityOrderTest, T2_KnowsWhichNodeMakesEachReady) {
  TestDag dag({noting_node("a"),
               noting_node("b", {"a"}),
               noting_node("long", {"a"}),
               noting_node("longer", {"long"}),
               noting_node("join", {"b", "longer"}),
               noting_node("lone")});
  ASSERT_EQ(describe(dag), "a:1 long:2 longer:2 b:1 join:1 lone:0");
  const std::uint32_t of_the_run = dag.topology().node_count();
  EXPECT_EQ(
      dag.costs().order().enablers,
      std::vector<std::uint32_t>(
          {of_the_run, dag.node("a"), dag.node("long"), dag.node("a"), dag.node("b"), of_the_run}));
}

TEST(PriorityOrderTest, WhatNeedsMoreThanTokensHasNone) {
  NodeSpec timed = noting_node("timed");
  timed.timeout = std::chrono::milliseconds(5);
  TestDag dag({std::move(timed)});
  EXPECT_TRUE(dag.costs().order().sequence.empty());
  EXPECT_TRUE(dag.costs().order().enablers.empty());
}

TEST(PriorityOrderTest, StrandWalkLeavesTokensAndWaitingNodesBehind) {
  TestDag dag({noting_node("a"),
               noting_node("b", {"a"}),
               noting_node("c", {"a"}),
               noting_node("join", {"b", "c"})});
  const auto counters = dag.topology().counter_template();
  std::vector<std::uint32_t> tokens(counters.begin(), counters.end());
  std::vector<std::uint32_t> waiting(dag.topology().node_count());
  const PriorityOrder& order = dag.costs().order();
  StrandWalk walk{.nodes = dag.topology().nodes().data(),
                  .edges = order.edges.data(),
                  .tokens = tokens.data(),
                  .waiting = waiting.data()};
  walk.begin(order.sources);
  walk.step();
  EXPECT_EQ(walk.node, dag.node("b"));
  EXPECT_EQ(walk.waiting_count, 1U);
  EXPECT_EQ(waiting.front(), dag.node("c"));
  walk.step();
  EXPECT_EQ(walk.node, dag.node("c"));
  EXPECT_EQ(tokens, std::vector<std::uint32_t>{1});  // one of two for the join
  walk.step();
  walk.step();
  EXPECT_EQ(walk.node, kNoNode);
}

}  // namespace
}  // namespace millrace::runtime
