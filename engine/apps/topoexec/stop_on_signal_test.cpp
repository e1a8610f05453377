#include "apps/topoexec/stop_on_signal.h"

#include <csignal>
#include <future>

#include <gtest/gtest.h>
#include <unistd.h>

#include "loop/stop.h"

namespace millrace::topoexec {
namespace {

struct Noted : loop::StopCallback {
  Noted() : StopCallback([](StopCallback& self) { static_cast<Noted&>(self).done.set_value(); }) {}
  std::promise<void> done;
};

TEST(StopOnSignal, ASignalRequestsAStop) {
  for (const int signal : {SIGINT, SIGTERM}) {
    loop::StopSource source;
    Noted noted;
    ASSERT_TRUE(noted.try_connect(source.token()));
    const StopOnSignal handler(source);
    kill(getpid(), signal);
    noted.done.get_future().wait();
    EXPECT_TRUE(source.stop_requested());
  }
}

TEST(StopOnSignal, AStopDoesNotWaitForWhatAHangupAskedFor) {
  loop::StopSource source;
  Noted noted;
  ASSERT_TRUE(noted.try_connect(source.token()));
  StopOnSignal handler(source);
  std::promise<void> is_called;
  std::promise<void> goes_on;
  int calls = 0;
  handler.set_on_hangup([&] {
    if (++calls > 1) return;
    is_called.set_value();
    goes_on.get_future().wait();
  });
  kill(getpid(), SIGHUP);
  is_called.get_future().wait();
  kill(getpid(), SIGTERM);
  noted.done.get_future().wait();
  EXPECT_TRUE(source.stop_requested());
  goes_on.set_value();
  handler.set_on_hangup({});
  EXPECT_EQ(calls, 1);
}

TEST(StopOnSignalDeathTest, ASecondSignalEndsTheProcess) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto signal_twice = [] {
    loop::StopSource source;
    Noted noted;
    static_cast<void>(noted.try_connect(source.token()));
    const StopOnSignal handler(source);
    kill(getpid(), SIGTERM);
    noted.done.get_future().wait();
    kill(getpid(), SIGTERM);
    while (true) pause();
  };
  EXPECT_EXIT(signal_twice(), testing::ExitedWithCode(128 + SIGTERM), "");
}

}  // namespace
}  // namespace millrace::topoexec
