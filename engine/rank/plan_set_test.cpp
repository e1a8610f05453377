#include "rank/plan_set.h"

#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rank/rank_fixture.h"

namespace millrace::rank::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::unique_ptr<LoadedPlan> make_plan(RankRig& rig, const std::string& name) {
  const auto compiled = plan::compile_plan(
      plan_text(source_node(1), R"(["src"])", R"(["id"])", name), rig.registry, rig.tasks);
  return LoadedPlan::load(*compiled, rig.registry, rig.tasks).value();
}

TEST(PlanSetTest, TheOnlyPlanIsTheDefault) {
  RankRig rig;
  PlanSet plans;
  EXPECT_EQ(plans.default_plan(), nullptr);
  ASSERT_TRUE(plans.add(make_plan(rig, "a")));
  EXPECT_EQ(plans.default_plan(), plans.find("a"));
  ASSERT_TRUE(plans.add(make_plan(rig, "b")));
  EXPECT_EQ(plans.default_plan(), nullptr);
}

TEST(PlanSetTest, NamesAreSortedAndFound) {
  RankRig rig;
  PlanSet plans;
  ASSERT_TRUE(plans.add(make_plan(rig, "b")));
  ASSERT_TRUE(plans.add(make_plan(rig, "a")));
  EXPECT_THAT(plans.names(), ElementsAre("a", "b"));
  EXPECT_EQ(plans.size(), 2U);
  EXPECT_EQ(plans.find("b")->plan().name, "b");
  EXPECT_EQ(plans.find("c"), nullptr);
}

TEST(PlanSetTest, ASecondPlanOfOneNameIsRefused) {
  RankRig rig;
  PlanSet plans;
  ASSERT_TRUE(plans.add(make_plan(rig, "a")));
  EXPECT_EQ(plans.add(make_plan(rig, "a")).error().code(), base::ErrorCode::kInvalidPlan);
  EXPECT_EQ(plans.size(), 1U);
}

TEST(PlanSetTest, TheDefaultMustBeThere) {
  RankRig rig;
  PlanSet plans;
  ASSERT_TRUE(plans.add(make_plan(rig, "feed")));
  ASSERT_TRUE(plans.add(make_plan(rig, "b")));
  ASSERT_TRUE(plans.set_default("b"));
  EXPECT_EQ(plans.default_plan(), plans.find("b"));
  const auto missing = plans.set_default("fed");
  ASSERT_FALSE(missing);
  EXPECT_THAT(std::string(missing.error().message()), HasSubstr("'feed'"));
}

}  // namespace
}  // namespace millrace::rank::testing
