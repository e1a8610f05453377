#include "base/tick_clock.h"

#include <chrono>
#include <cstdint>
#include <initializer_list>

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

/// A moment at which clock and counter were read together.
struct Reading {
  Duration time;
  std::uint64_t ticks;
};

/// The rate that follows from these comparisons.
std::uint64_t rate_after(std::initializer_list<Reading> readings) {
  const ManualClock clock;
  TickClock ticks(clock);
  for (const Reading& reading : readings) ticks.compare(at(reading.time), reading.ticks);
  return ticks.ns_per_tick();
}

TEST(TickClockTest, FindsTheRateOnceEnoughTimeHasPassed) {
  constexpr Reading kBegin{milliseconds(0), 1'000};
  constexpr Reading kTooSoon{milliseconds(9), 36'001'000};
  EXPECT_EQ(rate_after({kBegin}), 0U);
  EXPECT_EQ(rate_after({kBegin, kTooSoon}), 0U);
  EXPECT_EQ(rate_after({kBegin, kTooSoon, {milliseconds(10), 40'001'000}}), kOne / 4);
}

TEST(TickClockTest, FollowsAClockThatIsCorrected) {
  constexpr Reading kBegin{milliseconds(0), 1};
  constexpr Reading kFirst{milliseconds(10), 10'000'001};
  EXPECT_EQ(rate_after({kBegin, kFirst}), kOne);
  // The next comparison takes twice as long.
  EXPECT_EQ(rate_after({kBegin, kFirst, {milliseconds(25), 25'015'001}}), kOne);
  const std::uint64_t corrected = rate_after({kBegin, kFirst, {milliseconds(30), 30'020'001}});
  EXPECT_NEAR(static_cast<double>(corrected), 0x1p32 / 1.001, 1.0);
}

TEST(TickClockTest, AsksTheClockAgainAfterOneOfTheTwoStoodStill) {
  constexpr Reading kBegin{milliseconds(0), 1};
  constexpr Reading kFirst{milliseconds(10), 10'000'001};
  constexpr Reading kAfterSleep{milliseconds(40), 90'000'001};
  EXPECT_EQ(rate_after({kBegin, kFirst, kAfterSleep}), 0U);
  EXPECT_EQ(rate_after({kBegin, kFirst, kAfterSleep, {milliseconds(50), 100'000'001}}), kOne);
}

TEST(TickClockTest, BeginsAnewWhenTheCounterWentBack) {
  constexpr Reading kBegin{milliseconds(0), 1'000'000};
  constexpr Reading kBack{milliseconds(20), 5};
  EXPECT_EQ(rate_after({kBegin, kBack}), 0U);
  EXPECT_EQ(rate_after({kBegin, kBack, {milliseconds(30), 10'000'005}}), kOne);
}

TEST(TickClockTest, AgreesWithTheMachinesClock) {
  TickClock ticks(steady_clock());
  TickAnchor anchor = ticks.anchor();
  const TimePoint end = anchor.time + milliseconds(30);
  while (anchor.time < end) anchor = ticks.anchor();
  // Where the counter is of no use the clock is asked for ever.
  ASSERT_EQ(anchor.has_rate(), has_steady_ticks());
  for (int reading = 0; reading < 100; ++reading) {
    const TimePoint before = steady_clock().now();
    const TimePoint between =
        anchor.has_rate() ? anchor.at(read_ticks_in_order()) : ticks.anchor().time;
    const TimePoint after = steady_clock().now();
    // Room for an error of the rate, far above what it has and far below that of a wrong one.
    EXPECT_GE(between, before - milliseconds(1));
    EXPECT_LE(between, after + milliseconds(1));
  }
}

}  // namespace
}  // namespace millrace::base
