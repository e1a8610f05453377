#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plan/plan_fixture.h"

namespace millrace::plan {
namespace {

using CompiledPlanTest = PlanFixture;

TEST_F(CompiledPlanTest, FindsNodesById) {
  const auto plan = compile(artifact(kViewer, R"("v")"));
  EXPECT_EQ(plan->find_node("v"), 0U);
  EXPECT_EQ(plan->find_node("w"), kNoPlanNode);
}

TEST_F(CompiledPlanTest, GivesParamsByName) {
  const auto plan = compile(artifact(kViewer, R"("v")"));
  EXPECT_TRUE(std::holds_alternative<EndpointId>(plan->nodes[0].param("endpoint")));
}

}  // namespace
}  // namespace millrace::plan
