#include "base/number_text.h"

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "base/random.h"

namespace millrace::base {
namespace {

std::string written(double number) {
  std::array<char, kDoubleBytesMax> text;
  return {text.data(), write_double(text.data(), number)};
}

std::string expected(double number) {
  std::array<char, kDoubleBytesMax> text;
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), number).ptr};
}

void expect_same(double number) {
  if (!std::isfinite(number)) return;
  EXPECT_EQ(written(number), expected(number)) << std::bit_cast<std::uint64_t>(number);
  EXPECT_EQ(written(-number), expected(-number)) << std::bit_cast<std::uint64_t>(number);
}

TEST(NumberTextTest, WritesWhatPeopleWrite) {
  EXPECT_EQ(written(0.5), "0.5");
  EXPECT_EQ(written(-12.25), "-12.25");
  EXPECT_EQ(written(0.1 + 0.2), "0.30000000000000004");
  EXPECT_EQ(written(0.0), "0");
  EXPECT_EQ(written(-0.0), "-0");
  EXPECT_EQ(written(99999.0), "99999");
  EXPECT_EQ(written(100000.0), "1e+05");
  EXPECT_EQ(written(0.001), "0.001");
  EXPECT_EQ(written(0.0001), "1e-04");
  EXPECT_EQ(written(0.00012), "0.00012");
}

TEST(NumberTextTest, IsTheTextOfTheStandardLibraryAtEveryPowerAndEdge) {
  for (int exponent = -1080; exponent < 1024; ++exponent) {
    const double power = std::ldexp(1.0, exponent);
    for (const double factor : {1.0, 1.5, 3.0, 1.1, 0.7}) expect_same(power * factor);
    expect_same(std::nextafter(power, 0.0));
    expect_same(std::nextafter(power, std::numeric_limits<double>::infinity()));
  }
  double power = 1e-30;
  for (int exponent = -30; exponent < 30; ++exponent, power *= 10) {
    for (int digit = 1; digit < 100; ++digit) {
      expect_same(power * digit);
      expect_same(power / digit);
    }
  }
  expect_same(std::numeric_limits<double>::max());
  expect_same(std::numeric_limits<double>::min());
  expect_same(std::numeric_limits<double>::denorm_min());
  expect_same(9007199254740993.0);
}

TEST(NumberTextTest, IsTheTextOfTheStandardLibraryForAnyBits) {
  SplitMix64 random(7);
  for (int i = 0; i < 50000; ++i) {
    expect_same(std::bit_cast<double>(random.next()));
    expect_same(static_cast<double>(random.next() % 100'000'000) / 1000.0);
    expect_same(static_cast<double>(random.next() >> 11U) * 0x1p-53);
    expect_same(static_cast<double>(random.next()));
  }
}

}  // namespace
}  // namespace millrace::base
