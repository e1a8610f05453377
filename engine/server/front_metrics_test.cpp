#include "server/front_metrics.h"

#include <chrono>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/metrics/metric_descriptor.h"
#include "server/front_fixture.h"

namespace millrace::server::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(FrontMetricsTest, S38_DescriptorsAreInOrderAndDistinct) {
  std::set<std::string_view> names;
  for (const base::MetricDescriptor* const metric : kServerMetrics) {
    EXPECT_TRUE(base::check(*metric).has_value()) << metric->name;
    EXPECT_TRUE(names.insert(metric->name).second) << metric->name;
  }
}

TEST(FrontMetricsTest, OutcomesAndClassesHaveTheirNames) {
  EXPECT_EQ(outcome_name(rank::RankOutcome::kOk), "ok");
  EXPECT_EQ(outcome_name(rank::RankOutcome::kInvalid), "invalid");
  EXPECT_EQ(priority_name(runtime::Priority::kHigh), "high");
  EXPECT_EQ(priority_name(runtime::Priority::kBackground), "background");
}

TEST(FrontMetricsTest, S38_ACountStaysWhenTheFrontGoes) {
  base::MetricsRegistry registry;
  for (int life = 0; life < 2; ++life) {
    FrontMetrics metrics(registry);
    metrics.count_reply("/livez", 200);
  }
  for (const base::MetricSnapshot& metric : registry.snapshot()) {
    if (metric.descriptor.name != "rankd_http_requests_total") continue;
    ASSERT_EQ(metric.series.size(), 1U);
    EXPECT_EQ(metric.series[0].value.count, 2U);
  }
}

TEST(FrontMetricsTest, S39_TheNodesOfOneRequestIn32AreCounted) {
  FrontRig rig;
  rig.rank.load(slow_plan());
  for (int request = 0; request < 31; ++request)
    EXPECT_EQ(rig.ask("POST", "/v1/rank/slow", R"({"user_id":1})").status, 200);
  EXPECT_THAT(rig.ask("GET", "/metrics").reply_body, Not(HasSubstr("rankd_node_")));
  for (int request = 31; request < 64; ++request)
    EXPECT_EQ(rig.ask("POST", "/v1/rank/slow", R"({"user_id":1})").status, 200);
  const std::string page = rig.ask("GET", "/metrics").reply_body;
  EXPECT_THAT(page, HasSubstr(R"(rankd_node_duration_seconds_count{plan="slow",node="wait"} 2)"));
  EXPECT_THAT(
      page,
      HasSubstr(R"(rankd_node_duration_seconds_bucket{plan="slow",node="wait",le="0.01"} 0)"));
  EXPECT_THAT(
      page,
      HasSubstr(R"(rankd_node_duration_seconds_bucket{plan="slow",node="wait",le="0.025"} 2)"));
  EXPECT_THAT(page,
              HasSubstr(R"(rankd_node_queue_delay_seconds_count{plan="slow",node="wait"} 2)"));
  EXPECT_THAT(page, HasSubstr(R"(rankd_node_rows_total{plan="slow",node="src"} 4)"));
  EXPECT_EQ(rig.front().metrics().last_node().ms, 20);
}

TEST(FrontMetricsTest, S39_NodesBeyondABoundShareASeries) {
  FrontRig rig;
  const rank::LoadedPlan& plan = rig.rank.load(small_plan());
  FrontMetrics& metrics = rig.front().metrics();
  for (int node = 0; node < 5000; ++node) {
    const std::string name = "n" + std::to_string(node);
    const rank::NodeSample sample{.node = name, .rows = 1};
    metrics.count_nodes(plan, {&sample, 1}, {});
    const rank::DegradedNode degraded{.node = name};
    metrics.count_degraded(plan, {&degraded, 1});
  }
  const std::string page = rig.ask("GET", "/metrics").reply_body;
  EXPECT_THAT(page, HasSubstr(R"(rankd_node_rows_total{plan="p",node="n4095"} 1)"));
  EXPECT_THAT(page, HasSubstr(R"(rankd_node_rows_total{plan="other",node="other"} 904)"));
  EXPECT_THAT(
      page,
      HasSubstr(R"(rankd_request_degraded_total{plan="other",node="other",kind="error"} 904)"));
}

TEST(FrontMetricsTest, S39_ADegradedNodeIsCountedWithItsReason) {
  FrontRig rig;
  rig.rank.load(rank::testing::plan_text(
      rank::testing::source_node(2) +
          rank::testing::node("weak",
                              "sleep",
                              "src",
                              R"({"duration_ms": 5, "fail_after_sleep": true})",
                              R"("on_failure": {"use": "input"})") +
          rank::testing::node("late",
                              "sleep",
                              "weak",
                              R"({"duration_ms": 50})",
                              R"("timeout_ms": 10, "on_failure": {"use": "input"})"),
      R"(["late"])",
      R"(["id"])",
      "p"));
  EXPECT_EQ(rig.ask("POST", "/v1/rank/p", R"({"user_id":1})").status, 200);
  const std::string page = rig.ask("GET", "/metrics").reply_body;
  EXPECT_THAT(page,
              HasSubstr(R"(rankd_request_degraded_total{plan="p",node="weak",kind="error"} 1)"));
  EXPECT_THAT(page,
              HasSubstr(R"(rankd_request_degraded_total{plan="p",node="late",kind="timeout"} 1)"));
}

}  // namespace
}  // namespace millrace::server::testing
