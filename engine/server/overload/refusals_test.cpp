#include <chrono>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/front_fixture.h"

namespace millrace::server::testing {
namespace {

using ::testing::HasSubstr;
using namespace std::chrono_literals;

constexpr const char* kOne = R"({"user_id":1})";

std::string metrics_of(FrontRig& rig) { return rig.ask("GET", "/metrics").reply_body; }

std::string request_of(std::string_view priority) {
  return R"({"user_id":1,"priority":")" + std::string(priority) + R"("})";
}

TEST(RefusalsTest, S32_BetterClassesStillEnterWhenWorseOnesAreRefused) {
  FrontRig rig({}, {.inflight_max = 10, .class_shares = {1, 0.9, 0.7, 0.5}});
  rig.rank.load(slow_plan());
  const auto accepted = [&](std::string_view priority) {
    for (int count = 0; count < 20; ++count) {
      auto& asked = rig.start("POST", "/v1/rank/slow", request_of(priority));
      rig.rank.loop.run_ready();
      if (asked.is_complete) return count;
    }
    return 20;
  };
  EXPECT_EQ(accepted("background"), 5);
  EXPECT_EQ(accepted("low"), 2);
  EXPECT_EQ(accepted("normal"), 2);
  EXPECT_EQ(accepted("high"), 1);
  EXPECT_EQ(rig.admission->stats().run_count, 10);
  const std::string metrics = metrics_of(rig);
  for (const char* priority : {"high", "normal", "low", "background"}) {
    EXPECT_THAT(metrics,
                HasSubstr("rankd_shed_total{reason=\"limit\",priority=\"" + std::string(priority) +
                          "\"} 1\n"));
  }
}

TEST(RefusalsTest, S33_APlanHasItsOwnLimit) {
  FrontRig rig;
  rig.rank.options.plan_inflight_max = 2;
  rig.rank.load(slow_plan());
  rig.rank.load(small_plan());
  auto& first = rig.start("POST", "/v1/rank/slow", kOne);
  auto& second = rig.start("POST", "/v1/rank/slow", kOne);
  auto& third = rig.start("POST", "/v1/rank/slow", kOne);
  rig.rank.loop.run_ready();
  EXPECT_EQ(third.status, 503);
  EXPECT_THAT(third.reply_body, HasSubstr("of this plan"));
  EXPECT_THAT(metrics_of(rig),
              HasSubstr("rankd_shed_total{reason=\"plan_limit\",priority=\"normal\"} 1\n"));
  EXPECT_EQ(rig.ask("POST", "/v1/rank/p", kOne).status, 200);
  while (!first.is_complete || !second.is_complete) ASSERT_TRUE(rig.rank.step());
  EXPECT_EQ(rig.ask("POST", "/v1/rank/slow", kOne).status, 200);
}

TEST(RefusalsTest, S34_ARequestThatCannotBeInTimeIsAnsweredAtOnce) {
  FrontRig rig;
  rig.rank.load(slow_plan());
  const auto with_time = [&](const char* milliseconds) -> net::FakeHttpExchange& {
    auto& asked = rig.start("POST", "/v1/rank/slow", kOne, {{"X-Deadline-Ms", milliseconds}});
    rig.rank.loop.run_ready();
    return asked;
  };
  // Nothing is known about the plan yet: it runs until its time is over.
  auto& unknown = with_time("5");
  EXPECT_FALSE(unknown.is_complete);
  while (!unknown.is_complete) ASSERT_TRUE(rig.rank.step());
  EXPECT_EQ(unknown.status, 504);
  for (int turn = 0; turn < 32; ++turn)
    ASSERT_EQ(rig.ask("POST", "/v1/rank/slow", kOne).status, 200);
  auto& hopeless = with_time("5");
  ASSERT_TRUE(hopeless.is_complete);
  EXPECT_EQ(hopeless.status, 504);
  EXPECT_EQ(text_of(hopeless.reply_body, "type"), "urn:millrace:error:deadline_exceeded");
  EXPECT_THAT(hopeless.reply_body, HasSubstr("at its fastest"));
  EXPECT_THAT(metrics_of(rig),
              HasSubstr("rankd_shed_total{reason=\"deadline\",priority=\"normal\"} 1\n"));
  // Time enough.
  auto& enough = with_time("50");
  EXPECT_FALSE(enough.is_complete);
  while (!enough.is_complete) ASSERT_TRUE(rig.rank.step());
  EXPECT_EQ(enough.status, 200);
}

TEST(RefusalsTest, ARefusalIsMadeBeforeAnythingElseRunsAndHasItsOwnHistogram) {
  FrontRig rig({}, {.inflight_max = 1});
  rig.rank.load(slow_plan());
  (void)rig.start("POST", "/v1/rank/slow", kOne);
  for (int turn = 0; turn < 100; ++turn) {
    auto& refused = rig.start("POST", "/v1/rank/slow", kOne);
    rig.rank.loop.run_ready();  // no time passes
    ASSERT_TRUE(refused.is_complete);
    EXPECT_EQ(refused.status, 503);
  }
  // Only requests that ran are good for the warm-up of the next version.
  std::vector<std::string> kept;
  rig.generations.recall().append("slow", kept);
  EXPECT_EQ(kept, std::vector<std::string>{kOne});
  EXPECT_THAT(metrics_of(rig), HasSubstr("rankd_shed_duration_seconds_bucket{le=\"0.001\"} 100\n"));
  EXPECT_EQ(rig.admission->stats().run_count, 1);
}

}  // namespace
}  // namespace millrace::server::testing
