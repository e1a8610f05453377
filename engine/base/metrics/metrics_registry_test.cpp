#include "base/metrics/metrics_registry.h"

#include <array>
#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/metrics/metric_binding.h"
#include "base/metrics/metric_cell.h"
#include "base/metrics/metric_descriptor.h"
#include "base/metrics/metrics_snapshot.h"

namespace millrace::base {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::array<std::string_view, 1> kPlanLabel{"plan"};
constexpr std::array<double, 2> kTwoBounds{1, 10};
constexpr MetricDescriptor kRequests{
    .name = "requests_total", .help = "Requests.", .label_names = kPlanLabel};
constexpr MetricDescriptor kBusy{
    .name = "busy_seconds_total", .help = "Busy time.", .unit = "seconds", .scale = 1e-9};
constexpr MetricDescriptor kInflight{
    .name = "inflight", .help = "Now.", .kind = MetricKind::kGauge, .label_names = kPlanLabel};
constexpr MetricDescriptor kRows{
    .name = "rows", .help = "Rows.", .kind = MetricKind::kHistogram, .bucket_bounds = kTwoBounds};

/// Label values and counts of one metric: `feed=3`.
std::vector<std::string> counts(const MetricsRegistry& registry, const MetricDescriptor& wanted) {
  std::vector<std::string> out;
  for (const MetricSnapshot& metric : registry.snapshot()) {
    if (metric.descriptor.name != wanted.name) continue;
    for (const SeriesSnapshot& series : metric.series) {
      std::string text;
      for (const std::string& value : series.label_values) text += value + "=";
      const bool is_gauge = wanted.kind == MetricKind::kGauge;
      out.push_back(text + std::to_string(is_gauge ? static_cast<long>(series.value.value)
                                                   : static_cast<long>(series.value.count)));
    }
  }
  return out;
}

TEST(MetricsRegistryTest, ASeriesIsTheSumOfItsCells) {
  MetricsRegistry registry;
  CounterCell first;
  CounterCell second;
  CounterCell other_plan;
  MetricBinding binding(registry);
  binding.bind(kRequests, {"feed"}, &first);
  binding.bind(kRequests, {"feed"}, &second);
  binding.bind(kRequests, {"ads"}, &other_plan);
  first.add(2);
  second.add(3);
  EXPECT_THAT(counts(registry, kRequests), ElementsAre("ads=0", "feed=5"));
  other_plan.add();
  EXPECT_THAT(counts(registry, kRequests), ElementsAre("ads=1", "feed=5"));
}

TEST(MetricsRegistryTest, ACounterNeverGoesBackWhenItsOwnerGoes) {
  MetricsRegistry registry;
  for (int owner = 1; owner <= 3; ++owner) {
    CounterCell cell;
    MetricBinding binding(registry);
    binding.bind(kRequests, {"feed"}, &cell);
    cell.add(10);
    EXPECT_THAT(counts(registry, kRequests), ElementsAre("feed=" + std::to_string(10 * owner)));
  }
  EXPECT_THAT(counts(registry, kRequests), ElementsAre("feed=30"));
}

TEST(MetricsRegistryTest, AHistogramKeepsWhatItsOwnersObserved) {
  MetricsRegistry registry;
  for (int owner = 0; owner < 2; ++owner) {
    HistogramCell cell(kTwoBounds);
    MetricBinding binding(registry);
    binding.bind(kRows, {}, &cell);
    for (const double rows : {1.0, 5.0, 100.0}) cell.observe(rows);
  }
  const std::vector<MetricSnapshot> metrics = registry.snapshot();
  ASSERT_EQ(metrics.size(), 1U);
  ASSERT_EQ(metrics[0].series.size(), 1U);
  const MetricValue& value = metrics[0].series[0].value;
  EXPECT_THAT(value.buckets, ElementsAre(2U, 2U, 2U));
  EXPECT_EQ(value.count, 6U);
  EXPECT_EQ(value.value, 212);
  EXPECT_EQ(metrics[0].descriptor.help, "Rows.");
}

TEST(MetricsRegistryTest, AGaugeLosesTheValueOfACellThatGoes) {
  MetricsRegistry registry;
  GaugeCell stays;
  MetricBinding binding(registry);
  binding.bind(kInflight, {"feed"}, &stays);
  stays.set(2);
  {
    GaugeCell goes;
    MetricBinding short_lived(registry);
    short_lived.bind(kInflight, {"feed"}, &goes);
    goes.set(5);
    EXPECT_THAT(counts(registry, kInflight), ElementsAre("feed=7"));
  }
  EXPECT_THAT(counts(registry, kInflight), ElementsAre("feed=2"));
  binding.release();
  EXPECT_THAT(counts(registry, kInflight), IsEmpty());
}

TEST(MetricsRegistryTest, ACounterOfSmallerUnitsIsScaled) {
  MetricsRegistry registry;
  CounterCell nanoseconds;
  MetricBinding binding(registry);
  binding.bind(kBusy, {}, &nanoseconds);
  nanoseconds.add(1'500'000'000);
  const MetricValue value = registry.snapshot()[0].series[0].value;
  EXPECT_EQ(value.count, 1'500'000'000U);
  EXPECT_DOUBLE_EQ(value.value, 1.5);
}

TEST(MetricsRegistryTest, SeriesBeyondTheBoundBecomeOneCalledOther) {
  MetricsRegistry registry({.series_max = 2});
  std::deque<CounterCell> cells(5);
  CounterCell again;
  MetricBinding binding(registry);
  for (std::size_t plan = 0; plan < 5; ++plan) {
    binding.bind(kRequests, {"plan" + std::to_string(plan)}, &cells[plan]);
    cells[plan].add();
  }
  EXPECT_THAT(counts(registry, kRequests), ElementsAre("other=3", "plan0=1", "plan1=1"));
  binding.bind(kRequests, {"plan0"}, &again);
  again.add();
  EXPECT_THAT(counts(registry, kRequests), ElementsAre("other=3", "plan0=2", "plan1=1"));
}

TEST(MetricsRegistryTest, AGaugeThatGoesMakesRoomForAnother) {
  MetricsRegistry registry({.series_max = 1});
  for (const char* plan : {"one", "two"}) {
    GaugeCell cell;
    MetricBinding binding(registry);
    binding.bind(kInflight, {plan}, &cell);
    EXPECT_THAT(counts(registry, kInflight), ElementsAre(std::string(plan) + "=0"));
  }
}

TEST(MetricsRegistryTest, MetricsAreOrderedByName) {
  MetricsRegistry registry;
  CounterCell requests;
  CounterCell busy;
  MetricBinding binding(registry);
  binding.bind(kRequests, {"feed"}, &requests);
  binding.bind(kBusy, {}, &busy);
  const std::vector<MetricSnapshot> metrics = registry.snapshot();
  ASSERT_EQ(metrics.size(), 2U);
  EXPECT_EQ(metrics[0].descriptor.name, "busy_seconds_total");
  EXPECT_EQ(metrics[1].descriptor.name, "requests_total");
}

TEST(MetricsRegistryDeathTest, TwoMeaningsOfOneNameAreADefect) {
  MetricsRegistry registry;
  CounterCell cell;
  MetricBinding binding(registry);
  binding.bind(kRequests, {"feed"}, &cell);
  MetricDescriptor other = kRequests;
  other.help = "Something else.";
  EXPECT_DEATH(binding.bind(other, {"feed"}, &cell), "requests_total");
  GaugeCell gauge;
  EXPECT_DEATH(binding.bind(kRequests, {"feed"}, &gauge), "requests_total");
  EXPECT_DEATH(binding.bind(kRequests, {}, &cell), "requests_total");
}

}  // namespace
}  // namespace millrace::base
