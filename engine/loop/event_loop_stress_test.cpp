#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <semaphore>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/clock.h"
#include "base/random.h"
#include "loop/awaitables.h"
#include "loop/event_loop.h"
#include "loop/executor.h"
#include "loop/loop.h"
#include "loop/loop_fixture.h"
#include "loop/task.h"

namespace millrace::loop {
namespace {

using std::chrono::microseconds;

class SequencedJob : public Job {
 public:
  SequencedJob() : Job(&note) {}
  // Set before posting; the log belongs to the loop thread.
  int poster = 0;
  int number = 0;
  std::vector<std::vector<int>>* log = nullptr;

 private:
  static void note(Job& job) {
    auto& self = static_cast<SequencedJob&>(job);
    (*self.log)[static_cast<std::size_t>(self.poster)].push_back(self.number);
  }
};

TEST(EventLoopStressTest, JobsOfEachPosterRunOnceAndInOrder) {
  constexpr int kPosters = 4;
  constexpr int kJobs = 5'000;
  auto loop = EventLoop::create().value();
  std::vector<std::vector<int>> log(kPosters);
  std::vector<std::vector<SequencedJob>> jobs(kPosters);
  for (auto& row : jobs) row = std::vector<SequencedJob>(kJobs);
  std::vector<std::thread> threads;
  threads.reserve(kPosters);
  for (int poster = 0; poster < kPosters; ++poster) {
    threads.emplace_back([&, poster] {
      for (int number = 0; number < kJobs; ++number) {
        SequencedJob& job =
            jobs[static_cast<std::size_t>(poster)][static_cast<std::size_t>(number)];
        job.poster = poster;
        job.number = number;
        job.log = &log;
        loop->post(job);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  loop->stop();
  for (const std::vector<int>& row : log) {
    ASSERT_EQ(row.size(), static_cast<std::size_t>(kJobs));
    for (int number = 0; number < kJobs; ++number) {
      ASSERT_EQ(row[static_cast<std::size_t>(number)], number);
    }
  }
  EXPECT_EQ(loop->counters().jobs, static_cast<std::uint64_t>(kPosters * kJobs + 1));
}

class CountingTimer : public Timer {
 public:
  CountingTimer() : Timer(&note) {}
  // Tells the thread that armed the timer how often it fired.
  std::atomic<int> fired{0};

 private:
  static void note(Timer& timer) {
    static_cast<CountingTimer&>(timer).fired.fetch_add(1, std::memory_order_release);
  }
};

// Each arming ends in exactly one of two ways, whoever is faster.
TEST(EventLoopStressTest, ATimerEitherFiresOnceOrIsDisarmed) {
  constexpr int kThreads = 3;
  constexpr int kRounds = 500;
  auto loop = EventLoop::create().value();
  std::atomic<int> fired_count{0};
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      base::SplitMix64 random(static_cast<std::uint64_t>(i));
      for (int round = 0; round < kRounds; ++round) {
        CountingTimer timer;
        const auto span = microseconds(random.below(60));
        int armings = 1;
        loop->arm(timer, loop->clock().now() + span);
        if (random.chance(0.3)) {
          loop->arm(timer, loop->clock().now() + span / 2);
          ++armings;
        }
        for (std::uint64_t spins = random.below(2'000); spins > 0; --spins) {
          static_cast<void>(timer.fired.load(std::memory_order_relaxed));
        }
        const bool disarmed = loop->disarm(timer);
        // A firing that is under way has ended when the loop does something else.
        run_and_wait(*loop, [] {});
        const int ends = timer.fired.load(std::memory_order_acquire) + (disarmed ? 1 : 0);
        // Arming again moves the timer, unless it had fired in between.
        EXPECT_GE(ends, 1);
        EXPECT_LE(ends, armings);
        fired_count.fetch_add(timer.fired.load());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  loop->stop();
  EXPECT_GT(fired_count.load(), 0);
  EXPECT_EQ(loop->counters().timers_fired, static_cast<std::uint64_t>(fired_count.load()));
}

// The job tells us that it ran, and we destroy the loop while its poster may still be inside
// `post`.
TEST(EventLoopStressTest, ALoopMayEndAsSoonAsTheLastJobRan) {
  std::thread poster;
  for (int round = 0; round < 200; ++round) {
    auto loop = EventLoop::create().value();
    std::binary_semaphore ran{0};
    auto job = std::make_shared<FunctionJob<std::function<void()>>>([&ran] { ran.release(); });
    std::thread next([&loop = *loop, job] { loop.post(*job); });
    ran.acquire();
    loop.reset();
    if (poster.joinable()) poster.join();
    poster = std::move(next);
  }
  poster.join();
}

Task<int> wander(Executor* home, Executor* away, int steps) {
  int at_home = 0;
  for (int i = 0; i < steps; ++i) {
    co_await on(*away);
    co_await on(*home);
    at_home += home->is_current() ? 1 : 0;
  }
  co_return at_home;
}
Task<int> wander_below(Executor* home, Executor* away, int steps) {
  int sum = 0;
  for (int i = 0; i < steps; ++i) {
    // The child starts here and ends there; we go on here.
    sum += co_await wander(away, home, 1);
    sum += home->is_current() ? 1 : 0;
  }
  co_return sum;
}

TEST(EventLoopStressTest, TasksWanderBetweenLoops) {
  constexpr int kTasks = 8;
  constexpr int kSteps = 300;
  auto first = EventLoop::create("first").value();
  auto second = EventLoop::create("second").value();
  std::vector<std::unique_ptr<AwaitedOutcome<int>>> outcomes;
  for (int i = 0; i < kTasks; ++i) {
    outcomes.push_back(std::make_unique<AwaitedOutcome<int>>());
    Executor& home = i % 2 == 0 ? *first : *second;
    Executor& away = i % 2 == 0 ? *second : *first;
    start(home, wander_below(&home, &away, kSteps), *outcomes.back());
  }
  for (auto& outcome : outcomes) EXPECT_EQ(outcome->wait().value(), 2 * kSteps);
  first->stop();
  second->stop();
}

}  // namespace
}  // namespace millrace::loop
