#include "graph/format/duration_text.h"

#include <chrono>
#include <cstdint>

#include <gtest/gtest.h>

namespace millrace::graph {
namespace {

using namespace std::chrono_literals;

TEST(DurationTextTest, ReadsNumbersWithUnits) {
  EXPECT_EQ(find_duration("250us"), 250us);
  EXPECT_EQ(find_duration("20ms"), 20ms);
  EXPECT_EQ(find_duration("7ns"), 7ns);
  EXPECT_EQ(find_duration("2m"), 2min);
  EXPECT_EQ(find_duration("1.5s"), 1500ms);
  EXPECT_EQ(find_duration("0.25us"), 250ns);
  EXPECT_EQ(find_duration("0s"), 0s);
  EXPECT_EQ(find_duration("2305843009213693951ns"), kDurationMax);
}

TEST(DurationTextTest, RefusesAnythingElse) {
  for (const char* text : {"",
                           "20",
                           "ms",
                           "-1ms",
                           "1 ms",
                           "1h",
                           "1.ms",
                           "1.5.5s",
                           "+1s",
                           "1e3s",
                           "2305843009213693952ns",
                           "9223372036854775808ns",
                           "99999999999s",
                           "-0s"}) {
    EXPECT_EQ(find_duration(text), std::nullopt) << text;
  }
}

TEST(DurationTextTest, MillisecondsBeyondTheRangeStayAtItsEnds) {
  EXPECT_EQ(from_milliseconds(20), 20ms);
  EXPECT_EQ(from_milliseconds(-20), -20ms);
  EXPECT_EQ(from_milliseconds(INT64_MAX), 9'223'372'036'854ms);
  EXPECT_EQ(from_milliseconds(INT64_MIN), -9'223'372'036'854ms);
}

TEST(DurationTextTest, WritesTheShortestText) {
  EXPECT_EQ(duration_text(20ms), "20ms");
  EXPECT_EQ(duration_text(1500us), "1500us");
  EXPECT_EQ(duration_text(0ns), "0ms");
  EXPECT_EQ(duration_text(120s), "2m");
  EXPECT_EQ(find_duration(duration_text(1234567ns)), 1234567ns);
}

}  // namespace
}  // namespace millrace::graph
