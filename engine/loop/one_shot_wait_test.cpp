#include "loop/one_shot_wait.h"

#include <coroutine>
#include <functional>
#include <memory>
#include <optional>

#include <gtest/gtest.h>

#include "base/clock.h"
#include "loop/fake_loop.h"
#include "loop/loop_fixture.h"
#include "loop/task.h"
#include "loop/task_promise.h"

namespace millrace::loop {
namespace {

/// An awaitable whose test ends the wait by hand, while it suspends or later.
struct HandWait {
  [[nodiscard]] bool await_ready() const noexcept { return false; }
  template <TaskLike Promise>
  [[nodiscard]] bool await_suspend(std::coroutine_handle<Promise> task) {
    wait.begin(task.promise());
    if (while_suspending) while_suspending();
    return wait.finish_suspending();
  }
  [[nodiscard]] std::optional<WaitEnd> await_resume() const { return wait.ended(); }

  OneShotWait wait;
  std::function<void()> while_suspending;
};

Task<std::optional<WaitEnd>> await_by_hand(HandWait* hand) { co_return co_await *hand; }

class OneShotWaitTest : public testing::Test {
 protected:
  void start_waiting() {
    start(loop_, await_by_hand(&hand_), outcome_);
    loop_.run_ready();
  }

  base::ManualClock clock_;
  FakeLoop loop_{clock_};
  HandWait hand_;
  Outcome<std::optional<WaitEnd>> outcome_;
};

TEST_F(OneShotWaitTest, TheFirstEndCountsAndResumesOnce) {
  start_waiting();
  EXPECT_TRUE(hand_.wait.is_waiting());
  EXPECT_FALSE(hand_.wait.ended());
  hand_.wait.end(WaitEnd::kTimedOut);
  hand_.wait.end(WaitEnd::kDone);
  hand_.wait.end_posted(WaitEnd::kCancelled);
  loop_.run_ready();
  EXPECT_EQ(outcome_.value().value(), WaitEnd::kTimedOut);
  EXPECT_FALSE(hand_.wait.is_waiting());
}

TEST_F(OneShotWaitTest, AnEndBeforeTheSuspensionIsFinishedDoesNotSuspend) {
  for (const bool posted : {false, true}) {
    HandWait hand;
    hand.while_suspending = [&] {
      if (posted) {
        hand.wait.end_posted(WaitEnd::kCancelled);
      } else {
        hand.wait.end(WaitEnd::kCancelled);
      }
      EXPECT_FALSE(hand.wait.is_waiting());
    };
    Outcome<std::optional<WaitEnd>> outcome;
    start(loop_, await_by_hand(&hand), outcome);
    loop_.run_ready();
    EXPECT_EQ(outcome.value().value(), WaitEnd::kCancelled);
  }
}

TEST_F(OneShotWaitTest, APostedEndNeverResumesInsideTheCall) {
  start_waiting();
  FunctionJob on_loop([&] {
    hand_.wait.end_posted(WaitEnd::kDone);
    EXPECT_FALSE(outcome_.is_done());
  });
  loop_.post(on_loop);
  loop_.run_ready();
  EXPECT_EQ(outcome_.value().value(), WaitEnd::kDone);
}

TEST_F(OneShotWaitTest, AnEndOnTheHomeOfTheCoroutineResumesInsideTheCall) {
  start_waiting();
  FunctionJob on_loop([&] {
    hand_.wait.end(WaitEnd::kDone);
    EXPECT_TRUE(outcome_.is_done());
  });
  loop_.post(on_loop);
  loop_.run_ready();
}

TEST_F(OneShotWaitTest, AnAbandonedWaitResumesNobody) {
  start_waiting();
  hand_.wait.abandon();
  hand_.wait.end(WaitEnd::kDone);
  loop_.run_ready();
  EXPECT_FALSE(outcome_.is_done());
  EXPECT_EQ(hand_.wait.ended(), WaitEnd::kCancelled);
}

}  // namespace
}  // namespace millrace::loop
