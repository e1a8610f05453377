#include "server/plan_pages.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/front_fixture.h"

namespace millrace::server::testing {
namespace {

TEST(PlanPagesTest, AVersionIsTheArtifactsOrEightDigitsOfItsDigest) {
  plan::CompiledPlan plan;
  plan.digest = "sha256:0123456789abcdef";
  EXPECT_EQ(version_of(plan), "01234567");
  plan.version = "7";
  EXPECT_EQ(version_of(plan), "7");
}

TEST(PlanPagesTest, PagesAreJson) {
  rank::testing::RankRig rig;
  const rank::LoadedPlan& plan = rig.load(small_plan());
  for (const std::string& page : {plans_page(rig.plans, nullptr),
                                  plan_page(plan, rig.registry),
                                  versions_page(plan),
                                  explain_page(plan, rig.registry)})
    EXPECT_TRUE(base::read_json(page).has_value()) << page;
}

}  // namespace
}  // namespace millrace::server::testing
