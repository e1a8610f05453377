#include "runtime/topology/topology.h"

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/scheduler_fixture.h"
#include "runtime/topology/node.h"

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
  EXPECT_EQ(builder.node_count(), 0U);  // the builder is empty after an error
  return built ? "" : built.error().message();
}

TEST(TopologyTest, K1_DuplicateEdgesCountOnce) {
  const TestDag dag(
      {noting_node("a"), noting_node("b", {"a", "a"}), noting_node("c", {"a", "b", "b"})});
  EXPECT_EQ(dag.topology().in_degree(dag.node("b")), 1U);
  EXPECT_EQ(dag.topology().in_degree(dag.node("c")), 2U);
  EXPECT_EQ(dag.topology().edge_count(), 3U);
  EXPECT_THAT(dag.topology().counter_template(), ElementsAre(2U));
}

TEST(TopologyTest, D8_OnlyJoinsHaveCounters) {
  const TestDag dag({noting_node("a"),
                     noting_node("b", {"a"}),
                     noting_node("c", {"a"}),
                     noting_node("d", {"b", "c"})});
  EXPECT_EQ(dag.topology().counter_of(dag.node("b")), kNoCounter);
  EXPECT_NE(dag.topology().counter_of(dag.node("d")), kNoCounter);
  EXPECT_EQ(dag.topology().single_continuation(dag.node("b")), dag.node("d"));
  EXPECT_EQ(dag.topology().single_continuation(dag.node("a")), kNoNode);
}

TEST(TopologyTest, OrdersNodesAfterTheirProducers) {
  const TestDag dag({noting_node("late", {"early"}), noting_node("early")});
  EXPECT_THAT(dag.topology().topological_order(), ElementsAre(1U, 0U));
  EXPECT_THAT(dag.topology().sources(), ElementsAre(1U));
}

TEST(TopologyTest, NamesACycle) {
  const std::string error =
      error_of({noting_node("a", {"c"}), noting_node("b", {"a"}), noting_node("c", {"b"})});
  EXPECT_THAT(error, HasSubstr("the flow has a cycle: 'a' -> 'b' -> 'c' -> 'a'"));
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

TEST(TopologyTest, RefusesAnEmptyDag) {
  EXPECT_THAT(error_of({}), HasSubstr("the flow has no nodes"));
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
  EXPECT_THAT(error_of({node, noting_node("b", {"a"})}), HasSubstr("the flow has a cycle"));
}

TEST(TopologyTest, K5_WhatOnlyAFallbackNeedsIsLazy) {
  NodeSpec main = noting_node("main", {"shared"});
  main.fallback = FallbackKind::kNode;
  main.fallback_node = "spare";
  const TestDag dag({noting_node("shared"),
                     main,
                     noting_node("only_spare"),
                     noting_node("spare", {"shared", "only_spare"})});
  EXPECT_TRUE(dag.topology().is_lazy(dag.node("spare")));
  EXPECT_TRUE(dag.topology().is_lazy(dag.node("only_spare")));
  EXPECT_FALSE(dag.topology().is_lazy(dag.node("shared")));
  EXPECT_THAT(dag.topology().sources(), ElementsAre(dag.node("shared")));
  EXPECT_THAT(dag.topology().lazy_closure(dag.node("spare")),
              ElementsAre(dag.node("spare"), dag.node("only_spare")));
}

}  // namespace
}  // namespace millrace::runtime
