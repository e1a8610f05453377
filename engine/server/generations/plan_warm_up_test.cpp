#include "server/generations/plan_warm_up.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/host_fixture.h"

namespace millrace::server {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

TEST(PlanWarmUpTest, S27_RequestsComeFromTheFileElseFromTheOldVersionElseThereIsOne) {
  const host::testing::TempFolder folder;
  EXPECT_THAT(warm_up_requests(folder.path(), "p", {}), ElementsAre(R"({"user_id":1})"));
  EXPECT_THAT(warm_up_requests(folder.path(), "p", {"old"}), ElementsAre("old"));
  folder.write("p.warmup.jsonl", "a\r\n\n  \nb");
  EXPECT_THAT(warm_up_requests(folder.path(), "p", {"old"}), ElementsAre("a\r", "b"));
  std::string many;
  for (int line = 0; line < 40; ++line) many += "x\n";
  EXPECT_THAT(warm_up_lines(many), SizeIs(16));
}

TEST(PlanWarmUpTest, S27_OnePlanAnswersAndOneDoesNot) {
  const auto settings = host::testing::repository_settings();
  const auto project = host::testing::open_project(settings);
  const auto engine = host::testing::start_engine(settings, *project);
  const auto generation = engine->generation();
  const auto never = [] { return false; };
  EXPECT_EQ(warm_up(*generation->clients(),
                    generation->plans(),
                    "diamond",
                    {R"({"user_id":1})", "nonsense"},
                    never),
            std::nullopt);
  EXPECT_THAT(
      warm_up(*generation->clients(), generation->plans(), "diamond", {"nonsense"}, never).value(),
      HasSubstr("no request of its warm-up was answered"));
  // Nobody counts them.
  EXPECT_EQ(engine->admission().stats().accepted, 0U);
}

}  // namespace
}  // namespace millrace::server
