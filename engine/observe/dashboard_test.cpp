#include "observe/dashboard.h"

#include <array>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/formats/json_reader.h"

namespace millrace::observe {
namespace {

using ::testing::HasSubstr;

constexpr std::array<std::string_view, 2> kLabels{"plan", "outcome"};
constexpr base::MetricDescriptor kCounter{
    .name = "rankd_x_total", .help = "Counts.", .label_names = kLabels};
constexpr base::MetricDescriptor kGauge{
    .name = "rankd_y", .help = "Now.", .kind = base::MetricKind::kGauge};
constexpr base::MetricDescriptor kHistogram{.name = "rankd_z_seconds",
                                            .help = "Spans.",
                                            .unit = "seconds",
                                            .kind = base::MetricKind::kHistogram,
                                            .bucket_bounds = base::kDurationBuckets};
constexpr std::array<const base::MetricDescriptor*, 3> kAll{&kCounter, &kGauge, &kHistogram};

TEST(DashboardTest, S44_HasAPanelForEachMetric) {
  const std::array<MetricGroup, 1> groups{{{.title = "Requests", .metrics = kAll}}};
  const std::string text = grafana_dashboard(groups);
  const auto document = base::read_json(text);
  ASSERT_TRUE(document.has_value()) << text;
  EXPECT_EQ(document->root().find_member("panels")->size(), 4U) << "a row and its panels";
  EXPECT_THAT(text,
              HasSubstr("\"sum by (plan, outcome) (rate(rankd_x_total{job=~\\\"$job\\\"}"
                        "[$__rate_interval]))\""));
  EXPECT_THAT(text, HasSubstr(R"("legendFormat":"{{plan}} {{outcome}}")"));
  EXPECT_THAT(text, HasSubstr("\"sum (rankd_y{job=~\\\"$job\\\"})\""));
  EXPECT_THAT(text,
              HasSubstr(R"(histogram_quantile(0.99, sum by (le) (rate(rankd_z_seconds_bucket{)"));
  EXPECT_THAT(text, HasSubstr("histogram_quantile(0.5,"));
}

}  // namespace
}  // namespace millrace::observe
