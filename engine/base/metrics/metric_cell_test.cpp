#include "base/metrics/metric_cell.h"

#include <array>
#include <cmath>
#include <cstddef>

#include <gtest/gtest.h>

#include "base/metrics/metric_descriptor.h"

namespace millrace::base {
namespace {

constexpr std::array<double, 3> kBounds{1, 2, 4};

TEST(CounterCellTest, Adds) {
  CounterCell cell;
  cell.add();
  cell.add(41);
  EXPECT_EQ(cell.value(), 42U);
}

TEST(GaugeCellTest, GoesUpAndDown) {
  GaugeCell cell;
  cell.add(3);
  cell.add(-1);
  EXPECT_EQ(cell.value(), 2);
  cell.set(0.25);
  EXPECT_EQ(cell.value(), 0.25);
}

TEST(HistogramCellTest, BoundsAreInclusiveAndTheLastBucketTakesTheRest) {
  HistogramCell cell(kBounds);
  for (const double value : {-5.0, 1.0, 1.5, 2.0, 4.0, 4.1, 1e9}) cell.observe(value);
  ASSERT_EQ(cell.bucket_count(), 4U);
  EXPECT_EQ(cell.count_in(0), 2U);
  EXPECT_EQ(cell.count_in(1), 2U);
  EXPECT_EQ(cell.count_in(2), 1U);
  EXPECT_EQ(cell.count_in(3), 2U);
  EXPECT_EQ(cell.sum(), -5.0 + 1 + 1.5 + 2 + 4 + 4.1 + 1e9);
}

TEST(HistogramCellTest, IgnoresWhatIsNoNumber) {
  HistogramCell cell(kBounds);
  cell.observe(std::nan(""));
  for (std::size_t bucket = 0; bucket < cell.bucket_count(); ++bucket) {
    EXPECT_EQ(cell.count_in(bucket), 0U);
  }
  EXPECT_EQ(cell.sum(), 0);
}

TEST(HistogramCellTest, HasOneBucketMoreThanBounds) {
  HistogramCell cell(kDurationBuckets);
  for (const double bound : kDurationBuckets) cell.observe(bound);
  cell.observe(11);
  for (std::size_t bucket = 0; bucket < cell.bucket_count(); ++bucket) {
    EXPECT_EQ(cell.count_in(bucket), 1U) << bucket;
  }
}

}  // namespace
}  // namespace millrace::base
