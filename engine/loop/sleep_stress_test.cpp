#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <thread>

#include <gtest/gtest.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/random.h"
#include "base/result.h"
#include "loop/awaitables.h"
#include "loop/event_loop.h"
#include "loop/loop.h"
#include "loop/loop_fixture.h"
#include "loop/stop.h"
#include "loop/task.h"

namespace millrace::loop {
namespace {

using base::ErrorCode;
using base::Status;
using std::chrono::microseconds;

Task<Status> nap(Loop* loop, base::Duration span, StopToken token) {
  co_return co_await sleep_for(*loop, span, token);
}

/// Sums up how naps ended.
struct Tally {
  int fired = 0;
  int cancelled = 0;
  void add(const Status& status) {
    if (status.has_value()) {
      ++fired;
    } else {
      EXPECT_EQ(status.error().code(), ErrorCode::kCancelled);
      ++cancelled;
    }
  }
};

/// Starts many short naps on `home`, timed by `loop`, while another thread requests the stop.
Tally race_naps(EventLoop& home, EventLoop& loop, std::uint64_t seed) {
  constexpr int kNaps = 8;
  Tally tally;
  base::SplitMix64 random(seed);
  for (int round = 0; round < 250; ++round) {
    StopSource source;
    std::deque<AwaitedOutcome<Status>> outcomes;
    std::atomic<bool> go{false};
    std::thread requester([&, spins = random.below(3'000)] {
      while (!go.load(std::memory_order_acquire)) std::this_thread::yield();
      for (std::uint64_t i = 0; i < spins; ++i) static_cast<void>(go.load());
      source.request_stop();
    });
    go.store(true, std::memory_order_release);
    for (int i = 0; i < kNaps; ++i) {
      start(home,
            nap(&loop, microseconds(random.below(150)), source.token()),
            outcomes.emplace_back());
    }
    for (auto& outcome : outcomes) tally.add(outcome.wait());
    requester.join();
  }
  return tally;
}

TEST(SleepStressTest, FiringAndStoppingRaceAndEachNapEndsOnce) {
  auto loop = EventLoop::create().value();
  const Tally tally = race_naps(*loop, *loop, 1);
  EXPECT_GT(tally.fired, 0);
  EXPECT_GT(tally.cancelled, 0);
}

// Here the timer can fire on one thread while the task is still suspending on another.
TEST(SleepStressTest, TheSameForTasksThatLiveOnAnotherLoop) {
  auto home = EventLoop::create("home").value();
  auto loop = EventLoop::create("timers").value();
  const Tally tally = race_naps(*home, *loop, 2);
  EXPECT_GT(tally.fired, 0);
  EXPECT_GT(tally.cancelled, 0);
}

// The owner gives tasks up on the loop thread while another thread cancels them.
TEST(SleepStressTest, AbandoningRacesWithARequestToStop) {
  constexpr int kNaps = 8;
  auto loop = EventLoop::create().value();
  for (int round = 0; round < 300; ++round) {
    StopSource source;
    std::deque<Outcome<Status>> outcomes(kNaps);
    run_and_wait(*loop, [&] {
      for (auto& outcome : outcomes) {
        start(*loop, nap(loop.get(), std::chrono::hours(1), source.token()), outcome);
      }
    });
    std::thread requester([&] { source.request_stop(); });
    run_and_wait(*loop, [&] {
      for (auto& outcome : outcomes) outcome.abandon();
    });
    requester.join();
    for (auto& outcome : outcomes) EXPECT_FALSE(outcome.in_flight());
  }
}

// A loop ends while naps are running out and being cancelled; every task ends all the same.
TEST(SleepStressTest, StoppingTheLoopEndsEveryNap) {
  base::SplitMix64 random(3);
  for (int round = 0; round < 100; ++round) {
    StopSource source;
    std::deque<Outcome<Status>> outcomes(8);
    auto loop = EventLoop::create().value();
    for (auto& outcome : outcomes) {
      start(*loop, nap(loop.get(), microseconds(random.below(300)), source.token()), outcome);
    }
    std::thread requester([&] { source.request_stop(); });
    requester.join();
    loop.reset();
    for (auto& outcome : outcomes) EXPECT_TRUE(outcome.is_done());
  }
}

}  // namespace
}  // namespace millrace::loop
