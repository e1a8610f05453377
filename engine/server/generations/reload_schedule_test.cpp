#include "server/generations/reload_schedule.h"

#include <gtest/gtest.h>

namespace millrace::server {
namespace {

using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;

constexpr base::TimePoint kStart{};

TEST(ReloadScheduleTest, S25_BeginsAfterAQuietTimeAndOnce) {
  ReloadSchedule schedule({}, kStart);
  EXPECT_FALSE(schedule.try_begin(kStart + 1s));
  schedule.demand(kStart);
  schedule.demand(kStart + 60ms);
  EXPECT_FALSE(schedule.try_begin(kStart + 159ms));
  EXPECT_EQ(schedule.next_time(), kStart + 160ms);
  EXPECT_TRUE(schedule.try_begin(kStart + 160ms));
  EXPECT_FALSE(schedule.try_begin(kStart + 300ms));
}

TEST(ReloadScheduleTest, S25_DemandsDuringAReloadAreJoinedIntoTheNext) {
  ReloadSchedule schedule({}, kStart);
  schedule.demand(kStart);
  ASSERT_TRUE(schedule.try_begin(kStart + 100ms));
  // The reload takes a second.
  schedule.demand(kStart + 200ms);
  schedule.demand(kStart + 700ms);
  EXPECT_TRUE(schedule.try_begin(kStart + 1100ms));
  EXPECT_FALSE(schedule.try_begin(kStart + 9s));
}

TEST(ReloadScheduleTest, S25_EndlessChangesDoNotPutItOffForEver) {
  ReloadSchedule schedule({}, kStart);
  base::TimePoint now = kStart;
  bool has_begun = false;
  for (int change = 0; change < 40 && !has_begun; ++change) {
    schedule.demand(now);
    now += 50ms;
    has_begun = schedule.try_begin(now);
  }
  EXPECT_TRUE(has_begun);
  EXPECT_LE(now, kStart + 1s);
}

TEST(ReloadScheduleTest, S25_LooksAtTheFilesEveryFiveSeconds) {
  ReloadSchedule schedule({}, kStart);
  EXPECT_EQ(schedule.next_time(), kStart + 5s);
  EXPECT_FALSE(schedule.try_scan(kStart + 4s));
  EXPECT_TRUE(schedule.try_scan(kStart + 5s));
  EXPECT_FALSE(schedule.try_scan(kStart + 9s));
  EXPECT_TRUE(schedule.try_scan(kStart + 11s));
}

}  // namespace
}  // namespace millrace::server
