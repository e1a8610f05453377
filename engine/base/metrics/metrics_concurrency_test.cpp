#include <array>
#include <atomic>
#include <cstdint>
#include <string_view>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/metrics/metric_binding.h"
#include "base/metrics/metric_cell.h"
#include "base/metrics/metric_descriptor.h"
#include "base/metrics/metrics_registry.h"
#include "base/metrics/metrics_snapshot.h"

namespace millrace::base {
namespace {

constexpr int kWriterCount = 4;
constexpr int kOwnersPerWriter = 50;
constexpr int kWritesPerOwner = 200;
constexpr std::uint64_t kAll = std::uint64_t{kWriterCount} * kOwnersPerWriter * kWritesPerOwner;

constexpr std::array<std::string_view, 1> kWriterLabel{"writer"};
constexpr std::array<double, 2> kHalves{0.25, 0.5};
constexpr MetricDescriptor kWrites{.name = "writes_total", .help = "Writes."};
constexpr MetricDescriptor kSizesSeen{
    .name = "sizes", .help = "Sizes.", .kind = MetricKind::kHistogram, .bucket_bounds = kHalves};
constexpr MetricDescriptor kOwnersNow{.name = "owners",
                                      .help = "Owners now.",
                                      .kind = MetricKind::kGauge,
                                      .label_names = kWriterLabel};

/// Owners come and go, each with cells of its own.
void write_many(MetricsRegistry& registry, std::string_view writer) {
  for (int owner = 0; owner < kOwnersPerWriter; ++owner) {
    CounterCell writes;
    HistogramCell sizes(kHalves);
    GaugeCell owners;
    MetricBinding binding(registry);
    binding.bind(kWrites, {}, &writes);
    binding.bind(kSizesSeen, {}, &sizes);
    binding.bind(kOwnersNow, {writer}, &owners);
    owners.set(1);
    for (int write = 0; write < kWritesPerOwner; ++write) {
      writes.add();
      sizes.observe(0.25 * (write % 3 + 1));
    }
  }
}

TEST(MetricsConcurrencyTest, SnapshotsOfRunningWritersNeverGoBackAndEndExact) {
  MetricsRegistry registry;
  std::atomic<int> running{kWriterCount};
  std::vector<std::jthread> writers;
  constexpr std::array<std::string_view, kWriterCount> kNames{"a", "b", "c", "d"};
  for (const std::string_view name : kNames) {
    writers.emplace_back([&registry, &running, name] {
      write_many(registry, name);
      running.fetch_sub(1);
    });
  }
  std::uint64_t last_writes = 0;
  std::uint64_t last_sizes = 0;
  bool is_last = false;
  while (!is_last) {
    is_last = running.load() == 0;
    for (const MetricSnapshot& metric : registry.snapshot()) {
      for (const SeriesSnapshot& series : metric.series) {
        if (metric.descriptor.kind == MetricKind::kGauge) {
          EXPECT_LE(series.value.value, 1);
          continue;
        }
        const bool is_counter = metric.descriptor.kind == MetricKind::kCounter;
        std::uint64_t& last = is_counter ? last_writes : last_sizes;
        EXPECT_GE(series.value.count, last);
        last = series.value.count;
      }
    }
  }
  EXPECT_EQ(last_writes, kAll);
  EXPECT_EQ(last_sizes, kAll);
}

}  // namespace
}  // namespace millrace::base
