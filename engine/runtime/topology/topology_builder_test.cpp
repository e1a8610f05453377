#include "runtime/topology/topology_builder.h"

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
  EXPECT_EQ(builder.node_count(), 0U);  // nothing half-built remains
  return built ? "" : built.error().message();
}

TEST(TopologyBuilderTest, NamesACycle) {
  const std::string error =
      error_of({noting_node("a", {"c"}), noting_node("b", {"a"}), noting_node("c", {"b"})});
  EXPECT_THAT(error, HasSubstr("the flow has a cycle: 'a' -> 'b' -> 'c' -> 'a'"));
}

TEST(TopologyBuilderTest, NamesADanglingEdge) {
  EXPECT_THAT(error_of({noting_node("a", {"nobody"})}),
              HasSubstr("node 'a': waits for an unknown node: 'nobody'"));
}

TEST(TopologyBuilderTest, NamesAnEdgeIntoNowhere) {
  TopologyBuilder builder;
  builder.add(noting_node("a"));
  builder.add_edge("a", "nowhere");
  EXPECT_THAT(builder.build().error().message(),
              HasSubstr("an edge from 'a' leads to an unknown node: 'nowhere'"));
}

TEST(TopologyBuilderTest, NamesADuplicateId) {
  EXPECT_THAT(error_of({noting_node("a"), noting_node("a")}),
              HasSubstr("node 'a': the id is declared twice"));
}

TEST(TopologyBuilderTest, RefusesAnEmptyDag) {
  EXPECT_THAT(error_of({}), HasSubstr("the flow has no nodes"));
}

TEST(TopologyBuilderTest, RefusesAnEmptyId) {
  EXPECT_THAT(error_of({noting_node("")}), HasSubstr("node 0 has an empty id"));
}

TEST(TopologyBuilderTest, RefusesANodeWithoutBody) {
  NodeSpec spec = noting_node("a");
  spec.body = nullptr;
  EXPECT_THAT(error_of({spec}), HasSubstr("node 'a': has no body"));
}

TEST(TopologyBuilderTest, RefusesANegativeTimeout) {
  NodeSpec spec = noting_node("a");
  spec.timeout = milliseconds(-1);
  EXPECT_THAT(error_of({spec}), HasSubstr("node 'a': timeout must be positive: -1000000 ns"));
}

TEST(TopologyBuilderTest, RefusesSelfDependency) {
  EXPECT_THAT(error_of({noting_node("a", {"a"})}), HasSubstr("node 'a': depends on itself"));
}

TEST(TopologyBuilderTest, I3_RefusesImpossibleCosts) {
  NodeSpec negative = noting_node("negative");
  negative.cost_estimate = milliseconds(-5);
  NodeSpec huge = noting_node("huge");
  huge.cost_per_row = hours(2);
  const std::string error = error_of({negative, huge});
  EXPECT_THAT(error, HasSubstr("node 'negative': declared cost must not be negative: -5000000 ns"));
  EXPECT_THAT(error, HasSubstr("node 'huge': declared cost is larger than one hour"));
}

TEST(TopologyBuilderTest, ReportsEveryProblemAtOnce) {
  const std::string error = error_of({noting_node("a", {"a"}), noting_node("b", {"x"})});
  EXPECT_THAT(error, HasSubstr("depends on itself"));
  EXPECT_THAT(error, HasSubstr("unknown node: 'x'"));
}

TEST(TopologyBuilderTest, RefusesBadFallbacks) {
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

TEST(TopologyBuilderTest, RefusesAFallbackThatNeedsWhatItReplaces) {
  NodeSpec node = noting_node("a");
  node.fallback = FallbackKind::kNode;
  node.fallback_node = "b";
  EXPECT_THAT(error_of({node, noting_node("b", {"a"})}), HasSubstr("the flow has a cycle"));
}

}  // namespace
}  // namespace millrace::runtime
