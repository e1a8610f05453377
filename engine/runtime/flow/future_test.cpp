#include "runtime/flow/future.h"

#include <chrono>
#include <latch>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/result.h"
#include "loop/awaitables.h"
#include "loop/event_loop.h"
#include "loop/loop.h"
#include "loop/task.h"
#include "runtime/admission.h"
#include "runtime/flow.h"
#include "runtime/worker_pool.h"

namespace millrace::runtime {
namespace {

using base::Result;
using base::Status;
using testing::HasSubstr;

struct Sum {
  int left = 0;
  int right = 0;
  int total = 0;
  std::shared_ptr<std::latch> gate = {};  // of a body that may outlive its test
};
using Answer = Result<std::shared_ptr<Sum>>;

class FutureTest : public testing::Test {
 protected:
  FutureTest() {
    FlowBuilder<Sum> builder;
    builder.cpu("add", [](Sum& sum) -> Status {
      if (sum.gate != nullptr) sum.gate->wait();
      if (sum.left < 0) return base::fail(base::ErrorCode::kInvalidArgument, "Negative");
      sum.total = sum.left + sum.right;
      return {};
    });
    builder.cpu("check", [](Sum&) {}, {.after = {"add"}});
    flow = std::make_unique<Flow<Sum>>(*builder.build());
  }
  [[nodiscard]] Future<Sum> start(Sum sum, const RunOptions& options = {}) const {
    return *flow->start(*pool, std::make_shared<Sum>(sum), options);
  }
  /// Runs a task on the loop and waits for its result on this thread.
  template <class T>
  T wait_for(loop::Task<T> task) {
    struct Done : loop::Completion<T> {
      Done() : loop::Completion<T>(&Done::ended) { open.add(1); }
      static void ended(loop::Completion<T>& self, T value) {
        static_cast<Done&>(self).value = std::move(value);
        static_cast<Done&>(self).open.done();
      }
      T value;
      WaitGroup open;
    } done;
    loop::start(*loop, std::move(task), done);
    pool->help_until_done(done.open);
    return std::move(done.value);
  }

