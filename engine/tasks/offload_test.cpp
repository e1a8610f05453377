#include "tasks/offload.h"

#include <chrono>
#include <memory>
#include <stdexcept>
#include <utility>

#include <gtest/gtest.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/result.h"
#include "loop/fake_loop.h"
#include "loop/loop_fixture.h"
#include "loop/stop.h"
#include "loop/task.h"

namespace millrace::tasks {
namespace {

using base::ErrorCode;
using base::Result;
using loop::Outcome;
using std::chrono_literals::operator""ms;

template <class Function>
loop::Task<typename Offload<Function>::Value> offload(Function function, OffloadOptions options) {
  co_return co_await Offload<Function>(std::move(function), options);
}

/// Two loops in virtual time; the second one acts as the workers.
struct OffloadTest : ::testing::Test {
  base::ManualClock clock;
  loop::FakeLoop loop{clock};
  loop::FakeLoop workers{clock};
  loop::StopSource stop;

  [[nodiscard]] OffloadOptions options() {
    return {.loop = &loop, .workers = &workers, .stop = stop.token()};
  }
};

TEST_F(OffloadTest, TSK3_RunsOnAWorkerAndComesBackToTheLoop) {
  Outcome<Result<int>> outcome;
  bool on_worker = false;
  auto function = [&] {
    on_worker = workers.is_current();
    return 7;
  };
  loop::start(loop, offload(function, options()), outcome);
  loop.run_ready();
  EXPECT_FALSE(outcome.is_done());
  workers.run_ready();
  EXPECT_FALSE(outcome.is_done());
  loop.run_ready();
  EXPECT_EQ(outcome.value().value(), 7);
  EXPECT_TRUE(on_worker);
}

TEST_F(OffloadTest, TSK3_TimeoutLeavesTheWorkBehind) {
  Outcome<Result<int>> outcome;
  auto owned = std::make_shared<int>(3);
  const std::weak_ptr<int> watched = owned;
  OffloadOptions with_limit = options();
  with_limit.when = clock.now() + 5ms;
  auto function = [owned = std::move(owned)] { return *owned; };
  loop::start(loop, offload(std::move(function), with_limit), outcome);
  loop.run_ready();
  loop.advance(5ms);
  EXPECT_EQ(outcome.value().error().code(), ErrorCode::kTimeout);
  EXPECT_FALSE(watched.expired());
  workers.run_ready();
  EXPECT_TRUE(watched.expired());
}

TEST_F(OffloadTest, TSK3_StopEndsTheWait) {
  Outcome<Result<int>> outcome;
  loop::start(loop, offload([] { return 1; }, options()), outcome);
  loop.run_ready();
  stop.request_stop();
  loop.run_ready();
  EXPECT_EQ(outcome.value().error().code(), ErrorCode::kCancelled);
}

TEST_F(OffloadTest, TSK3_StopBeforehandRunsNothing) {
  Outcome<Result<int>> outcome;
  bool ran = false;
  stop.request_stop();
  loop::start(loop, offload([&ran] { return ran = true, 1; }, options()), outcome);
  loop.run_ready();
  workers.run_ready();
  EXPECT_EQ(outcome.value().error().code(), ErrorCode::kCancelled);
  EXPECT_FALSE(ran);
}

TEST_F(OffloadTest, ErrorsAndExceptionsComeBackAsErrors) {
  Outcome<Result<int>> failed;
  Outcome<Result<void>> thrown;
  auto fails = []() -> Result<int> { return base::fail(ErrorCode::kNotFound, "none"); };
  auto throws = [] { throw std::runtime_error("oops"); };
  loop::start(loop, offload(fails, options()), failed);
  loop::start(loop, offload(throws, options()), thrown);
  loop.run_ready();
  workers.run_ready();
  loop.run_ready();
  EXPECT_EQ(failed.value().error().code(), ErrorCode::kNotFound);
  EXPECT_EQ(thrown.value().error().code(), ErrorCode::kNodeFailed);
}

}  // namespace
}  // namespace millrace::tasks
