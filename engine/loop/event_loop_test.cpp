#include "loop/event_loop.h"

#include <array>
#include <atomic>
#include <chrono>
#include <coroutine>
#include <cstdint>
#include <deque>
#include <memory>
#include <semaphore>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>
#include <uv.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/result.h"
#include "loop/awaitables.h"
#include "loop/executor.h"
#include "loop/loop.h"
#include "loop/loop_fixture.h"
#include "loop/stop.h"
#include "loop/task.h"
#include "loop/task_promise.h"
#include "loop/uv_loop.h"

namespace millrace::loop {
namespace {

using base::ErrorCode;
using base::Status;
using std::chrono::hours;
using std::chrono::milliseconds;

class EventLoopTest : public testing::Test {
 protected:
  std::unique_ptr<EventLoop> loop_ = EventLoop::create("test").value();
  const base::Clock& clock_ = loop_->clock();
};

TEST_F(EventLoopTest, StartsAndStopsWithoutWork) {
  loop_->stop();
  loop_->stop();
  loop_.reset();
}

// Fails under ThreadSanitizer if it does not see how libuv closes descriptors.
TEST(UvLoopClosingTest, AThreadMayUseANumberThatAnotherThreadsLoopHasClosed) {
  std::atomic<bool> is_closed = false;
  std::thread closer([&is_closed] {
    EXPECT_TRUE(UvLoop::open());
    // Relaxed: nothing but the descriptors orders the two threads.
    is_closed.store(true, std::memory_order_relaxed);
  });
  while (!is_closed.load(std::memory_order_relaxed)) std::this_thread::yield();
  EXPECT_TRUE(UvLoop::open());
  closer.join();
}

TEST_F(EventLoopTest, RunsJobsOnItsThreadInTheOrderOfPosting) {
  std::vector<int> log;
  bool current = false;
  FunctionJob first([&] {
    log.push_back(1);
    current = loop_->is_current();
  });
  FunctionJob second([&] { log.push_back(2); });
  loop_->post(first);
  loop_->post(second);
  run_and_wait(*loop_, [&] { log.push_back(3); });
  EXPECT_EQ(log, (std::vector<int>{1, 2, 3}));
  EXPECT_TRUE(current);
  EXPECT_FALSE(loop_->is_current());
}

TEST_F(EventLoopTest, AJobPostedOnTheLoopRunsLaterNotInside) {
  std::vector<int> log;
  std::binary_semaphore done{0};
  FunctionJob inner([&] {
    log.push_back(2);
    done.release();
  });
  FunctionJob outer([&] {
    loop_->post(inner);
    log.push_back(1);
  });
  loop_->post(outer);
  done.acquire();
  EXPECT_EQ(log, (std::vector<int>{1, 2}));
}

TEST_F(EventLoopTest, ManyPostsWhileItIsBusyCostFewWakeups) {
  std::binary_semaphore entered{0}, proceed{0};
  FunctionJob blocker([&] {
    entered.release();
    proceed.acquire();
  });
  loop_->post(blocker);
  entered.acquire();
  const LoopCounters before = loop_->counters();
  constexpr int kCount = 10 * static_cast<int>(EventLoop::kJobsPerTurnMax);
  int ran = 0;
  const auto increment = [&ran] { ++ran; };
  std::deque<FunctionJob<decltype(increment)>> jobs;
  for (int i = 0; i < kCount; ++i) loop_->post(jobs.emplace_back(increment));
  proceed.release();
  run_and_wait(*loop_, [] {});
  EXPECT_EQ(ran, kCount);
  loop_->stop();
  const LoopCounters after = loop_->counters();
  EXPECT_LE(after.wakeups - before.wakeups, 4u);
  EXPECT_GE(after.jobs - before.jobs, static_cast<std::uint64_t>(kCount));
}

TEST_F(EventLoopTest, ATimerFiresOnceOnTheLoopAndNotEarly) {
  std::binary_semaphore fired{0};
  base::TimePoint fired_at;
  bool current = false;
  FunctionTimer timer([&] {
    fired_at = clock_.now();
    current = loop_->is_current();
    fired.release();
  });
  const base::TimePoint when = clock_.now() + milliseconds(3);
  loop_->arm(timer, when);
  fired.acquire();
  EXPECT_GE(fired_at, when);
  EXPECT_TRUE(current);
  loop_->stop();
  EXPECT_EQ(loop_->counters().timers_fired, 1u);
}

TEST_F(EventLoopTest, ATimerInThePastFiresAtOnce) {
  std::counting_semaphore<2> fired{0};
  const auto note = [&] { fired.release(); };
  FunctionTimer past(note), origin(note);
  loop_->arm(past, clock_.now() - hours(1));
  loop_->arm(origin, base::TimePoint{});
  fired.acquire();
  fired.acquire();
}

TEST_F(EventLoopTest, ArmingAnEarlierTimerMovesTheAlarmForward) {
  std::binary_semaphore fired{0};
  FunctionTimer late([] {});
  FunctionTimer early([&] { fired.release(); });
  loop_->arm(late, clock_.now() + hours(1));
  loop_->arm(early, clock_.now() + milliseconds(1));
  fired.acquire();
  EXPECT_TRUE(loop_->disarm(late));
}

TEST_F(EventLoopTest, JobsAfterALongOneWaitForTheNextTurn) {
  std::uint64_t turn_of_long = 0;
  std::uint64_t turn_of_next = 0;
  std::binary_semaphore done{0};
  auto take_long = [&] {
    turn_of_long = loop_->turn_number();
    const base::TimePoint end = clock_.now() + EventLoop::kJobTimePerTurnMax;
    while (clock_.now() < end) {
    }
  };
  auto note = [&] {
    turn_of_next = loop_->turn_number();
    done.release();
  };
  FunctionJob<decltype(take_long)> long_job(take_long);
  FunctionJob<decltype(note)> next(note);
  auto post_both = [&] {
    loop_->post(long_job);
    loop_->post(next);
  };
  run_and_wait(*loop_, post_both);
  done.acquire();
  EXPECT_GT(turn_of_next, turn_of_long);
}

TEST_F(EventLoopTest, ManyTimersOfOneMomentAllFire) {
  constexpr int kCount = 3 * static_cast<int>(EventLoop::kTimersPerTurnMax) + 5;
  std::binary_semaphore done{0};
  int fired = 0;
  auto note = [&] {
    if (++fired == kCount) done.release();
  };
  std::deque<FunctionTimer<decltype(note)>> timers;
  const base::TimePoint when = clock_.now() + milliseconds(2);
  for (int i = 0; i < kCount; ++i) loop_->arm(timers.emplace_back(note), when);
  done.acquire();
  EXPECT_EQ(fired, kCount);
}

/// Posts itself again each time it runs, until it is told to end.
class EndlessJob : public Job {
 public:
  explicit EndlessJob(Loop& loop) : Job(&again), loop_(loop) {}
  bool ends = false;

