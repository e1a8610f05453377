#include "runtime/rank_order.h"

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "runtime/node.h"
#include "runtime/scheduler_fixture.h"

namespace millrace::runtime {
namespace {

/// The ids along the sequence, each with how many wait beside it.
std::string describe(TestGraph& graph) {
  std::string text;
  for (const SequenceStep& step : graph.costs().order().sequence) {
    if (!text.empty()) text += ' ';
    text += graph.topology().id(step.node);
    text += ':' + std::to_string(step.waiting);
  }
  return text;
}

TEST(RankOrderTest, D3_TheBestOfWhatBecameReadyComesNext) {
  TestGraph graph({noting_node("a"),
                   noting_node("b", {"a"}),
                   noting_node("long", {"a"}),
                   noting_node("longer", {"long"}),
                   noting_node("join", {"b", "longer"})});
  EXPECT_EQ(describe(graph), "a:0 long:1 longer:1 b:0 join:0");
  EXPECT_EQ(graph.costs().order().waiting_max, 1U);
}

TEST(RankOrderTest, D3_OfSourcesTheBestComesFirst) {
  TestGraph graph({noting_node("short"), noting_node("a"), noting_node("b", {"a"})});
  EXPECT_EQ(describe(graph), "a:1 b:1 short:0");
}

TEST(RankOrderTest, AChainHasNobodyWaiting) {
  TestGraph graph({noting_node("a"), noting_node("b", {"a"}), noting_node("c", {"b"})});
  EXPECT_EQ(describe(graph), "a:0 b:0 c:0");
  EXPECT_EQ(graph.costs().order().waiting_max, 0U);
}

TEST(RankOrderTest, P2_ANewRankingHasItsOwnSequence) {
  TestGraph graph({noting_node("a"), noting_node("b"), noting_node("c")});
  EXPECT_EQ(describe(graph), "a:2 b:1 c:0");
  graph.teach(graph.node("c"), std::chrono::milliseconds(1));
  graph.costs().refresh();
  EXPECT_EQ(describe(graph), "c:2 a:1 b:0");
}

TEST(RankOrderTest, T2_KnowsWhichNodeMakesEachReady) {
  TestGraph graph({noting_node("a"),
                   noting_node("b", {"a"}),
                   noting_node("long", {"a"}),
                   noting_node("longer", {"long"}),
                   noting_node("join", {"b", "longer"}),
                   noting_node("lone")});
  ASSERT_EQ(describe(graph), "a:1 long:2 longer:2 b:1 join:1 lone:0");
  const std::uint32_t of_the_run = graph.topology().node_count();
  EXPECT_EQ(graph.costs().order().enablers,
            std::vector<std::uint32_t>({of_the_run,
                                        graph.node("a"),
                                        graph.node("long"),
                                        graph.node("a"),
                                        graph.node("b"),
                                        of_the_run}));
}

TEST(RankOrderTest, WhatNeedsMoreThanTokensHasNone) {
  NodeSpec timed = noting_node("timed");
  timed.timeout = std::chrono::milliseconds(5);
  TestGraph graph({std::move(timed)});
  EXPECT_TRUE(graph.costs().order().sequence.empty());
  EXPECT_TRUE(graph.costs().order().enablers.empty());
}

TEST(RankOrderTest, StrandWalkLeavesTokensAndWaitingNodesBehind) {
  TestGraph graph({noting_node("a"),
                   noting_node("b", {"a"}),
                   noting_node("c", {"a"}),
                   noting_node("join", {"b", "c"})});
  const auto counters = graph.topology().counter_template();
  std::vector<std::uint32_t> tokens(counters.begin(), counters.end());
  std::vector<std::uint32_t> waiting(graph.topology().node_count());
  const RankOrder& order = graph.costs().order();
  StrandWalk walk{.nodes = graph.topology().nodes().data(),
                  .edges = order.edges.data(),
                  .tokens = tokens.data(),
                  .waiting = waiting.data()};
  walk.begin(order.sources);
  walk.step();
  EXPECT_EQ(walk.node, graph.node("b"));
  EXPECT_EQ(walk.waiting_count, 1U);
  EXPECT_EQ(waiting.front(), graph.node("c"));
  walk.step();
  EXPECT_EQ(walk.node, graph.node("c"));
  EXPECT_EQ(tokens, std::vector<std::uint32_t>{1});  // one of two for the join
  walk.step();
  walk.step();
  EXPECT_EQ(walk.node, kNoNode);
}

}  // namespace
}  // namespace millrace::runtime
