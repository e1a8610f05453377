#include "server/pages/plan_pages.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/front_fixture.h"

namespace millrace::server::testing {
namespace {

TEST(PlanPagesTest, PagesAreJson) {
  rank::testing::RankRig rig;
  const rank::LoadedPlan& plan = rig.load(small_plan());
  for (const std::string& page : {plans_page(rig.plans, nullptr),
                                  plan_page(plan, rig.registry),
                                  versions_page(plan, nullptr),
                                  explain_page(plan, rig.registry)})
    EXPECT_TRUE(base::read_json(page).has_value()) << page;
}

TEST(PlanPagesTest, S28_VersionsShowTheirStates) {
  rank::testing::RankRig rig;
  const rank::LoadedPlan& plan = rig.load(small_plan());
  const VersionCatalog catalog{
      {"p",
       {.is_pinned = true,
        .versions = {{.version = "v2", .digest = "sha256:2", .state = "canary", .percent = 5},
                     {.version = "v1", .digest = "sha256:1", .state = "active"}}}}};
  EXPECT_EQ(versions_page(plan, &catalog),
            R"({"plan":"p","pinned":true,"versions":[)"
            R"({"version":"v2","digest":"sha256:2","state":"canary","in_file":false,"percent":5},)"
            R"({"version":"v1","digest":"sha256:1","state":"active","in_file":false}]})");
}

}  // namespace
}  // namespace millrace::server::testing
