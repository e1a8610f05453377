#include "base/result.h"

#include <coroutine>
#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "base/error.h"

namespace millrace::base {
namespace {

Result<std::unique_ptr<int>> make_number(int value) {
  if (value < 0)
    return fail(ErrorCode::kInvalidArgument, "Negative: " + std::to_string(value), "x");
  return std::make_unique<int>(value);
}

Status check_even(int value) {
  if (value % 2 != 0) return fail(ErrorCode::kInvalidArgument, "Odd: " + std::to_string(value));
  return {};
}

Result<int> add_even(int left, int right) {
  MR_TRY(const std::unique_ptr<int> a, make_number(left));
  MR_TRY(const std::unique_ptr<int> b, make_number(right));
  MR_TRY_STATUS(check_even(*a));
  MR_TRY_STATUS(check_even(*b));
  return *a + *b;
}

TEST(ResultTest, TryGivesTheValueOfMoveOnlyTypes) { EXPECT_EQ(add_even(2, 4).value(), 6); }

TEST(ResultTest, TryReturnsTheFirstErrorUnchanged) {
  const Result<int> sum = add_even(-3, -1);
  ASSERT_FALSE(sum.has_value());
  EXPECT_EQ(sum.error().to_string(), "invalid_argument: Negative: -3 (at x)");
}

TEST(ResultTest, TryStatusReturnsTheError) {
  const Result<int> sum = add_even(2, 5);
  ASSERT_FALSE(sum.has_value());
  EXPECT_EQ(sum.error().message(), "Odd: 5");
}

TEST(ResultTest, TryEvaluatesItsExpressionOnce) {
  int calls = 0;
  const auto twice = [&calls]() -> Status {
    MR_TRY([[maybe_unused]] const int value, [&calls]() -> Result<int> { return ++calls; }());
    return {};
  };
  EXPECT_TRUE(twice().has_value());
  EXPECT_EQ(calls, 1);
}

TEST(ResultTest, SuccessIsTwoWords) { EXPECT_EQ(sizeof(Result<void*>), 2 * sizeof(void*)); }

/// The smallest coroutine that can return a Result.
struct Immediate {
  struct promise_type {
    Result<int> result = 0;
    Immediate get_return_object() {
      return {std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_value(Result<int> value) { result = std::move(value); }
    void unhandled_exception() {}
  };

  [[nodiscard]] Result<int> take() const {
    Result<int> result = handle.promise().result;
    handle.destroy();
    return result;
  }

  std::coroutine_handle<promise_type> handle;
};

Immediate co_add_even(int left, int right) {
  MR_CO_TRY(const std::unique_ptr<int> a, make_number(left));
  MR_CO_TRY_STATUS(check_even(right));
  co_return *a + right;
}

TEST(ResultTest, CoTryWorksInCoroutines) {
  EXPECT_EQ(co_add_even(1, 2).take().value(), 3);
  EXPECT_EQ(co_add_even(-1, 2).take().error().message(), "Negative: -1");
  EXPECT_EQ(co_add_even(1, 3).take().error().message(), "Odd: 3");
}

}  // namespace
}  // namespace millrace::base
