#include "loop/awaitables.h"

#include <chrono>
#include <cstddef>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/result.h"
#include "loop/fake_loop.h"
#include "loop/loop.h"
#include "loop/loop_fixture.h"
#include "loop/stop.h"
#include "loop/task.h"

namespace millrace::loop {
namespace {

using base::ErrorCode;
using base::Status;
using std::chrono::milliseconds;

base::TimePoint at(int ms) { return base::TimePoint(milliseconds(ms)); }

class SleepTest : public testing::Test {
 protected:
  base::ManualClock clock_;
  FakeLoop loop_{clock_};
};

Task<Status> sleep_once(Loop* loop, base::TimePoint when, StopToken token) {
  co_return co_await sleep_until(*loop, when, token);
}
Task<> log_after(Loop* loop, base::Duration span, std::vector<int>* log, int number) {
  static_cast<void>(co_await sleep_for(*loop, span));
  log->push_back(number);
}

TEST_F(SleepTest, EndsAtItsTimeAndNotBefore) {
  Outcome<Status> outcome;
  start(loop_, sleep_once(&loop_, at(10), {}), outcome);
  loop_.advance_to(at(10) - base::Duration(1));
  EXPECT_FALSE(outcome.is_done());
  loop_.advance_to(at(10));
  EXPECT_TRUE(outcome.value().has_value());
}

TEST_F(SleepTest, SleepersWakeInOrderOfTime) {
  std::vector<int> log;
  Outcome<void> one, two, three;
  start(loop_, log_after(&loop_, milliseconds(30), &log, 1), one);
  start(loop_, log_after(&loop_, milliseconds(10), &log, 2), two);
  start(loop_, log_after(&loop_, milliseconds(10), &log, 3), three);
  loop_.advance_to(at(30));
  EXPECT_EQ(log, (std::vector<int>{2, 3, 1}));
}

TEST_F(SleepTest, AStopRequestEndsItEarly) {
  StopSource source;
  Outcome<Status> outcome;
  start(loop_, sleep_once(&loop_, at(10), source.token()), outcome);
  loop_.advance_to(at(4));
  source.request_stop();
  EXPECT_FALSE(outcome.is_done()) << "the requester never runs the task itself";
  loop_.run_ready();
  ASSERT_FALSE(outcome.value().has_value());
  EXPECT_EQ(outcome.value().error().code(), ErrorCode::kCancelled);
  EXPECT_FALSE(loop_.next_deadline().has_value()) << "the timer is taken back";
}

TEST_F(SleepTest, AStopRequestedBeforeEndsItAtOnce) {
  StopSource source;
  source.request_stop();
  Outcome<Status> outcome;
  start(loop_, sleep_once(&loop_, at(10), source.token()), outcome);
  EXPECT_TRUE(loop_.run_one());
  EXPECT_EQ(outcome.value().error().code(), ErrorCode::kCancelled);
}

TEST_F(SleepTest, AStopAfterTheEndIsHarmless) {
  StopSource source;
  Outcome<Status> outcome;
  start(loop_, sleep_once(&loop_, at(10), source.token()), outcome);
  loop_.advance_to(at(10));
  EXPECT_TRUE(outcome.value().has_value());
  source.request_stop();
  EXPECT_FALSE(loop_.has_ready());
}

TEST_F(SleepTest, OneRequestEndsAllSleepersOfItsToken) {
  StopSource source;
  std::vector<std::unique_ptr<Outcome<Status>>> outcomes;
  for (int i = 0; i < 20; ++i) {
    outcomes.push_back(std::make_unique<Outcome<Status>>());
    start(loop_, sleep_once(&loop_, at(10 + i), source.token()), *outcomes.back());
  }
  loop_.advance_to(at(14));
  source.request_stop();
  loop_.run_ready();
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(outcomes[static_cast<std::size_t>(i)]->value().has_value(), i < 5) << i;
  }
}

TEST_F(SleepTest, ATaskThatLivesElsewhereGoesOnAtItsHome) {
  FakeLoop home(clock_);
  Outcome<Status> fired, cancelled;
  StopSource source;
  start(home, sleep_once(&loop_, at(10), {}), fired);
  start(home, sleep_once(&loop_, at(10), source.token()), cancelled);
  home.run_ready();
  source.request_stop();
  loop_.advance_to(at(10));
  EXPECT_FALSE(fired.is_done());
  EXPECT_FALSE(cancelled.is_done());
  home.run_ready();
  EXPECT_TRUE(fired.value().has_value());
  EXPECT_EQ(cancelled.value().error().code(), ErrorCode::kCancelled);
}

TEST_F(SleepTest, ALoopThatEndsCancelsItsSleepers) {
  Outcome<Status> outcome;
  {
    FakeLoop loop(clock_);
    start(loop, sleep_once(&loop, at(10), {}), outcome);
    loop.run_ready();
  }
  EXPECT_EQ(outcome.value().error().code(), ErrorCode::kCancelled);
}

}  // namespace
}  // namespace millrace::loop
