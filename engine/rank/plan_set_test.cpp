#include "rank/plan_set.h"

#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rank/plan_version.h"
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

std::shared_ptr<LoadedPlan> make_version(RankRig& rig, int row_count) {
  const auto compiled = plan::compile_plan(
      plan_text(source_node(row_count), R"(["src"])", R"(["id"])", "a"), rig.registry, rig.tasks);
  return LoadedPlan::load(*compiled, rig.registry, rig.tasks).value();
}

TEST(PlanSetTest, APlanThatIsNearNoOtherIsToldWhichThereAre) {
  RankRig rig;
  PlanSet plans;
  EXPECT_EQ(plans.set_default("home").error().message(),
            "No plan 'home' is loaded; there are no plans");
  ASSERT_TRUE(plans.add(make_plan(rig, "b")));
  ASSERT_TRUE(plans.add(make_plan(rig, "a")));
  EXPECT_EQ(plans.set_default("home").error().message(),
            "No plan 'home' is loaded; there are: a, b");
}

TEST(PlanSetTest, S28_VersionsAreFoundByTheirDigits) {
  RankRig rig;
  PlanSet plans;
  const auto first = make_version(rig, 1);
  const auto second = make_version(rig, 2);
  ASSERT_TRUE(plans.add(second));
  plans.add_version(first);
  EXPECT_EQ(plans.find("a"), second.get());
  EXPECT_EQ(plans.find_version("a", version_of(first->plan())), first.get());
  EXPECT_EQ(plans.find_version("a", version_of(second->plan())), second.get());
  EXPECT_EQ(plans.find_version("a", "ffffffffffffffffff"), nullptr);
  EXPECT_EQ(plans.find_version("b", version_of(first->plan())), nullptr);
}

TEST(PlanSetTest, S29_UsersOfACanaryStayWhereTheyAre) {
  RankRig rig;
  int moved = 0;
  for (const double percent : {1.0, 20.0, 50.0, 100.0}) {
    PlanSet plans;
    const auto active = make_version(rig, 1);
    const auto canary = make_version(rig, 2);
    ASSERT_TRUE(plans.add(active));
    plans.add_version(canary);
    plans.set_canary(*canary, percent);
    int chosen = 0;
    for (std::int64_t user = 0; user < 10'000; ++user) {
      const bool is_chosen = &plans.choose(*active, user) == canary.get();
      chosen += is_chosen ? 1 : 0;
      EXPECT_EQ(is_chosen, is_in_share(user, "a", percent));
      // A larger share has everybody of a smaller one.
      if (is_in_share(user, "a", percent / 2)) EXPECT_TRUE(is_chosen);
      // Another plan asks other users.
      moved += is_chosen != is_in_share(user, "b", percent) ? 1 : 0;
    }
    EXPECT_NEAR(chosen, percent * 100, 150) << percent;
  }
  EXPECT_GT(moved, 5'000);
}

}  // namespace
}  // namespace millrace::rank::testing
