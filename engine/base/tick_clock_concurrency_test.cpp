#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/clock.h"
#include "base/tick_clock.h"

namespace millrace::base {
namespace {

TEST(TickClockConcurrencyTest, AnyThreadMayAskWhileAnotherCompares) {
  TickClock ticks(steady_clock());
  std::vector<std::jthread> threads;
  threads.reserve(4);
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&ticks] {
      TimePoint last{};
      for (int reading = 0; reading < 100'000; ++reading) {
        const TickAnchor anchor = ticks.anchor();
        EXPECT_GE(anchor.time, last);
        last = anchor.time;
      }
    });
  }
}

}  // namespace
}  // namespace millrace::base