  std::unique_ptr<loop::EventLoop> loop = *loop::EventLoop::create();
  std::unique_ptr<WorkerPool> pool = *WorkerPool::create({.compute_threads = 2});
  std::unique_ptr<Flow<Sum>> flow;
};

TEST_F(FutureTest, GivesTheContextBack) {
  Future<Sum> future = start({.left = 2, .right = 3});
  EXPECT_TRUE(future.has_run());
  const Answer answer = std::move(future).get();
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ((*answer)->total, 5);
}

TEST_F(FutureTest, AFailedRunGivesItsErrorAndNoContext) {
  const Answer answer = start({.left = -1}).get();
  ASSERT_FALSE(answer.has_value());
  EXPECT_THAT(answer.error().to_string(), HasSubstr("Negative (at node 'add'"));
}

TEST_F(FutureTest, IsReadyOnceTheAnswerIsThere) {
  const auto gate = std::make_shared<std::latch>(1);
  Future<Sum> future = start({.left = 1, .gate = gate});
  EXPECT_FALSE(future.is_ready());
  gate->count_down();
  while (!future.is_ready()) std::this_thread::yield();
  EXPECT_TRUE(std::move(future).get().has_value());
}

TEST_F(FutureTest, C7_CancelMakesTheAnswerCancelled) {
  const auto gate = std::make_shared<std::latch>(1);
  Future<Sum> future = start({.gate = gate});
  future.cancel();
  gate->count_down();
  const Answer answer = std::move(future).get();
  ASSERT_FALSE(answer.has_value());
  EXPECT_EQ(answer.error().code(), base::ErrorCode::kCancelled);
}

TEST_F(FutureTest, ADroppedFutureLetsItsRunGoOn) {
  const auto gate = std::make_shared<std::latch>(1);
  const auto sum = std::make_shared<Sum>(Sum{.left = 4, .gate = gate});
  {
    const Future<Sum> dropped = *flow->start(*pool, sum);
  }
  gate->count_down();
  flow.reset();  // waits for its runs
  EXPECT_EQ(sum->total, 4);
}

loop::Task<Answer> add_in_task(const Flow<Sum>* flow, WorkerPool* pool, Sum sum) {
  MR_CO_TRY(Future<Sum> future, flow->start(*pool, std::make_shared<Sum>(sum)));
  co_return co_await std::move(future);
}

TEST_F(FutureTest, ATaskAwaitsItAndGoesOnAtHome) {
  const auto check =
      [](const Flow<Sum>* flow, WorkerPool* pool, loop::Loop* loop) -> loop::Task<Result<bool>> {
    MR_CO_TRY(const auto sum, co_await add_in_task(flow, pool, {.left = 2, .right = 2}));
    co_return sum->total == 4 && loop->is_current();
  };
  for (int turn = 0; turn < 100; ++turn)
    EXPECT_TRUE(wait_for(check(flow.get(), pool.get(), loop.get())).value_or(false));
  const Answer failed = wait_for(add_in_task(flow.get(), pool.get(), {.left = -2}));
  EXPECT_FALSE(failed.has_value());
}

TEST_F(FutureTest, AnAnswerThatIsThereIsAwaitedWithoutAHop) {
  Future<Sum> ready = start({.left = 1});
  while (!ready.is_ready()) std::this_thread::yield();
  const auto take = [](Future<Sum> future) -> loop::Task<Answer> {
    co_return co_await std::move(future);
  };
  EXPECT_EQ((*wait_for(take(std::move(ready))))->total, 1);
}

TEST_F(FutureTest, WaitingOnTheLoopOfTheRunIsRefused) {
  const auto get_on_loop = [](const Flow<Sum>* flow,
                              WorkerPool* pool,
                              loop::Loop* loop,
                              std::shared_ptr<std::latch> gate) -> loop::Task<Answer> {
    auto sum = std::make_shared<Sum>(Sum{.gate = gate});
    MR_CO_TRY(Future<Sum> future, flow->start(*pool, sum, {.loop = loop}));
    Answer answer = std::move(future).get();
    gate->count_down();
    co_return answer;
  };
  const auto gate = std::make_shared<std::latch>(1);
  const Answer answer = wait_for(get_on_loop(flow.get(), pool.get(), loop.get(), gate));
  ASSERT_FALSE(answer.has_value());
  EXPECT_THAT(answer.error().message(), HasSubstr("co_await the future instead"));
}

TEST_F(FutureTest, C12_ABudgetThatIsOverNamesWhatTheRunWaitedFor) {
  const auto gate = std::make_shared<std::latch>(1);
  const Answer answer =
      start({.gate = gate}, {.budget = std::chrono::milliseconds(2), .loop = loop.get()}).get();
  gate->count_down();
  ASSERT_FALSE(answer.has_value());
  EXPECT_EQ(answer.error().code(), base::ErrorCode::kDeadlineExceeded);
  // "was running", or "waited for a thread" where the machine is slow.
  EXPECT_THAT(answer.error().message(), HasSubstr("; node 'add' wa"));
}

TEST_F(FutureTest, ARunThatIsNotAdmittedHasNoFuture) {
  const auto made = Admission::create({.inflight_max = 1}, *pool);
  ASSERT_TRUE(made.has_value());
  Admission& admission = **made;
  const auto gate = std::make_shared<std::latch>(1);
  auto first = flow->try_start(admission, *pool, std::make_shared<Sum>(Sum{.gate = gate}));
  ASSERT_TRUE(first.has_value());
  const auto second = flow->try_start(admission, *pool, std::make_shared<Sum>());
  gate->count_down();
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().code(), base::ErrorCode::kBusy);
  EXPECT_TRUE(std::move(*first).get().has_value());
}

TEST_F(FutureTest, MoreThreadsThanThePoolHasPlacesForMayWait) {
  const auto gate = std::make_shared<std::latch>(1);
  constexpr std::uint32_t kWaiters = WorkerPool::kSlotMax + 8;
  std::vector<std::jthread> waiters;
  std::latch started(kWaiters);
  for (std::uint32_t index = 0; index < kWaiters; ++index) {
    waiters.emplace_back([this, gate, &started] {
      Future<Sum> future = start({.left = 1, .gate = gate});
      started.count_down();
      EXPECT_TRUE(std::move(future).get().has_value());
    });
  }
  started.wait();
  gate->count_down();
}

}  // namespace
}  // namespace millrace::runtime
