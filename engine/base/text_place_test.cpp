#include "base/text_place.h"

#include <gtest/gtest.h>

namespace millrace::base {
namespace {

TEST(TextPlaceTest, CountsLinesAndColumnsFromOne) {
  EXPECT_EQ(to_string(locate("ab\ncd", 0)), "1:1");
  EXPECT_EQ(to_string(locate("ab\ncd", 1)), "1:2");
  EXPECT_EQ(to_string(locate("ab\ncd", 3)), "2:1");
  EXPECT_EQ(to_string(locate("ab\ncd", 4)), "2:2");
}

TEST(TextPlaceTest, CountsCodePointsNotBytes) { EXPECT_EQ(to_string(locate("äöx", 4)), "1:3"); }

TEST(TextPlaceTest, AnOffsetPastTheEndMeansTheEnd) {
  EXPECT_EQ(to_string(locate("ab\n", 99)), "2:1");
  EXPECT_EQ(to_string(locate("", 99)), "1:1");
}

}  // namespace
}  // namespace millrace::base
