#include "stores/parse_value.h"

#include <cstdint>
#include <limits>
#include <optional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stores/store_fixture.h"

namespace millrace::stores::testing {
namespace {

using ::testing::HasSubstr;

TEST(ParseValueTest, TakesTheWholeTextOrNothing) {
  EXPECT_EQ(parse_int64("-12"), -12);
  EXPECT_EQ(parse_int64("9223372036854775807"), INT64_MAX);
  EXPECT_FALSE(parse_int64("9223372036854775808"));
  EXPECT_FALSE(parse_int64("12 "));
  EXPECT_FALSE(parse_int64(""));
  EXPECT_FALSE(parse_int64("1.0"));
  EXPECT_EQ(parse_float64("2.5e3"), 2500.0);
  EXPECT_FALSE(parse_float64("inf"));
  EXPECT_FALSE(parse_float64("nan"));
  EXPECT_FALSE(parse_float64("1e400"));
  EXPECT_EQ(parse_bool("true"), true);
  EXPECT_EQ(parse_bool("0"), false);
  EXPECT_FALSE(parse_bool("yes"));
}

TEST(ParseValueTest, BadIdNamesKeyAndPosition) {
  const base::Error error = not_int64("list", "follow:3", 2, "x");
  EXPECT_EQ(error.where(), "follow:3[2]");
  EXPECT_THAT(error.message(), HasSubstr("follow:3, position 2, value x"));
}

TEST(ParseValueTest, ScoresMayBeInfiniteButNotNan) {
  EXPECT_EQ(parse_score("-1.5e3"), -1500.0);
  EXPECT_EQ(parse_score("+2"), 2.0);
  EXPECT_EQ(parse_score("inf"), std::numeric_limits<double>::infinity());
  EXPECT_EQ(parse_score("-inf"), -std::numeric_limits<double>::infinity());
  for (const char* bad : {"", "nan", "1x", "+-1", "++1", " 1", "1e999", "0x10"}) {
    EXPECT_EQ(parse_score(bad), std::nullopt) << bad;
  }
}

}  // namespace
}  // namespace millrace::stores::testing
