#include "apps/rankd/stop_signals.h"

#include <csignal>

#include <gtest/gtest.h>
#include <poll.h>

namespace millrace::rankd::testing {
namespace {

bool is_readable(const StopFlag& flag) {
  pollfd wanted{.fd = flag.descriptor(), .events = POLLIN, .revents = 0};
  return poll(&wanted, 1, 0) == 1;
}

TEST(StopFlagTest, IsReadableOnceItIsRaised) {
  StopFlag flag;
  EXPECT_FALSE(flag.is_raised());
  EXPECT_FALSE(is_readable(flag));
  flag.raise();
  flag.raise();
  EXPECT_TRUE(flag.is_raised());
  EXPECT_TRUE(is_readable(flag));
}

TEST(StopSignalsTest, CLI10_TheFirstSignalRaisesTheFlag) {
  for (const int signal : {SIGINT, SIGTERM}) {
    StopFlag flag;
    const StopSignals signals(flag);
    ASSERT_EQ(std::raise(signal), 0);
    EXPECT_TRUE(flag.is_raised());
    EXPECT_TRUE(is_readable(flag));
  }
}

TEST(StopSignalsTest, CLI10_TheSecondSignalEndsAtOnce) {
  const auto raise_twice = [](int signal) {
    StopFlag flag;
    const StopSignals signals(flag);
    std::raise(signal);
    std::raise(signal);
  };
  EXPECT_EXIT(raise_twice(SIGINT), ::testing::ExitedWithCode(130), "");
  EXPECT_EXIT(raise_twice(SIGTERM), ::testing::ExitedWithCode(143), "");
}

}  // namespace
}  // namespace millrace::rankd::testing