 private:
  static void again(Job& job) {
    auto& self = static_cast<EndlessJob&>(job);
    if (!self.ends) self.loop_.post(job);
  }
  Loop& loop_;
};

TEST_F(EventLoopTest, JobsThatPostThemselvesDoNotStarveTimers) {
  std::binary_semaphore fired{0};
  EndlessJob endless(*loop_);
  FunctionTimer timer([&] {
    endless.ends = true;
    fired.release();
  });
  loop_->post(endless);
  loop_->arm(timer, clock_.now() + milliseconds(1));
  fired.acquire();
  loop_->stop();
}

/// Calls a function when a descriptor becomes readable.
struct ReadableWatch {
  uv_poll_t handle{};
  std::binary_semaphore seen{0};
};

TEST_F(EventLoopTest, JobsAndTimersThatGoOnForEverDoNotStarveIo) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  ReadableWatch watch;
  run_and_wait(*loop_, [&] {
    loop_->thread().assert_current();
    ASSERT_EQ(uv_poll_init(&loop_->uv().loop, &watch.handle, ends[0]), 0);
    watch.handle.data = &watch;
    uv_poll_start(&watch.handle, UV_READABLE, [](uv_poll_t* handle, int, int) {
      static_cast<ReadableWatch*>(handle->data)->seen.release();
      uv_close(reinterpret_cast<uv_handle_t*>(handle), nullptr);
    });
  });
  EndlessJob endless(*loop_);
  Timer* self = nullptr;
  FunctionTimer again([&] {
    if (!endless.ends) loop_->arm(*self, clock_.now());
  });
  self = &again;
  loop_->post(endless);
  loop_->arm(again, clock_.now());
  ASSERT_EQ(write(ends[1], "x", 1), 1);
  watch.seen.acquire();
  run_and_wait(*loop_, [&] { endless.ends = true; });
  loop_->stop();
  close(ends[0]);
  close(ends[1]);
}

TEST_F(EventLoopTest, P6_NothingWakesAnIdleLoop) {
  std::binary_semaphore fired{0};
  FunctionTimer timer([&] { fired.release(); });
  run_and_wait(*loop_, [] {});
  const std::uint64_t before = loop_->counters().wakeups;
  loop_->arm(timer, clock_.now() + milliseconds(50));
  fired.acquire();
  loop_->stop();
  // The job above, the timer, and the request to stop.
  EXPECT_LE(loop_->counters().wakeups - before, 3u);
}

TEST_F(EventLoopTest, StopRunsWhatWasPostedAndWhatThatPosts) {
  int ran = 0;
  FunctionJob last([&] { ++ran; });
  FunctionJob middle([&] {
    ++ran;
    loop_->post(last);
  });
  FunctionJob first([&] {
    ++ran;
    loop_->post(middle);
  });
  loop_->post(first);
  loop_->stop();
  EXPECT_EQ(ran, 3);
}

TEST_F(EventLoopTest, StopDropsArmedTimers) {
  FunctionTimer silent([] { FAIL(); });
  loop_->arm(silent, clock_.now() + hours(1));
  loop_->stop();
  EXPECT_FALSE(loop_->disarm(silent));
}

Task<Status> sleep_long(Loop* loop, StopToken token) {
  co_return co_await sleep_for(*loop, hours(1), token);
}
Task<int> sleep_again_and_again(Loop* loop) {
  int naps = 0;
  for (; naps < 3; ++naps) static_cast<void>(co_await sleep_for(*loop, hours(1)));
  co_return naps;
}

TEST_F(EventLoopTest, StopCancelsSleepingTasksAndTheirLaterSleeps) {
  Outcome<Status> once;
  Outcome<int> stubborn;
  start(*loop_, sleep_long(loop_.get(), {}), once);
  start(*loop_, sleep_again_and_again(loop_.get()), stubborn);
  loop_.reset();
  EXPECT_EQ(once.value().error().code(), ErrorCode::kCancelled);
  EXPECT_EQ(stubborn.value().value(), 3);
}

/// Suspends for ever, as something that waits for an event that never comes.
struct Forever {
  [[nodiscard]] bool await_ready() const noexcept { return false; }
  template <TaskLike Promise>
  void await_suspend(std::coroutine_handle<Promise>) const noexcept {}
  void await_resume() const noexcept {}
};
Task<> wait_forever(std::shared_ptr<int> held) {
  co_await Forever{};
  ++*held;
}

TEST_F(EventLoopTest, ATaskThatNeverEndsIsReleasedByItsOwner) {
  auto held = std::make_shared<int>(0);
  {
    Outcome<void> outcome;
    start(*loop_, wait_forever(held), outcome);
    loop_.reset();
    EXPECT_EQ(held.use_count(), 2);
    EXPECT_TRUE(outcome.in_flight());
  }
  EXPECT_EQ(held.use_count(), 1);
}

TEST_F(EventLoopTest, ARequestFromAnotherThreadEndsASleep) {
  StopSource source;
  AwaitedOutcome<Status> outcome;
  start(*loop_, sleep_long(loop_.get(), source.token()), outcome);
  run_and_wait(*loop_, [] {});
  source.request_stop();
  EXPECT_EQ(outcome.wait().error().code(), ErrorCode::kCancelled);
}

TEST(EventLoopDeathTest, ALoopMustNotBeStoppedByItself) {
  EXPECT_DEATH(
      {
        auto loop = EventLoop::create().value();
        run_and_wait(*loop, [&] { loop->stop(); });
      },
      "is_current");
}

}  // namespace
}  // namespace millrace::loop
