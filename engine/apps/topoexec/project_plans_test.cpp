#include "apps/topoexec/project_plans.h"

#include <chrono>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace millrace::topoexec {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

TEST(ProjectPlansTest, G67_TheEngineStartsWithTheFirstQuestion) {
  ProjectPlans plans(MILLRACE_SOURCE_DIR);
  EXPECT_FALSE(plans.rank("mixed_pipeline", "{}", 1s));
  EXPECT_TRUE(plans.find("mixed_pipeline"));
  EXPECT_THAT(*plans.rank("mixed_pipeline", R"({"user_id":1,"limit":1})", 10s),
              HasSubstr("candidates"));
  EXPECT_THAT(std::string(plans.find("mixed").error().message()), HasSubstr("No plan 'mixed'"));
}

TEST(ProjectPlansTest, AProjectThatIsNotThereIsSaid) {
  ProjectPlans plans("/no/such/folder");
  const auto found = plans.find("p");
  ASSERT_FALSE(found);
  EXPECT_THAT(std::string(found.error().message()), HasSubstr("/no/such/folder"));
}

}  // namespace
}  // namespace millrace::topoexec
