#include "runtime/topology.h"

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/node.h"
#include "runtime/scheduler_fixture.h"

namespace millrace::runtime {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::HasSubstr;

std::string error_of(std::vector<NodeSpec> specs) {
  TopologyBuilder builder;
  for (NodeSpec& spec : specs) builder.add(std::move(spec));
  const auto built = builder.build();
  EXPECT_FALSE(built.has_value());
  EXPECT_EQ(builder.node_count(), 0U);  // nothing half-built remains
  return built ? "" : built.error().message();
}

TEST(TopologyTest, K1_DuplicateEdgesCountOnce) {
  const TestGraph graph(
      {noting_node("a"), noting_node("b", {"a", "a"}), noting_node("c", {"a", "b", "b"})});
  EXPECT_EQ(graph.topology().in_degree(graph.node("b")), 1U);
  EXPECT_EQ(graph.topology().in_degree(graph.node("c")), 2U);
  EXPECT_EQ(graph.topology().edge_count(), 3U);
  EXPECT_THAT(graph.topology().counter_template(), ElementsAre(2U));
}

TEST(TopologyTest, D8_OnlyJoinsHaveCounters) {
  const TestGraph graph({noting_node("a"),
                         noting_node("b", {"a"}),
                         noting_node("c", {"a"}),
                         noting_node("d", {"b", "c"})});
  EXPECT_EQ(graph.topology().counter_of(graph.node("b")), kNoCounter);
  EXPECT_NE(graph.topology().counter_of(graph.node("d")), kNoCounter);
  EXPECT_EQ(graph.topology().single_continuation(graph.node("b")), graph.node("d"));
  EXPECT_EQ(graph.topology().single_continuation(graph.node("a")), kNoNode);
}

TEST(TopologyTest, OrdersNodesAfterTheirProducers) {
  const TestGraph graph({noting_node("late", {"early"}), noting_node("early")});
  EXPECT_THAT(graph.topology().topological_order(), ElementsAre(1U, 0U));
  EXPECT_THAT(graph.topology().sources(), ElementsAre(1U));
}

TEST(TopologyTest, NamesACycle) {
  const std::string error =
      error_of({noting_node("a", {"c"}), noting_node("b", {"a"}), noting_node("c", {"b"})});
  EXPECT_THAT(error, HasSubstr("the graph has a cycle: 'a' -> 'b' -> 'c' -> 'a'"));
}

TEST(TopologyTest, NamesADanglingEdge) {
  EXPECT_THAT(error_of({noting_node("a", {"nobody"})}),
              HasSubstr("node 'a': waits for an unknown node: 'nobody'"));
}

TEST(TopologyTest, NamesAnEdgeIntoNowhere) {
  TopologyBuilder builder;
  builder.add(noting_node("a"));
  builder.add_edge("a", "nowhere");
  EXPECT_THAT(builder.build().error().message(),
              HasSubstr("an edge from 'a' leads to an unknown node: 'nowhere'"));
}

TEST(TopologyTest, NamesADuplicateId) {
  EXPECT_THAT(error_of({noting_node("a"), noting_node("a")}),
              HasSubstr("node 'a': the id is declared twice"));
}

TEST(TopologyTest, RefusesAnEmptyGraph) {
  EXPECT_THAT(error_of({}), HasSubstr("the graph has no nodes"));
}

TEST(TopologyTest, RefusesAnEmptyId) {
  EXPECT_THAT(error_of({noting_node("")}), HasSubstr("node 0 has an empty id"));
}

TEST(TopologyTest, RefusesANodeWithoutBody) {
  NodeSpec spec = noting_node("a");
  spec.body = nullptr;
  EXPECT_THAT(error_of({spec}), HasSubstr("node 'a': has no body"));
}

TEST(TopologyTest, RefusesANegativeTimeout) {
  NodeSpec spec = noting_node("a");
  spec.timeout = milliseconds(-1);
  EXPECT_THAT(error_of({spec}), HasSubstr("node 'a': timeout must be positive: -1000000 ns"));
}

TEST(TopologyTest, RefusesSelfDependency) {
  EXPECT_THAT(error_of({noting_node("a", {"a"})}), HasSubstr("node 'a': depends on itself"));
}

TEST(TopologyTest, I3_RefusesImpossibleCosts) {
  NodeSpec negative = noting_node("negative");
  negative.cost_estimate = milliseconds(-5);
  NodeSpec huge = noting_node("huge");
  huge.cost_per_row = hours(2);
  const std::string error = error_of({negative, huge});
  EXPECT_THAT(error, HasSubstr("node 'negative': declared cost must not be negative: -5000000 ns"));
  EXPECT_THAT(error, HasSubstr("node 'huge': declared cost is larger than one hour"));
}

TEST(TopologyTest, ReportsEveryProblemAtOnce) {
  const std::string error = error_of({noting_node("a", {"a"}), noting_node("b", {"x"})});
  EXPECT_THAT(error, HasSubstr("depends on itself"));
  EXPECT_THAT(error, HasSubstr("unknown node: 'x'"));
}

TEST(TopologyTest, RefusesBadFallbacks) {
  NodeSpec unknown = noting_node("a");
  unknown.fallback = FallbackKind::kNode;
  unknown.fallback_node = "b";
  EXPECT_THAT(error_of({unknown}), HasSubstr("node 'a': falls back to an unknown node: 'b'"));
  NodeSpec self = unknown;
  self.fallback_node = "a";
  EXPECT_THAT(error_of({self}), HasSubstr("node 'a': falls back to itself"));
  NodeSpec no_body = noting_node("a");
  no_body.fallback = FallbackKind::kValue;
  EXPECT_THAT(error_of({no_body}), HasSubstr("a value fallback needs a body"));
}

TEST(TopologyTest, RefusesAFallbackThatNeedsWhatItReplaces) {
  NodeSpec node = noting_node("a");
  node.fallback = FallbackKind::kNode;
  node.fallback_node = "b";
  EXPECT_THAT(error_of({node, noting_node("b", {"a"})}), HasSubstr("the graph has a cycle"));
}

TEST(TopologyTest, K5_WhatOnlyAFallbackNeedsIsLazy) {
  NodeSpec main = noting_node("main", {"shared"});
  main.fallback = FallbackKind::kNode;
  main.fallback_node = "spare";
  const TestGraph graph({noting_node("shared"),
                         main,
                         noting_node("only_spare"),
                         noting_node("spare", {"shared", "only_spare"})});
  EXPECT_TRUE(graph.topology().is_lazy(graph.node("spare")));
  EXPECT_TRUE(graph.topology().is_lazy(graph.node("only_spare")));
  EXPECT_FALSE(graph.topology().is_lazy(graph.node("shared")));
  EXPECT_THAT(graph.topology().sources(), ElementsAre(graph.node("shared")));
  EXPECT_THAT(graph.topology().lazy_closure(graph.node("spare")),
              ElementsAre(graph.node("spare"), graph.node("only_spare")));
}

}  // namespace
}  // namespace millrace::runtime
