#include "runtime/trace_text.h"

#include <chrono>

#include <gtest/gtest.h>

namespace millrace::runtime {
namespace {

TEST(TraceTextTest, FitsColumnsByCharacterNotByByte) {
  EXPECT_EQ(fit_columns("abc", 5), "abc  ");
  EXPECT_EQ(fit_columns("abcdef", 4), "abc…");
  EXPECT_EQ(fit_columns("abcdef", 4, false), "abc~");
  EXPECT_EQ(fit_columns("grün木", 5), "grün木");
  EXPECT_EQ(fit_columns("grün木", 5, false), "gr?n?");
  EXPECT_EQ(fit_columns("a\x1b[2J\xff", 6), "a?[2J?");
  EXPECT_EQ(fit_columns("\xc3", 2), "? ");
  EXPECT_EQ(fit_columns("\xe6\x9cX", 3), "??X");
  EXPECT_EQ(fit_columns("abc", 0), "");
  EXPECT_EQ(cut_columns("abc", 5), "abc");
  EXPECT_EQ(cut_columns("abcdef", 4), "abc…");
}

TEST(TraceTextTest, DurationsTakeTheLargestUnitThatFits) {
  using namespace std::chrono_literals;
  EXPECT_EQ(format_duration(999ns), "999 ns");
  EXPECT_EQ(format_duration(1'005ns), "1.005 us");
  EXPECT_EQ(format_duration(12'345'678ns), "12.345 ms");
  EXPECT_EQ(format_duration(61s), "61.000 s");
}

}  // namespace
}  // namespace millrace::runtime
