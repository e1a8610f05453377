#include "apps/rankd/top/top_view.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/formats/json_reader.h"

namespace millrace::rankd {
namespace {

using ::testing::HasSubstr;

std::string stats(int ok, int refused, const std::string& buckets, double node_sum) {
  return R"({"lane":"plans","runtime.scheduler.worker_count":2,"metrics":[
    {"name":"rankd_requests_received_total","value":)" +
         std::to_string(ok + refused) + R"(},
    {"name":"rankd_requests_total","labels":{"plan":"home","outcome":"ok"},"value":)" +
         std::to_string(ok) + R"(},
    {"name":"rankd_requests_total","labels":{"plan":"home","outcome":"refused"},"value":)" +
         std::to_string(refused) + R"(},
    {"name":"rankd_requests_total","labels":{"plan":"idle","outcome":"ok"},"value":7},
    {"name":"rankd_request_duration_seconds","labels":{"plan":"home"},"count":1,"sum":1,"buckets":)" +
         buckets + R"(},
    {"name":"rankd_node_duration_seconds","labels":{"plan":"home","node":"score"},"count":1,"sum":)" +
         std::to_string(node_sum) + R"(,"buckets":)" + buckets + R"(},
    {"name":"rankd_inflight","labels":{"priority":"normal"},"value":3},
    {"name":"rankd_inflight","labels":{"priority":"low"},"value":2},
    {"name":"rankd_plan_inflight","labels":{"plan":"home"},"value":4},
    {"name":"rankd_admission_limit","value":256},
    {"name":"rankd_shed_total","labels":{"reason":"limit","priority":"normal"},"value":)" +
         std::to_string(refused) + R"(},
    {"name":"rankd_loop_busy_seconds_total","labels":{"loop":"0"},"value":)" +
         std::to_string(ok * 0.001) + R"(},
    {"name":"rankd_http_connections","labels":{"loop":"0"},"value":4}]})";
}

// 100 observations up to 0.1 ms, and 100 between 10 and 25 ms.
constexpr const char* kNone = "[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]";
constexpr const char* kMany = "[100,0,0,0,0,0,0,100,0,0,0,0,0,0,0,0,0]";

TEST(TopViewTest, S44_ShowsWhatHappenedBetweenTwoLooks) {
  const auto before = read_top_sample(stats(1000, 10, kNone, 0));
  const auto after = read_top_sample(stats(1400, 30, kMany, 2));
  ASSERT_TRUE(before.has_value() && after.has_value());
  const TopView view = compare(*before, *after, 2);
  EXPECT_EQ(view.rate, 210);
  EXPECT_EQ(view.inflight, 5);
  EXPECT_EQ(view.limit, 256);
  EXPECT_EQ(view.shed, 10);
  ASSERT_EQ(view.plans.size(), 2U);
  EXPECT_EQ(view.plans[0].name, "home");
  EXPECT_EQ(view.plans[0].rate, 210);
  EXPECT_EQ(view.plans[0].inflight, 4);
  EXPECT_EQ(view.plans[0].shed, 10);
  EXPECT_NEAR(view.plans[0].p50_ms, 0.1, 1e-9);
  EXPECT_NEAR(view.plans[0].p99_ms, 24.7, 1e-9);
  EXPECT_EQ(view.plans[1].rate, 0);
  EXPECT_EQ(view.plans[1].inflight, 0);
  ASSERT_EQ(view.loops.size(), 1U);
  EXPECT_NEAR(view.loops[0].busy, 0.2, 1e-9);
  EXPECT_EQ(view.loops[0].connections, 4);
  ASSERT_EQ(view.nodes.size(), 1U);
  EXPECT_NEAR(view.nodes[0].mean_ms, 10, 1e-9);
  EXPECT_EQ(view.nodes[0].share, 1);
}

TEST(TopViewTest, AServerThatWasStartedAnewHasNoNegativeRates) {
  const auto before = read_top_sample(stats(1400, 30, kMany, 2));
  const auto after = read_top_sample(stats(10, 0, kNone, 0));
  const TopView view = compare(*before, *after, 1);
  EXPECT_EQ(view.rate, 0);
  EXPECT_EQ(view.plans[0].rate, 0);
  EXPECT_GE(view.loops[0].busy, 0);
}

TEST(TopViewTest, S44_TextAndJsonSayTheSame) {
  const TopView view = compare(
      *read_top_sample(stats(1000, 10, kNone, 0)), *read_top_sample(stats(1400, 30, kMany, 2)), 2);
  const std::string text = to_text(view, "127.0.0.1:8080");
  EXPECT_THAT(text, HasSubstr("210.0 requests/s   in flight 5 of 256"));
  EXPECT_THAT(text,
              HasSubstr("home                              210.0         4      0.10     24.70"));
  EXPECT_THAT(text, HasSubstr("home / score"));
  const std::string json = to_json(view);
  ASSERT_TRUE(base::read_json(json).has_value()) << json;
  EXPECT_THAT(json, HasSubstr(R"("plan":"home","answers_per_second":210,"in_flight":4,)"));
}

TEST(TopViewTest, WhatIsNotRankdsStatsIsAnError) {
  EXPECT_FALSE(read_top_sample("").has_value());
  EXPECT_FALSE(read_top_sample("<html>").has_value());
  EXPECT_FALSE(read_top_sample("{}").has_value());
  EXPECT_FALSE(read_top_sample(R"({"metrics":[]})").has_value());
  EXPECT_TRUE(read_top_sample(R"({"lane":"plans","metrics":[{"name":1},{},3]})").has_value());
}

TEST(TopViewTest, QuantilesBeyondTheLastBoundAreThatBound) {
  TopHistogram slow{.buckets = std::vector<std::uint64_t>(17, 0)};
  EXPECT_EQ(quantile_ms(slow, 0.5), 0);
  slow.buckets[16] = 5;
  EXPECT_EQ(quantile_ms(slow, 0.5), 10'000);
}

}  // namespace
}  // namespace millrace::rankd
