#include "base/sync/futex.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>

#include <gtest/gtest.h>

#include "base/clock.h"

namespace millrace::base {
namespace {

using std::chrono_literals::operator""ns;

TEST(FutexTest, DoesNotSleepWhenTheWordHasChanged) {
  const std::atomic<std::uint32_t> word{5};
  EXPECT_TRUE(LinuxFutex::wait(word, 4, std::nullopt));
}

TEST(FutexTest, ReportsDeadlineThatHasPassed) {
  const std::atomic<std::uint32_t> word{5};
  EXPECT_FALSE(LinuxFutex::wait(word, 5, base::TimePoint{}));
  EXPECT_FALSE(LinuxFutex::wait(word, 5, base::TimePoint{-1ns}));
  EXPECT_FALSE(LinuxFutex::wait(word, 5, LinuxFutex::deadline_after(1ns)));
}

TEST(FutexTest, WakeWithoutSleeperIsHarmless) {
  const std::atomic<std::uint32_t> word{5};
  LinuxFutex::wake_one(word);
  EXPECT_FALSE(LinuxFutex::wait(word, 5, base::TimePoint{}));
}

TEST(FutexTest, DeadlineNeverLiesInThePast) {
  const base::TimePoint before = base::steady_clock().now();
  EXPECT_GE(LinuxFutex::deadline_after(-1ns), before);
  EXPECT_GE(LinuxFutex::deadline_after(base::Duration::min()), before);
}

TEST(FutexTest, TimeoutBeyondTheClocksRangeIsNoDeadline) {
  EXPECT_EQ(LinuxFutex::deadline_after(base::Duration::max()), std::nullopt);
}

}  // namespace
}  // namespace millrace::base
