#include "base/readable_number.h"

#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "base/random.h"

namespace millrace::base {
namespace {

TEST(ReadableNumberTest, LeavesOutTheNoiseOfBinaryFractions) {
  EXPECT_EQ(readable_number(5.3950000000000005), "5.395");
  EXPECT_EQ(readable_number(0.9299999999999999), "0.93");
  EXPECT_EQ(readable_number(109.80000000000001), "109.8");
  EXPECT_EQ(readable_number(0.1 + 0.2), "0.3");
}

TEST(ReadableNumberTest, KeepsSixDigitsThatCount) {
  EXPECT_EQ(readable_number(1.0 / 3), "0.333333");
  EXPECT_EQ(readable_number(-16.153846153846153), "-16.1538");
  EXPECT_EQ(readable_number(0.00123456789), "0.00123457");
  EXPECT_EQ(readable_number(2.5), "2.5");
}

TEST(ReadableNumberTest, NeverRoundsTheWholePartAway) {
  EXPECT_EQ(readable_number(192), "192");
  EXPECT_EQ(readable_number(123456789.26), "123456789.3");
  EXPECT_EQ(readable_number(-1234567), "-1234567");
  EXPECT_EQ(readable_number(9.9999999), "10");
}

TEST(ReadableNumberTest, WritesHugeAndTinyNumbersWithAnExponent) {
  EXPECT_EQ(readable_number(1.5e20), "1.5e+20");
  EXPECT_EQ(readable_number(1.25e-7), "1.25e-07");
}

TEST(ReadableNumberTest, WritesWhatIsNoDecimal) {
  EXPECT_EQ(readable_number(0), "0");
  EXPECT_EQ(readable_number(-0.0), "-0");
  EXPECT_EQ(readable_number(std::numeric_limits<double>::infinity()), "inf");
  EXPECT_EQ(readable_number(std::numeric_limits<double>::quiet_NaN()), "nan");
}

TEST(ReadableNumberTest, NumbersNeverStandInTheWrongOrder) {
  SplitMix64 random(7);
  for (int i = 0; i < 20'000; ++i) {
    const double scale = std::pow(10.0, static_cast<double>(random.below(44)) - 22.0);
    const double left = (random.unit() - 0.5) * scale;
    const double right = left + (random.unit() - 0.5) * scale * 1e-6;
    const double left_read = std::strtod(readable_number(left).c_str(), nullptr);
    const double right_read = std::strtod(readable_number(right).c_str(), nullptr);
    if (left < right) EXPECT_LE(left_read, right_read) << left << " and " << right;
    if (left > right) EXPECT_GE(left_read, right_read) << left << " and " << right;
    EXPECT_NEAR(left_read, left, std::fabs(left) * 1e-5);
  }
}

}  // namespace
}  // namespace millrace::base
