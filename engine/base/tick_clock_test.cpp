#include "base/tick_clock.h"

#include <chrono>
#include <cstdint>

#include <gtest/gtest.h>

#include "base/clock.h"

namespace millrace::base {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;

constexpr std::uint64_t kOne = std::uint64_t{1} << 32U;  // a nanosecond per tick

TimePoint at(Duration since_origin) { return TimePoint(since_origin); }

TEST(TickAnchorTest, CarriesTheClockOn) {
  const TickAnchor anchor{.time = at(milliseconds(7)), .ticks = 100, .ns_per_tick = kOne / 4};
  EXPECT_TRUE(anchor.has_rate());
  EXPECT_EQ(anchor.at(100), at(milliseconds(7)));
  EXPECT_EQ(anchor.at(500), at(milliseconds(7) + nanoseconds(100)));
}

TEST(TickAnchorTest, ReachesFarAndNeverGoesBack) {
  const TickAnchor anchor{.time = at(hours(1)), .ticks = 1'000, .ns_per_tick = 2 * kOne};
  constexpr std::uint64_t kDay = 86'400'000'000'000;
  EXPECT_EQ(anchor.at(1'000 + kDay), at(hours(1) + hours(48)));
  EXPECT_EQ(anchor.at(999), at(hours(1)));
}

TEST(TickClockTest, AClockThatIsNotTheMachinesHasNoRate) {
  ManualClock clock;
  clock.set(at(milliseconds(3)));
  TickClock ticks(clock);
  clock.advance(hours(1));
  const TickAnchor anchor = ticks.anchor();
  EXPECT_FALSE(anchor.has_rate());
  EXPECT_EQ(anchor.time, clock.now());
}

TEST(TickClockTest, FindsTheRateOnceEnoughTimeHasPassed) {
  ManualClock clock;
  TickClock ticks(clock);
  ticks.compare(at(milliseconds(0)), 1'000);
  EXPECT_EQ(ticks.ns_per_tick(), 0U);
  ticks.compare(at(milliseconds(9)), 1'000 + 36'000'000);
  EXPECT_EQ(ticks.ns_per_tick(), 0U);
  ticks.compare(at(milliseconds(10)), 1'000 + 40'000'000);
  EXPECT_EQ(ticks.ns_per_tick(), kOne / 4);
}

TEST(TickClockTest, FollowsAClockThatIsCorrected) {
  ManualClock clock;
  TickClock ticks(clock);
  ticks.compare(at(milliseconds(0)), 1);
  ticks.compare(at(milliseconds(10)), 10'000'001);
  EXPECT_EQ(ticks.ns_per_tick(), kOne);
  // The next comparison takes twice as long.
  ticks.compare(at(milliseconds(25)), 25'015'001);
  EXPECT_EQ(ticks.ns_per_tick(), kOne);
  ticks.compare(at(milliseconds(30)), 30'020'001);
  EXPECT_NEAR(static_cast<double>(ticks.ns_per_tick()), 0x1p32 / 1.001, 1.0);
}

TEST(TickClockTest, AsksTheClockAgainAfterOneOfTheTwoStoodStill) {
  ManualClock clock;
  TickClock ticks(clock);
  ticks.compare(at(milliseconds(0)), 1);
  ticks.compare(at(milliseconds(10)), 10'000'001);
  ASSERT_EQ(ticks.ns_per_tick(), kOne);
  ticks.compare(at(milliseconds(40)), 90'000'001);
  EXPECT_EQ(ticks.ns_per_tick(), 0U);
  ticks.compare(at(milliseconds(50)), 100'000'001);
  EXPECT_EQ(ticks.ns_per_tick(), kOne);
}

TEST(TickClockTest, BeginsAnewWhenTheCounterWentBack) {
  ManualClock clock;
  TickClock ticks(clock);
  ticks.compare(at(milliseconds(0)), 1'000'000);
  ticks.compare(at(milliseconds(20)), 5);
  EXPECT_EQ(ticks.ns_per_tick(), 0U);
  ticks.compare(at(milliseconds(30)), 10'000'005);
  EXPECT_EQ(ticks.ns_per_tick(), kOne);
}

TEST(TickClockTest, AgreesWithTheMachinesClock) {
  if (!has_steady_ticks()) GTEST_SKIP() << "This machine has no counter that could be used";
  TickClock ticks(steady_clock());
  TickAnchor anchor = ticks.anchor();
  for (int reading = 0; reading < 10'000'000 && !anchor.has_rate(); ++reading)
    anchor = ticks.anchor();
  ASSERT_TRUE(anchor.has_rate());
  for (int reading = 0; reading < 100; ++reading) {
    const TimePoint before = steady_clock().now();
    const TimePoint between = anchor.at(read_ticks_in_order());
    const TimePoint after = steady_clock().now();
    // Room for an error of the rate, far above what it has and far below that of a wrong one.
    EXPECT_GE(between, before - milliseconds(1));
    EXPECT_LE(between, after + milliseconds(1));
  }
}

}  // namespace
}  // namespace millrace::base
