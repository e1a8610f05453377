#include "server/front_metrics.h"

#include <chrono>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/metrics/metric_descriptor.h"
#include "observe/prometheus_writer.h"
#include "server/nats/nats_metrics.h"

namespace millrace::server {
namespace {

using ::testing::HasSubstr;

TEST(FrontMetricsTest, S38_CountersStayWhenTheirWriterGoes) {
  base::MetricsRegistry registry;
  {
    FrontMetrics one(registry);
    FrontMetrics two(registry);
    one.count_reply("/x", 200);
    two.count_reply("/x", 200);
    two.count_rank({.outcome = rank::RankOutcome::kInvalid, .took = std::chrono::milliseconds(1)});
    two.count_shed("limit", runtime::Priority::kLow, std::chrono::microseconds(5));
    one.begin_rank(runtime::Priority::kHigh);
    two.begin_rank(runtime::Priority::kHigh);
    two.end_rank(runtime::Priority::kHigh);
  }
  std::string page;
  observe::append_metrics(registry.snapshot(), observe::MetricsFormat::kPrometheus, page);
  EXPECT_THAT(page, HasSubstr(R"(rankd_http_requests_total{route="/x",code="200"} 2)"));
  EXPECT_THAT(page, HasSubstr(R"(rankd_requests_total{plan="none",outcome="invalid"} 1)"));
  EXPECT_THAT(page, HasSubstr(R"(rankd_shed_total{reason="limit",priority="low"} 1)"));
  EXPECT_THAT(page, HasSubstr("rankd_shed_duration_seconds_count 1"));
}

TEST(FrontMetricsTest, DescriptorsAreValid) {
  for (const base::MetricDescriptor* metric : kServerMetrics)
    EXPECT_TRUE(base::check(*metric).has_value()) << metric->name;
  for (const base::MetricDescriptor* metric : kNatsMetrics)
    EXPECT_TRUE(base::check(*metric).has_value()) << metric->name;
}

}  // namespace
}  // namespace millrace::server
