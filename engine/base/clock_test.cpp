#include "base/clock.h"

#include <chrono>

#include <gtest/gtest.h>

namespace millrace::base {
namespace {

using std::chrono::milliseconds;

TEST(ManualClockTest, StandsStillUntilTold) {
  ManualClock clock;
  const TimePoint start = clock.now();
  EXPECT_EQ(clock.now(), start);
  clock.advance(milliseconds(5));
  EXPECT_EQ(clock.now() - start, milliseconds(5));
  clock.set(start);
  EXPECT_EQ(clock.now(), start);
}

TEST(SteadyClockTest, NeverGoesBack) {
  const Clock& clock = steady_clock();
  TimePoint last = clock.now();
  for (int reading = 0; reading < 1000; ++reading) {
    const TimePoint now = clock.now();
    EXPECT_GE(now, last);
    last = now;
  }
}

TEST(SteadyClockTest, IsOneForTheProcess) { EXPECT_EQ(&steady_clock(), &steady_clock()); }

}  // namespace
}  // namespace millrace::base
