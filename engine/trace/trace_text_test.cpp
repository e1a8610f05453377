#include "trace/trace_text.h"

#include <chrono>

#include <gtest/gtest.h>

namespace millrace::trace {
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
  using std::chrono::nanoseconds;
  EXPECT_EQ(format_duration(nanoseconds(999)), "999 ns");
  EXPECT_EQ(format_duration(nanoseconds(1'005)), "1.005 us");
  EXPECT_EQ(format_duration(nanoseconds(12'345'678)), "12.345 ms");
  EXPECT_EQ(format_duration(std::chrono::seconds(61)), "61.000 s");
}

}  // namespace
}  // namespace millrace::trace
