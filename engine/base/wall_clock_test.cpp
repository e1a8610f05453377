#include "base/wall_clock.h"

#include <chrono>

#include <gtest/gtest.h>

namespace millrace::base {
namespace {

using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

TEST(WallClockTest, PrintsRfc3339InUtc) {
  EXPECT_EQ(to_rfc3339(WallTime()), "1970-01-01T00:00:00.000000Z");
  EXPECT_EQ(to_rfc3339(WallTime(seconds(1'709'208'000) + microseconds(1))),
            "2024-02-29T12:00:00.000001Z");
}

TEST(WallClockTest, RoundsDownAlsoBeforeTheEpoch) {
  EXPECT_EQ(to_rfc3339(WallTime(nanoseconds(1999))), "1970-01-01T00:00:00.000001Z");
  EXPECT_EQ(to_rfc3339(WallTime(nanoseconds(-1))), "1969-12-31T23:59:59.999999Z");
}

TEST(WallClockTest, PrintsTheWholeRangeOfTheType) {
  EXPECT_EQ(to_rfc3339(WallTime::min()), "1677-09-21T00:12:43.145224Z");
  EXPECT_EQ(to_rfc3339(WallTime::max()), "2262-04-11T23:47:16.854775Z");
}

TEST(ManualWallClockTest, MovesOnlyWhenTold) {
  ManualWallClock clock(WallTime(seconds(5)));
  EXPECT_EQ(clock.now(), WallTime(seconds(5)));
  clock.advance(hours(1));
  EXPECT_EQ(clock.now(), WallTime(seconds(3605)));
}

TEST(SystemWallClockTest, IsOneForTheProcessAndPastTheEpoch) {
  EXPECT_EQ(&system_wall_clock(), &system_wall_clock());
  EXPECT_GT(system_wall_clock().now(), WallTime());
}

}  // namespace
}  // namespace millrace::base
