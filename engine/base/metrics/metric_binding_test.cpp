#include "base/metrics/metric_binding.h"

#include <cstdint>

#include <gtest/gtest.h>

#include "base/metrics/metric_cell.h"
#include "base/metrics/metric_descriptor.h"
#include "base/metrics/metrics_registry.h"

namespace millrace::base {
namespace {

constexpr MetricDescriptor kJobs{.name = "jobs_total", .help = "Jobs."};

std::uint64_t jobs(const MetricsRegistry& registry) {
  return registry.snapshot().at(0).series.at(0).value.count;
}

TEST(MetricBindingTest, ValuesAreLive) {
  MetricsRegistry registry;
  CounterCell cell;
  cell.add();
  MetricBinding binding(registry);
  binding.bind(kJobs, {}, &cell);
  EXPECT_EQ(jobs(registry), 1U);
  cell.add();
  EXPECT_EQ(jobs(registry), 2U);
}

TEST(MetricBindingTest, ReleasesOnceAndCanBindAgain) {
  MetricsRegistry registry;
  CounterCell first;
  CounterCell second;
  MetricBinding binding(registry);
  binding.bind(kJobs, {}, &first);
  first.add(4);
  binding.release();
  binding.release();
  first.add(100);  // of no series any more
  EXPECT_EQ(jobs(registry), 4U);
  binding.bind(kJobs, {}, &second);
  second.add();
  EXPECT_EQ(jobs(registry), 5U);
}

}  // namespace
}  // namespace millrace::base
