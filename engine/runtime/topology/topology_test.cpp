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
