#include "rank/plan_version.h"

#include <gtest/gtest.h>

namespace millrace::rank {
namespace {

TEST(PlanVersionTest, S28_IsWhatTheArtifactSaysElseDigitsOfItsDigest) {
  plan::CompiledPlan plan;
  plan.digest = "sha256:0123456789abcdef";
  EXPECT_EQ(version_of(plan), "01234567");
  EXPECT_TRUE(is_version(plan, "01234567"));
  EXPECT_TRUE(is_version(plan, "0123456789"));
  EXPECT_TRUE(is_version(plan, "sha256:0123456789abcdef"));
  EXPECT_FALSE(is_version(plan, "0123456"));
  EXPECT_FALSE(is_version(plan, ""));
  plan.version = "7";
  EXPECT_EQ(version_of(plan), "7");
  EXPECT_TRUE(is_version(plan, "7"));
  EXPECT_FALSE(is_version(plan, "8"));
}

}  // namespace
}  // namespace millrace::rank
