#include "base/log/repeat_limit.h"

#include <chrono>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include "base/clock.h"

namespace millrace::base {
namespace {

using std::chrono::milliseconds;

constexpr TimePoint at(int time_ms) { return TimePoint(milliseconds(time_ms)); }

RepeatLimitOptions two_per_second() {
  return {.burst_max = 2, .window = milliseconds(1000), .keys_max = 3};
}

TEST(RepeatLimitTest, PassesABurstThenHoldsBack) {
  RepeatLimit limit(two_per_second());
  EXPECT_EQ(limit.try_pass("a", at(0)), 0U);
  EXPECT_EQ(limit.try_pass("a", at(1)), 0U);
  EXPECT_EQ(limit.try_pass("a", at(2)), std::nullopt);
  EXPECT_EQ(limit.try_pass("a", at(999)), std::nullopt);
}

TEST(RepeatLimitTest, ReportsWhatWasHeldBackOnce) {
  RepeatLimit limit(two_per_second());
  for (int use = 0; use < 10; ++use) static_cast<void>(limit.try_pass("a", at(use)));
  EXPECT_EQ(limit.try_pass("a", at(1000)), 8U);
  EXPECT_EQ(limit.try_pass("a", at(1001)), 0U);
  EXPECT_EQ(limit.try_pass("a", at(1002)), std::nullopt);
}

TEST(RepeatLimitTest, KeysDoNotAffectEachOther) {
  RepeatLimit limit(two_per_second());
  for (int use = 0; use < 5; ++use) static_cast<void>(limit.try_pass("a", at(use)));
  EXPECT_EQ(limit.try_pass("b", at(5)), 0U);
}

TEST(RepeatLimitTest, KeysBeyondTheBoundShareOneAllowance) {
  RepeatLimit limit(two_per_second());
  for (const char* key : {"a", "b", "c"}) EXPECT_EQ(limit.try_pass(key, at(0)), 0U);
  EXPECT_EQ(limit.try_pass("d", at(1)), 0U);
  EXPECT_EQ(limit.try_pass("e", at(1)), 0U);
  EXPECT_EQ(limit.try_pass("f", at(1)), std::nullopt);
}

TEST(RepeatLimitTest, TakeEndedGivesCountsThatNobodyElseReported) {
  RepeatLimit limit(two_per_second());
  for (int use = 0; use < 7; ++use) static_cast<void>(limit.try_pass("a", at(use)));
  static_cast<void>(limit.try_pass("quiet", at(0)));
  EXPECT_TRUE(limit.take_ended(at(999)).empty());
  const std::vector<RepeatLimit::Held> ended = limit.take_ended(at(1000));
  ASSERT_EQ(ended.size(), 1U);
  EXPECT_EQ(ended[0].key, "a");
  EXPECT_EQ(ended[0].count, 5U);
  EXPECT_TRUE(limit.take_ended(at(2000)).empty());
}

TEST(RepeatLimitTest, TakeEndedMakesRoomForNewKeys) {
  RepeatLimit limit(two_per_second());
  for (const char* key : {"a", "b", "c"}) static_cast<void>(limit.try_pass(key, at(0)));
  static_cast<void>(limit.take_ended(at(1000)));
  for (const char* key : {"d", "e", "f"}) EXPECT_EQ(limit.try_pass(key, at(1000)), 0U);
}

}  // namespace
}  // namespace millrace::base
