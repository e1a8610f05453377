#include <chrono>
#include <cstdint>

#include <gtest/gtest.h>

#include "base/block_pool.h"
#include "base/clock.h"
#include "loop/awaitables.h"
#include "loop/executor.h"
#include "loop/fake_loop.h"
#include "loop/loop.h"
#include "loop/loop_fixture.h"
#include "loop/stop.h"
#include "loop/task.h"

// When tasks end, are given up, and give back what they hold.

namespace millrace::loop {
namespace {

using std::chrono::milliseconds;

class TaskLifetimeTest : public testing::Test {
 protected:
  base::ManualClock clock_;
  FakeLoop loop_{clock_};
};

Task<int> give(int value) { co_return value; }

/// Counts how many of its kind are alive.
class Tracked {
 public:
  explicit Tracked(int* alive) : alive_(alive) { ++*alive_; }
  Tracked(const Tracked& other) : Tracked(other.alive_) {}
  Tracked& operator=(const Tracked&) = delete;
  ~Tracked() { --*alive_; }

 private:
  int* alive_;
};

Task<> sleep_below(Loop* loop, int depth, Tracked tracked) {
  if (depth > 0) {
    co_await sleep_below(loop, depth - 1, tracked);
  } else {
    static_cast<void>(co_await sleep_for(*loop, milliseconds(10)));
  }
}

TEST_F(TaskLifetimeTest, ATaskThatNeverStartedReleasesItsParameters) {
  int alive = 0;
  {
    const Task<> task = sleep_below(&loop_, 3, Tracked(&alive));
  }
  EXPECT_EQ(alive, 0);
}

TEST_F(TaskLifetimeTest, AnAbandonedTaskReleasesTheWholeChainAndItsTimer) {
  int alive = 0;
  {
    Outcome<void> outcome;
    start(loop_, sleep_below(&loop_, 3, Tracked(&alive)), outcome);
    loop_.run_ready();
    EXPECT_TRUE(outcome.in_flight());
    EXPECT_GE(alive, 4);
    EXPECT_TRUE(loop_.next_deadline().has_value());
  }
  EXPECT_EQ(alive, 0);
  EXPECT_FALSE(loop_.next_deadline().has_value());
}

/// Notes the stack depth at which it is destroyed.
class TouchesWhenDestroyed {
 public:
  explicit TouchesWhenDestroyed(StackSpan* span) : span_(span) {}
  TouchesWhenDestroyed(const TouchesWhenDestroyed&) = default;
  TouchesWhenDestroyed& operator=(const TouchesWhenDestroyed&) = delete;
  ~TouchesWhenDestroyed() { span_->touch(); }

 private:
  StackSpan* span_;
};
Task<> sleep_deep(Loop* loop, int depth, StackSpan* span, int* awake) {
  ++*awake;
  const TouchesWhenDestroyed last(span);
  if (depth > 0) {
    co_await sleep_deep(loop, depth - 1, span, awake);
  } else {
    static_cast<void>(co_await sleep_for(*loop, milliseconds(10)));
  }
}

TEST_F(TaskLifetimeTest, AbandoningADeepChainUsesAFlatStack) {
  StackSpan span;
  int awake = 0;
  Outcome<void> outcome;
  start(loop_, sleep_deep(&loop_, 20'000, &span, &awake), outcome);
  loop_.run_ready();
  EXPECT_EQ(awake, 20'001);
  outcome.abandon();
  EXPECT_LT(span.bytes(), kFlatBytes);
  EXPECT_FALSE(outcome.is_done());
}

TEST_F(TaskLifetimeTest, AbandoningAQueuedTaskReleasesItAtOnceAndItsJobDoesNothing) {
  int alive = 0;
  {
    Outcome<void> outcome;
    start(loop_, sleep_below(&loop_, 0, Tracked(&alive)), outcome);
    EXPECT_EQ(alive, 1) << "the first step is still queued";
  }
  EXPECT_EQ(alive, 0);
  EXPECT_EQ(loop_.run_ready(), 1u);
}

TEST_F(TaskLifetimeTest, AbandoningATaskWhoseCancellationIsQueuedIsSafe) {
  int alive = 0;
  StopSource source;
  const auto body = [](Loop* loop, StopToken token, Tracked) -> Task<> {
    static_cast<void>(co_await sleep_for(*loop, milliseconds(10), token));
  };
  {
    Outcome<void> outcome;
    start(loop_, body(&loop_, source.token(), Tracked(&alive)), outcome);
    loop_.run_ready();
    source.request_stop();
    EXPECT_TRUE(loop_.has_ready());
  }
  EXPECT_EQ(alive, 0);
  EXPECT_EQ(loop_.run_ready(), 1u);
}

class SelfDestroying : public Completion<int> {
 public:
  explicit SelfDestroying(int* result) : Completion<int>(&finish), result_(result) {}

 private:
  static void finish(Completion<int>& completion, Value value) {
    auto* const self = static_cast<SelfDestroying*>(&completion);
    EXPECT_FALSE(self->in_flight());
    *self->result_ = value.value();
    delete self;
  }
  int* result_;
};

TEST_F(TaskLifetimeTest, DoneMayDestroyTheCompletion) {
  int result = 0;
  start(loop_, give(42), *new SelfDestroying(&result));
  loop_.run_ready();
  EXPECT_EQ(result, 42);
}

class Restarting : public Completion<int> {
 public:
  explicit Restarting(Executor& home) : Completion<int>(&finish), home_(home) {}
  int sum = 0;

 private:
  static void finish(Completion<int>& completion, Value value) {
    auto& self = static_cast<Restarting&>(completion);
    self.sum += value.value();
    if (value.value() < 3) start(self.home_, give(value.value() + 1), completion);
  }
  Executor& home_;
};

TEST_F(TaskLifetimeTest, DoneMayStartAnotherTask) {
  Restarting completion(loop_);
  start(loop_, give(1), completion);
  loop_.run_ready();
  EXPECT_EQ(completion.sum, 1 + 2 + 3);
}

TEST_F(TaskLifetimeTest, K3_AWarmTaskTakesNothingFromTheHeap) {
  int alive = 0;
  const auto round = [&] {
    Outcome<void> outcome;
    start(loop_, sleep_below(&loop_, 3, Tracked(&alive)), outcome);
    loop_.advance(milliseconds(10));
    EXPECT_TRUE(outcome.is_done());
  };
  round();
  const std::uint64_t before = base::BlockPool::counters().from_heap;
  for (int i = 0; i < 100; ++i) round();
  EXPECT_EQ(base::BlockPool::counters().from_heap, before);
}

}  // namespace
}  // namespace millrace::loop
