#include "scheduler/statistics.h"

#include <array>

#include <gtest/gtest.h>

namespace millrace::bench {
namespace {

TEST(StatisticsTest, MedianIgnoresOrderAndOutliers) {
  EXPECT_DOUBLE_EQ(median({9, 1, 2, 1000, 3}), 3);
  EXPECT_DOUBLE_EQ(median({4, 2}), 3);
}

TEST(StatisticsTest, QuantileInterpolates) {
  EXPECT_DOUBLE_EQ(quantile({10, 20, 30, 40, 50}, 0.25), 20);
  EXPECT_DOUBLE_EQ(quantile({0, 10}, 0.99), 9.9);
  EXPECT_DOUBLE_EQ(quantile({7}, 0.99), 7);
}

TEST(StatisticsTest, GeometricMeanTreatsFactorsAlike) {
  EXPECT_DOUBLE_EQ(geometric_mean(std::array{0.5, 2.0}), 1);
  EXPECT_DOUBLE_EQ(geometric_mean(std::array{1.0, 10.0, 100.0}), 10);
}

TEST(StatisticsTest, SpreadIsHalfTheQuartileDistanceOverTheMedian) {
  EXPECT_DOUBLE_EQ(relative_spread({90, 95, 100, 105, 110}), 0.05);
  EXPECT_DOUBLE_EQ(relative_spread({0, 0, 0}), 0);
}

}  // namespace
}  // namespace millrace::bench
