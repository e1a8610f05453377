#include "plan/passes/node_links.h"

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plan/plan_fixture.h"

namespace millrace::plan {
namespace {

using testing::ElementsAre;

TEST(NodeLinksTest, KnowsWhoUsesANode) {
  CompiledPlan plan;
  plan.nodes.resize(5);
  plan.nodes[1].inputs = {NodeInput{.node = 0}};
  plan.nodes[2].inputs = {NodeInput{.node = 0}, NodeInput{.node = 1}};
  plan.nodes[2].fallback_node = 3;
  plan.nodes[2].waits_for = {4};
  plan.outputs = {2};
  const std::vector<NodeUses> uses = uses_of(plan);
  EXPECT_THAT(uses[0].consumers, ElementsAre(1U, 2U));
  EXPECT_FALSE(uses[0].is_private());
  EXPECT_TRUE(uses[1].is_private());
  EXPECT_TRUE(uses[2].is_output);
  EXPECT_TRUE(uses[3].is_fallback);
  EXPECT_TRUE(uses[4].is_awaited);
  EXPECT_THAT(reachable_from(plan, {2}), ElementsAre(true, true, true, true, true));
  EXPECT_THAT(reachable_from(plan, {1}), ElementsAre(true, true, false, false, false));
  EXPECT_THAT(eager_nodes(plan), ElementsAre(true, true, true, false, true));
}

TEST(NodeLinksTest, CMP3_AnySettingOfItsOwnCounts) {
  EXPECT_FALSE(has_own_settings(CompiledNode()));
  std::vector<CompiledNode> nodes(6);
  nodes[0].trace = false;
  nodes[1].inline_hint = true;
  nodes[2].cost_estimate = base::Duration(1);
  nodes[3].timeout = base::Duration(1);
  nodes[4].priority = PlanPriority::kNormal;
  nodes[5].on_failure = OnFailure::kUseEmpty;
  for (const CompiledNode& node : nodes) EXPECT_TRUE(has_own_settings(node));
}

TEST(NodeLinksTest, ParamsCompareByValue) {
  EXPECT_TRUE(same_param(std::int64_t{1}, std::int64_t{1}));
  EXPECT_FALSE(same_param(std::int64_t{1}, 1.0));
  EXPECT_TRUE(same_param(EndpointId{.index = 2}, EndpointId{.index = 2}));
  EXPECT_FALSE(same_param(InputIndex{.index = 1}, InputIndex{.index = 2}));
  EXPECT_TRUE(same_param(std::vector<OrderKey>{{.key = "a"}}, std::vector<OrderKey>{{.key = "a"}}));
  EXPECT_FALSE(same_param(std::vector<OrderKey>{{.key = "a"}},
                          std::vector<OrderKey>{{.key = "a", .descending = true}}));
}

}  // namespace
}  // namespace millrace::plan
