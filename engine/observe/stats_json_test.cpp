#include "observe/stats_json.h"

#include <array>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/formats/json_reader.h"
#include "base/metrics/metric_binding.h"
#include "base/metrics/metrics_registry.h"

namespace millrace::observe {
namespace {

using ::testing::HasSubstr;

TEST(StatsJsonTest, HasEverySeriesAndTheSchedulersNames) {
  static constexpr std::array<std::string_view, 1> kLabels{"plan"};
  static constexpr std::array<double, 1> kBounds{1};
  static constexpr base::MetricDescriptor kCount{
      .name = "x_total", .help = "Counts.", .label_names = kLabels};
  static constexpr base::MetricDescriptor kSpan{.name = "y_seconds",
                                                .help = "Spans.",
                                                .unit = "seconds",
                                                .kind = base::MetricKind::kHistogram,
                                                .bucket_bounds = kBounds};
  base::MetricsRegistry registry;
  base::CounterCell count;
  base::HistogramCell span(kBounds);
  base::MetricBinding binding(registry);
  binding.bind(kCount, {"p"}, &count);
  binding.bind(kSpan, {}, &span);
  count.add(2);
  span.observe(3);
  const std::array<SchedulerValue, 1> scheduler{{{"worker_count", 4}}};
  const std::string text = stats_json(registry.snapshot(), scheduler);
  EXPECT_TRUE(base::read_json(text).has_value()) << text;
  EXPECT_THAT(text, HasSubstr(R"("runtime.scheduler.worker_count":4)"));
  EXPECT_THAT(text, HasSubstr(R"({"name":"x_total","labels":{"plan":"p"},"value":2})"));
  EXPECT_THAT(text, HasSubstr(R"({"name":"y_seconds","count":1,"sum":3,"buckets":[0,1]})"));
}

}  // namespace
}  // namespace millrace::observe
