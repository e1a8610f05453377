#include "base/sync/parking.h"

#include <atomic>
#include <cstdint>
#include <optional>

#include <gtest/gtest.h>

#include "base/clock.h"
#include "base/sync/atomics.h"

namespace millrace::base {
namespace {

using std::chrono_literals::operator""ns;

// Stands for the kernel: runs `while_asleep` instead of sleeping and counts the system calls.
struct ScriptedFutex {
  static inline int wait_count = 0;
  static inline int wake_count = 0;
  static inline void (*while_asleep)() = nullptr;
  static inline bool timed_out = false;

  static bool wait(const std::atomic<std::uint32_t>& word,
                   std::uint32_t expected,
                   std::optional<base::TimePoint> /*deadline*/) {
    ++wait_count;
    EXPECT_EQ(word.load(), expected);
    if (while_asleep != nullptr) while_asleep();
    return !timed_out;
  }
  static void wake_one(const std::atomic<std::uint32_t>& /*word*/) { ++wake_count; }
  static std::optional<base::TimePoint> deadline_after(base::Duration timeout) {
    return base::TimePoint{timeout};
  }
};

using ScriptedSpot = ParkingSpot<StdAtomics, ScriptedFutex>;
ScriptedSpot* sleeping_spot = nullptr;

class ParkingSpotTest : public testing::Test {
 protected:
  ParkingSpotTest() {
    ScriptedFutex::wait_count = 0;
    ScriptedFutex::wake_count = 0;
    ScriptedFutex::while_asleep = nullptr;
    ScriptedFutex::timed_out = false;
    sleeping_spot = &spot_;
  }

  ScriptedSpot spot_;
};

TEST_F(ParkingSpotTest, NotifyWithoutSleeperDoesNothing) {
  EXPECT_FALSE(spot_.is_waiting());
  EXPECT_FALSE(spot_.notify());
  spot_.announce();
  EXPECT_TRUE(spot_.is_waiting());
  EXPECT_TRUE(spot_.cancel());
  EXPECT_FALSE(spot_.is_waiting());
  EXPECT_FALSE(spot_.notify());
}

TEST_F(ParkingSpotTest, OnlyOneNotifierWakesTheSleeper) {
  spot_.announce();
  EXPECT_TRUE(spot_.notify());
  EXPECT_FALSE(spot_.is_waiting());
  EXPECT_FALSE(spot_.notify());
  EXPECT_TRUE(spot_.wait(std::nullopt));
  EXPECT_FALSE(spot_.notify());
}

TEST_F(ParkingSpotTest, NotificationBeforeSleepCostsNoSystemCall) {
  spot_.announce();
  EXPECT_TRUE(spot_.notify());
  EXPECT_TRUE(spot_.wait(std::nullopt));
  EXPECT_EQ(ScriptedFutex::wait_count, 0);
  EXPECT_EQ(ScriptedFutex::wake_count, 0);
}

TEST_F(ParkingSpotTest, CancelConsumesNotificationThatCameFirst) {
  spot_.announce();
  EXPECT_TRUE(spot_.notify());
  EXPECT_FALSE(spot_.cancel());
  spot_.announce();
  EXPECT_TRUE(spot_.is_waiting());
  EXPECT_TRUE(spot_.cancel());
}

TEST_F(ParkingSpotTest, NotificationWhileAsleepWakesByOneSystemCall) {
  ScriptedFutex::while_asleep = [] {
    EXPECT_TRUE(sleeping_spot->is_waiting());
    EXPECT_TRUE(sleeping_spot->notify());
    EXPECT_FALSE(sleeping_spot->notify());
  };
  spot_.announce();
  EXPECT_TRUE(spot_.wait(std::nullopt));
  EXPECT_EQ(ScriptedFutex::wait_count, 1);
  EXPECT_EQ(ScriptedFutex::wake_count, 1);
}

TEST_F(ParkingSpotTest, SpuriousWakeSleepsAgain) {
  ScriptedFutex::while_asleep = [] {
    if (ScriptedFutex::wait_count == 3) {
      EXPECT_TRUE(sleeping_spot->notify());
    }
  };
  spot_.announce();
  EXPECT_TRUE(spot_.wait(std::nullopt));
  EXPECT_EQ(ScriptedFutex::wait_count, 3);
}

TEST_F(ParkingSpotTest, TimeoutTakesTheAnnouncementBack) {
  ScriptedFutex::timed_out = true;
  spot_.announce();
  EXPECT_FALSE(spot_.wait(1ns));
  EXPECT_FALSE(spot_.is_waiting());
  EXPECT_FALSE(spot_.notify());
}

TEST_F(ParkingSpotTest, NotificationBeatsTimeoutThatComesWithIt) {
  ScriptedFutex::timed_out = true;
  ScriptedFutex::while_asleep = [] { EXPECT_TRUE(sleeping_spot->notify()); };
  spot_.announce();
  EXPECT_TRUE(spot_.wait(1ns));
  EXPECT_FALSE(spot_.is_waiting());
}

TEST(ParkingSpotOnLinuxTest, TimesOut) {
  ParkingSpot<> spot;
  spot.announce();
  EXPECT_FALSE(spot.wait(0ns));
  spot.announce();
  EXPECT_FALSE(spot.wait(1ns));
  EXPECT_FALSE(spot.is_waiting());
}

}  // namespace
}  // namespace millrace::base
