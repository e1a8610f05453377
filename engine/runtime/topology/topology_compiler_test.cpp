#include "runtime/topology/topology_compiler.h"

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/clock.h"
#include "runtime/scheduler_fixture.h"
#include "runtime/topology/node.h"
#include "runtime/topology/topology.h"

namespace millrace::runtime {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string refusal(TopologyCompiler& compiler) {
  const auto built = compiler.finish();
  return built ? "" : built.error().to_string();
}
std::string refusal(std::vector<NodeSpec> specs) {
  TopologyCompiler compiler(std::move(specs));
  return refusal(compiler);
}

TEST(TopologyCompilerTest, K1_EdgesOfBothSourcesAreJoinedAndCountOnce) {
  TopologyCompiler compiler({noting_node("a"), noting_node("b"), noting_node("c", {"a", "a"})});
  compiler.add_edge("a", "c");
  compiler.add_edge("b", "c");
  const auto built = compiler.finish();
  ASSERT_TRUE(built.has_value());
  const Topology& topology = **built;
  EXPECT_EQ(topology.edge_count(), 2U);
  EXPECT_EQ(topology.in_degree(2), 2U);
  EXPECT_THAT(topology.counter_template(), ElementsAre(2U));
  EXPECT_TRUE(topology.has_edge(0, 2));
  EXPECT_FALSE(topology.has_edge(0, 1));
}

TEST(TopologyCompilerTest, D8_EdgesNameACounterOnlyWhereTokensAreCounted) {
  TopologyCompiler compiler(
      {noting_node("a"), noting_node("b", {"a"}), noting_node("c", {"a", "b"})});
  const auto built = compiler.finish();
  ASSERT_TRUE(built.has_value());
  const Topology& topology = **built;
  for (const Edge& edge : topology.dependents(0)) {
    EXPECT_EQ(edge.counter, edge.target == 1 ? kNoCounter : topology.counter_of(2));
  }
  EXPECT_EQ(topology.nodes()[1].single.target, 2U);  // a chain reads no edges
  EXPECT_EQ(topology.nodes()[0].single.target, kNoNode);
  EXPECT_EQ(topology.single_continuation(1), 2U);
  EXPECT_EQ(topology.single_continuation(0), kNoNode);
}

TEST(TopologyCompilerTest, K5_ALazyNodeWaitsForOneTokenMore) {
  NodeSpec main = noting_node("main");
  main.fallback = FallbackKind::kNode;
  main.fallback_node = "spare";
  TopologyCompiler compiler({noting_node("input"), main, noting_node("spare", {"input"})});
  const auto built = compiler.finish();
  ASSERT_TRUE(built.has_value());
  const Topology& topology = **built;
  ASSERT_TRUE(topology.is_lazy(2));
  ASSERT_NE(topology.counter_of(2), kNoCounter);
  EXPECT_EQ(topology.counter_template()[topology.counter_of(2)], 2U);
  EXPECT_EQ(topology.fallback_of(1), 2U);
  EXPECT_THAT(topology.stands_in_for(2), ElementsAre(1U));
}

TEST(TopologyCompilerTest, NamesTheKindWhereNoOpIsGiven) {
  NodeSpec cheap = noting_node("cheap");
  cheap.kind = NodeKind::kCheap;
  NodeSpec named = noting_node("named");
  named.op = "filter";
  TopologyCompiler compiler({noting_node("cpu"), cheap, named});
  const auto built = compiler.finish();
  ASSERT_TRUE(built.has_value());
  EXPECT_EQ((*built)->spec(0).op, "cpu");
  EXPECT_EQ((*built)->spec(1).op, "cheap");
  EXPECT_EQ((*built)->spec(2).op, "filter");
}

TEST(TopologyCompilerTest, TraitsNameTheMechanismsThatAreNeeded) {
  TopologyCompiler plain({noting_node("a")});
  EXPECT_FALSE((*plain.finish())->traits().needs_extras());
  NodeSpec timed = noting_node("timed");
  timed.timeout = std::chrono::milliseconds(1);
  TopologyCompiler compiler({noting_node("a"), timed});
  const auto built = compiler.finish();
  EXPECT_TRUE((*built)->traits().has_timeout);
  EXPECT_FALSE((*built)->traits().has_async);
}

TEST(TopologyCompilerTest, D9_NodesSayWhatTheyNeedBesideTokens) {
  NodeSpec timed = noting_node("timed", {"plain"});
  timed.timeout = std::chrono::milliseconds(1);
  NodeSpec apart = noting_node("apart", {"timed"});
  apart.inline_hint = InlineHint::kNever;
  NodeSpec replaced = noting_node("replaced");
  replaced.fallback = FallbackKind::kValue;
  replaced.fallback_body = [](const void*, NodeCall&) { return true; };
  TopologyCompiler compiler({noting_node("plain"), timed, apart, replaced});
  const auto built = compiler.finish();
  ASSERT_TRUE(built.has_value());
  EXPECT_EQ((*built)->nodes()[0].needs, 0U);
  EXPECT_EQ((*built)->nodes()[1].needs, HotNode::kTimed | HotNode::kRoutesApart);
  EXPECT_EQ((*built)->nodes()[2].needs, HotNode::kOutput);
  EXPECT_EQ((*built)->nodes()[3].needs, HotNode::kStepsApart | HotNode::kOutput);
  EXPECT_THAT((*built)->timed_nodes(), testing::ElementsAre(1, 3));
}

TEST(TopologyCompilerTest, NamesTheWholeCycle) {
  const std::string text = refusal({noting_node("free"),
                                    noting_node("a", {"c", "free"}),
                                    noting_node("b", {"a"}),
                                    noting_node("c", {"b"})});
  EXPECT_THAT(text, HasSubstr("cycle"));
  for (const char* id : {"'a'", "'b'", "'c'"}) EXPECT_THAT(text, HasSubstr(id));
  EXPECT_THAT(text, testing::Not(HasSubstr("'free'")));
}

TEST(TopologyCompilerTest, ReportsUnknownEndsOfAnEdge) {
  TopologyCompiler compiler({noting_node("a")});
  compiler.add_edge("ghost", "a");
  compiler.add_edge("a", "nowhere");
  const std::string text = refusal(compiler);
  EXPECT_THAT(text, HasSubstr("'ghost'"));
  EXPECT_THAT(text, HasSubstr("'nowhere'"));
}

TEST(TopologyCompilerTest, RefusesTimesThatMakeNoSense) {
  NodeSpec forever = noting_node("forever");
  forever.timeout = std::chrono::hours(25);
  NodeSpec zero = noting_node("zero");
  zero.timeout = base::Duration(0);
  NodeSpec reserved = noting_node("reserved");
  reserved.reserve = base::Duration(-1);
  const std::string text = refusal({forever, zero, reserved});
  EXPECT_THAT(text, HasSubstr("'forever'"));
  EXPECT_THAT(text, HasSubstr("'zero'"));
  EXPECT_THAT(text, HasSubstr("'reserved'"));
}

TEST(TopologyCompilerTest, I3_AcceptsCostsUpToOneHour) {
  NodeSpec spec = noting_node("a");
  spec.cost_estimate = std::chrono::hours(1);
  EXPECT_EQ(refusal({spec}), "");
  spec.cost_estimate += base::Duration(1);
  EXPECT_THAT(refusal({spec}), HasSubstr("one hour"));
}

}  // namespace
}  // namespace millrace::runtime
