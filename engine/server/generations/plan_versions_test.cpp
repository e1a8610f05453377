#include "server/generations/plan_versions.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rank/plan_version.h"
#include "rank/rank_fixture.h"

namespace millrace::server {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Versions 1, 2 … of a plan, which differ by their numbers of rows.
struct VersionsRig {
  PlanVersion make(int number) {
    const std::string artifact = rank::testing::plan_text(
        rank::testing::source_node(number), R"(["src"])", R"(["id"])", "p");
    const auto compiled = plan::compile_plan(artifact, rig.registry, rig.tasks);
    return {.plan = rank::LoadedPlan::load(*compiled, rig.registry, rig.tasks).value()};
  }
  void offer(int number) { versions.offer(make(number)); }
  /// The number of a version.
  int number_of(const PlanVersion& version) {
    for (int number = 1; number < 10; ++number) {
      if (make(number).digest() == version.digest()) return number;
    }
    return 0;
  }
  int active() { return number_of(versions.active()); }
  std::vector<int> all() {
    std::vector<int> numbers;
    for (const PlanVersion& version : versions.all()) numbers.push_back(number_of(version));
    return numbers;
  }
  std::string name(int number) { return rank::version_of(make(number).plan->plan()); }

  rank::testing::RankRig rig;
  PlanVersions versions;
};

TEST(PlanVersionsTest, S28_TheActiveVersionAndTwoMoreAreKept) {
  VersionsRig rig;
  for (int number = 1; number <= 5; ++number) rig.offer(number);
  EXPECT_EQ(rig.active(), 5);
  EXPECT_THAT(rig.all(), ElementsAre(5, 4, 3));
}

TEST(PlanVersionsTest, S28_RollbackActivatesTheOneBeforeAndHoldsTheOtherBackUntilAThirdComes) {
  VersionsRig rig;
  rig.offer(1);
  EXPECT_EQ(rig.versions.rollback().error().code, "conflict");
  rig.offer(2);
  ASSERT_TRUE(rig.versions.rollback());
  EXPECT_EQ(rig.active(), 1);
  EXPECT_EQ(rig.versions.state_of(*rig.versions.find_digest(rig.make(2).digest())),
            VersionState::kHeld);
  rig.offer(2);
  EXPECT_EQ(rig.active(), 1);
  rig.offer(1);
  EXPECT_EQ(rig.active(), 1);
  rig.offer(2);
  EXPECT_EQ(rig.active(), 1);
  rig.offer(3);
  EXPECT_EQ(rig.active(), 3);
  EXPECT_TRUE(rig.versions.held().empty());
  rig.offer(2);
  EXPECT_EQ(rig.active(), 2);
}

TEST(PlanVersionsTest, S28_RollbackTwiceGoesBackTwice) {
  VersionsRig rig;
  for (int number = 1; number <= 3; ++number) rig.offer(number);
  ASSERT_TRUE(rig.versions.rollback());
  ASSERT_TRUE(rig.versions.rollback());
  EXPECT_EQ(rig.active(), 1);
  EXPECT_EQ(rig.versions.held().size(), 2U);
  EXPECT_FALSE(rig.versions.rollback());
}

TEST(PlanVersionsTest, S28_NothingElseBecomesActiveWhileAVersionIsPinned) {
  VersionsRig rig;
  rig.offer(1);
  rig.offer(2);
  EXPECT_THAT(rig.versions.pin("nope").error().detail, HasSubstr("it has " + rig.name(2)));
  ASSERT_TRUE(rig.versions.pin(rig.name(1)));
  EXPECT_EQ(rig.active(), 1);
  rig.offer(3);
  rig.offer(4);
  rig.offer(5);
  EXPECT_EQ(rig.active(), 1);
  EXPECT_EQ(rig.versions.rollback().error().code, "conflict");
  rig.versions.unpin();
  EXPECT_EQ(rig.active(), 5);
  rig.versions.unpin();
  EXPECT_EQ(rig.active(), 5);
}

TEST(PlanVersionsTest, S29_ACanaryIsAVersionThatIsNotActive) {
  VersionsRig rig;
  rig.offer(1);
  rig.offer(2);
  EXPECT_EQ(rig.versions.set_canary(rig.name(2), 5).error().code, "conflict");
  EXPECT_EQ(rig.versions.set_canary("nope", 5).error().code, "unknown_version");
  EXPECT_EQ(rig.versions.set_canary(rig.name(1), 101).error().code, "bad_value");
  ASSERT_TRUE(rig.versions.set_canary(rig.name(1), 5));
  EXPECT_EQ(rig.versions.canary()->percent, 5);
  // It is kept however many come after it.
  for (int number = 3; number <= 6; ++number) rig.offer(number);
  EXPECT_NE(rig.versions.find_digest(rig.make(1).digest()), nullptr);
  ASSERT_TRUE(rig.versions.set_canary(rig.name(1), 0));
  EXPECT_FALSE(rig.versions.canary());
}

TEST(PlanVersionsTest, S29_ACanaryThatBecomesActiveIsNoneAnyMore) {
  VersionsRig rig;
  rig.offer(1);
  ASSERT_TRUE(rig.versions.pin(rig.name(1)));
  rig.offer(2);
  ASSERT_TRUE(rig.versions.set_canary(rig.name(2), 50));
  rig.versions.unpin();
  EXPECT_EQ(rig.active(), 2);
  EXPECT_FALSE(rig.versions.canary());
}

TEST(PlanVersionsTest, S28_WhatWasPinnedAndHeldIsRestored) {
  VersionsRig rig;
  const PlanVersion old = rig.make(1);
  rig.offer(1);
  rig.offer(2);
  rig.versions.restore(old.digest(), false, {rig.make(2).digest()});
  EXPECT_EQ(rig.active(), 1);
  rig.offer(2);
  EXPECT_EQ(rig.active(), 1);
  rig.offer(3);
  EXPECT_EQ(rig.active(), 3);
}

}  // namespace
}  // namespace millrace::server
