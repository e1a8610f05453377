#include "loop/uv_loop.h"

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <memory>

#include <gtest/gtest.h>
#include <poll.h>
#include <uv.h>

#include "base/clock.h"

namespace millrace::loop {
namespace {

using std::chrono::hours;

bool is_readable(int descriptor, int timeout_ms = 0) {
  pollfd entry{.fd = descriptor, .events = POLLIN, .revents = 0};
  return poll(&entry, 1, timeout_ms) == 1;
}

std::ptrdiff_t count_descriptors() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
}

constexpr int kForEver = -1;

class TimerFdTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(alarm.open().has_value()); }
  TimerFd alarm;
};

TEST_F(TimerFdTest, IsSilentUntilItIsSet) { EXPECT_FALSE(is_readable(alarm.descriptor())); }

TEST_F(TimerFdTest, RingsForATimeThatHasPassed) {
  alarm.set(base::steady_clock().now() - hours(1));
  EXPECT_TRUE(is_readable(alarm.descriptor(), kForEver));
}

TEST_F(TimerFdTest, RingsForTheOriginOfTime) {
  alarm.set(base::TimePoint{});  // zero must not mean "never"
  EXPECT_TRUE(is_readable(alarm.descriptor(), kForEver));
}

TEST_F(TimerFdTest, AgreesWithTheSteadyClockAndIsNeverEarly) {
  const base::TimePoint when = base::steady_clock().now() + std::chrono::milliseconds(1);
  alarm.set(when);
  ASSERT_TRUE(is_readable(alarm.descriptor(), kForEver));
  EXPECT_GE(base::steady_clock().now(), when);
}

TEST_F(TimerFdTest, ClearingTakesItBack) {
  alarm.set(base::steady_clock().now() - hours(1));
  alarm.clear();
  EXPECT_FALSE(is_readable(alarm.descriptor()));
}

TEST_F(TimerFdTest, SettingAgainMovesIt) {
  alarm.set(base::steady_clock().now() - hours(1));
  alarm.set(base::steady_clock().now() + hours(1));
  EXPECT_FALSE(is_readable(alarm.descriptor()));
}

TEST(UvLoopTest, OpensAndClosesWithoutLeavingDescriptors) {
  const auto open_and_close = [] {
    auto opened = UvLoop::open();
    ASSERT_TRUE(opened.has_value());
    EXPECT_TRUE((*opened)->alarm_poll_is_open);
  };
  open_and_close();  // libuv keeps a few descriptors per process from the first loop on
  const std::ptrdiff_t before = count_descriptors();
  for (int turn = 0; turn < 3; ++turn) open_and_close();
  EXPECT_EQ(count_descriptors(), before);
}

TEST(UvLoopTest, AWakeEndsOneSleep) {
  auto opened = UvLoop::open();
  ASSERT_TRUE(opened.has_value());
  UvLoop& uv = **opened;
  ASSERT_EQ(uv_async_send(&uv.wake), 0);
  EXPECT_NE(uv_run(&uv.loop, UV_RUN_ONCE), 0);  // would sleep for ever without the wake
}

TEST(UvLoopTest, TheAlarmEndsASleepToo) {
  auto opened = UvLoop::open();
  ASSERT_TRUE(opened.has_value());
  UvLoop& uv = **opened;
  bool rang = false;
  uv.alarm_poll.data = &rang;
  uv_poll_start(&uv.alarm_poll, UV_READABLE, [](uv_poll_t* poll, int, int) {
    *static_cast<bool*>(poll->data) = true;
    uv_poll_stop(poll);
  });
  uv.alarm.set(base::steady_clock().now());
  uv_run(&uv.loop, UV_RUN_ONCE);
  EXPECT_TRUE(rang);
}

}  // namespace
}  // namespace millrace::loop
