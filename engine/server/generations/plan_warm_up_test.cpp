#include "server/generations/plan_warm_up.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/host_fixture.h"
#include "host/waiting_call.h"
#include "rank/ranker.h"

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
  std::size_t runs = 0;
  const auto never = [&runs] {
    ++runs;
    return false;
  };
  EXPECT_EQ(warm_up(*generation->clients(),
                    generation->plans(),
                    "diamond",
                    {R"({"user_id":1})", "nonsense"},
                    never),
            std::nullopt);
  EXPECT_EQ(runs, kWarmUpRuns);
  EXPECT_THAT(
      warm_up(*generation->clients(), generation->plans(), "diamond", {"nonsense"}, never).value(),
      HasSubstr("no request of its warm-up was answered"));
  // They run in the class background, also one that a caller of a better class had sent.
  rank::Ranker ranker(generation->plans(), generation->clients()->own_services(0));
  rank::RequestReader reader;
  host::WaitingCall call;
  call.run(ranker, reader, R"({"user_id":1,"priority":"high"})", warm_up_terms("diamond"));
  EXPECT_TRUE(call.ok());
  EXPECT_EQ(call.priority(), runtime::Priority::kBackground);
  // Nobody counts them.
  EXPECT_EQ(engine->admission().stats().accepted, 0U);
}

}  // namespace
}  // namespace millrace::server
