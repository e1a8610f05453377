#include "stores/redis/breaker.h"

#include <chrono>

#include <gtest/gtest.h>

namespace millrace::stores::testing {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

TEST(BreakerTest, RED7_OpensAfterFailuresInARowAndProbesOnce) {
  Breaker breaker({.failures = 3, .open_time = 10ms});
  base::TimePoint now{};
  breaker.on_failure(now);
  breaker.on_failure(now);
  breaker.on_success();
  breaker.on_failure(now);
  breaker.on_failure(now);
  EXPECT_TRUE(breaker.try_pass(now));
  breaker.on_failure(now);
  EXPECT_EQ(breaker.state(), Breaker::State::kOpen);
  EXPECT_FALSE(breaker.try_pass(now + 9ms));
  EXPECT_TRUE(breaker.try_pass(now + 10ms));
  EXPECT_FALSE(breaker.try_pass(now + 10ms));
  breaker.on_failure(now + 11ms);
  EXPECT_FALSE(breaker.try_pass(now + 20ms));
  EXPECT_TRUE(breaker.try_pass(now + 21ms));
  breaker.on_success();
  EXPECT_EQ(breaker.state(), Breaker::State::kClosed);
  EXPECT_EQ(breaker.trip_count(), 1U);
}

TEST(BreakerTest, AProbeThatSaysNothingMakesRoomForAnother) {
  Breaker breaker({.failures = 1, .open_time = 1ms});
  breaker.on_failure({});
  EXPECT_TRUE(breaker.try_pass(base::TimePoint(1ms)));
  EXPECT_FALSE(breaker.try_pass(base::TimePoint(1ms)));
  breaker.on_nothing();
  EXPECT_TRUE(breaker.try_pass(base::TimePoint(1ms)));
}

}  // namespace
}  // namespace millrace::stores::testing
