#include "loop/task.h"

#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/result.h"
#include "loop/awaitables.h"
#include "loop/executor.h"
#include "loop/fake_loop.h"
#include "loop/loop_fixture.h"

namespace millrace::loop {
namespace {

using base::ErrorCode;
using base::Result;
using std::chrono::milliseconds;

class TaskTest : public testing::Test {
 protected:
  base::ManualClock clock_;
  FakeLoop loop_{clock_};
};

Task<int> give(int value) { co_return value; }
Task<> do_nothing() { co_return; }
Task<int> add(int left, int right) { co_return co_await give(left) + co_await give(right); }
Task<Result<int>> halve(int value) {
  if (value % 2 != 0) co_return base::fail(ErrorCode::kInvalidArgument, "Odd", "value");
  co_return value / 2;
}
Task<Result<int>> quarter(int value) {
  MR_CO_TRY(const int half, co_await halve(value));
  MR_CO_TRY(const int result, co_await halve(half));
  co_return result;
}
Task<std::unique_ptr<int>> box(int value) { co_return std::make_unique<int>(value); }
Task<int> unbox(int value) {
  const std::unique_ptr<int> boxed = co_await box(value);
  co_return *boxed;
}

TEST_F(TaskTest, IsLazy) {
  bool ran = false;
  const auto body = [](bool* flag) -> Task<> {
    *flag = true;
    co_return;
  };
  Task<> task = body(&ran);
  EXPECT_FALSE(ran);
  Outcome<void> outcome;
  start(loop_, std::move(task), outcome);
  EXPECT_FALSE(ran) << "we are not on the loop, so the task is posted";
  loop_.run_ready();
  EXPECT_TRUE(ran);
  EXPECT_TRUE(outcome.value().has_value());
}

TEST_F(TaskTest, StartsInsideTheCallWhenAtHome) {
  Outcome<int> outcome;
  bool done_inside = false;
  FunctionJob job([&] {
    start(loop_, give(7), outcome);
    done_inside = outcome.is_done();
  });
  loop_.post(job);
  loop_.run_ready();
  EXPECT_TRUE(done_inside);
  EXPECT_EQ(outcome.value().value(), 7);
}

TEST_F(TaskTest, GivesValuesOfEveryKind) {
  Outcome<int> sum, boxed;
  Outcome<void> nothing;
  Outcome<Result<int>> good, bad;
  start(loop_, add(2, 3), sum);
  start(loop_, unbox(9), boxed);
  start(loop_, do_nothing(), nothing);
  start(loop_, quarter(12), good);
  start(loop_, quarter(6), bad);
  loop_.run_ready();
  EXPECT_EQ(sum.value().value(), 5);
  EXPECT_EQ(boxed.value().value(), 9);
  EXPECT_TRUE(nothing.value().has_value());
  EXPECT_EQ(good.value().value(), 3);
  ASSERT_FALSE(bad.value().has_value());
  EXPECT_EQ(bad.value().error().code(), ErrorCode::kInvalidArgument);
}

Task<int> fail_by_exception(bool fails) {
  if (fails) throw std::runtime_error("no luck");
  co_return 1;
}
Task<int> recover() {
  try {
    co_return co_await fail_by_exception(true);
  } catch (const std::runtime_error& error) {
    co_return static_cast<int>(std::string(error.what()).size());
  }
}
Task<int> pass_on() { co_return co_await fail_by_exception(true) + 1; }
Task<Result<int>> throw_a_number() {
  throw 5;
  co_return 0;
}

TEST_F(TaskTest, ExceptionReachesTheAwaitingTask) {
  Outcome<int> outcome;
  start(loop_, recover(), outcome);
  loop_.run_ready();
  EXPECT_EQ(outcome.value().value(), 7);
}

TEST_F(TaskTest, C6_UncaughtExceptionBecomesAnError) {
  Outcome<int> from_child;
  Outcome<Result<int>> unknown;
  start(loop_, pass_on(), from_child);
  start(loop_, throw_a_number(), unknown);
  loop_.run_ready();
  ASSERT_FALSE(from_child.value().has_value());
  EXPECT_EQ(from_child.value().error().code(), ErrorCode::kNodeFailed);
  EXPECT_EQ(from_child.value().error().message(), "Task threw: no luck");
  ASSERT_FALSE(unknown.value().has_value());
  EXPECT_EQ(unknown.value().error().code(), ErrorCode::kNodeFailed);
}

Task<int> touch_once(StackSpan* span) {
  span->touch();
  co_return 1;
}
Task<int> await_many(StackSpan* span, int count) {
  int sum = 0;
  for (int i = 0; i < count; ++i) {
    sum += co_await touch_once(span);
    span->touch();
  }
  co_return sum;
}
Task<int> await_deep(StackSpan* span, int depth) {
  span->touch();
  if (depth == 0) co_return 0;
  const int below = co_await await_deep(span, depth - 1);
  span->touch();
  co_return below + 1;
}

TEST_F(TaskTest, AMillionAwaitsUseAFlatStack) {
  StackSpan span;
  Outcome<int> outcome;
  start(loop_, await_many(&span, 1'000'000), outcome);
  loop_.run_ready();
  EXPECT_EQ(outcome.value().value(), 1'000'000);
  EXPECT_LT(span.bytes(), kFlatBytes);
}

TEST_F(TaskTest, AChainOfAHundredThousandChildrenUsesAFlatStack) {
  StackSpan span;
  Outcome<int> outcome;
  start(loop_, await_deep(&span, 100'000), outcome);
  loop_.run_ready();
  EXPECT_EQ(outcome.value().value(), 100'000);
  EXPECT_LT(span.bytes(), kFlatBytes);
}

Task<> note_where(std::vector<std::string>* log, Executor* first, Executor* second) {
  const auto where = [&] {
    return first->is_current() ? "first" : second->is_current() ? "second" : "nowhere";
  };
  log->emplace_back(where());
  co_await on(*second);
  log->emplace_back(where());
}
Task<> come_back_from(std::vector<std::string>* log, Executor* first, Executor* second) {
  co_await note_where(log, first, second);
  log->emplace_back(first->is_current() ? "parent at home" : "parent astray");
}

TEST_F(TaskTest, ParentGoesOnAtHomeWhenItsChildEndsElsewhere) {
  FakeLoop other(clock_);
  std::vector<std::string> log;
  Outcome<void> outcome;
  start(loop_, come_back_from(&log, &loop_, &other), outcome);
  loop_.run_ready();
  EXPECT_EQ(log, (std::vector<std::string>{"first"}));
  other.run_ready();
  EXPECT_EQ(log, (std::vector<std::string>{"first", "second"}));
  loop_.run_ready();
  EXPECT_EQ(log, (std::vector<std::string>{"first", "second", "parent at home"}));
  EXPECT_TRUE(outcome.is_done());
}

TEST_F(TaskTest, ResultComesWhereTheBodyEnded) {
  FakeLoop other(clock_);
  std::vector<std::string> log;
  Outcome<void> outcome;
  start(loop_, note_where(&log, &loop_, &other), outcome);
  loop_.run_ready();
  EXPECT_FALSE(outcome.is_done());
  other.run_ready();
  EXPECT_TRUE(outcome.is_done());
}

Task<> move_to_where_it_is(Executor* home) {
  for (int i = 0; i < 10; ++i) co_await on(*home);
}

TEST_F(TaskTest, MovingToTheCurrentExecutorMakesNoHop) {
  Outcome<void> outcome;
  start(loop_, move_to_where_it_is(&loop_), outcome);
  EXPECT_TRUE(loop_.run_one());
  EXPECT_TRUE(outcome.is_done());
}

TEST_F(TaskTest, ChildrenAtHomeMakeNoHop) {
  Outcome<int> outcome;
  start(loop_, add(1, 2), outcome);
  EXPECT_TRUE(loop_.run_one());
  EXPECT_TRUE(outcome.is_done());
}

TEST_F(TaskTest, MovingATaskMovesTheCoroutine) {
  Task<int> first = give(3);
  Task<int> second = std::move(first);
  // NOLINTNEXTLINE(bugprone-use-after-move): what the move leaves is empty
  EXPECT_FALSE(first.has_coroutine());
  second = give(4);
  Outcome<int> outcome;
  start(loop_, std::move(second), outcome);
  loop_.run_ready();
  EXPECT_EQ(outcome.value().value(), 4);
}

}  // namespace
}  // namespace millrace::loop
