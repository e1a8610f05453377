#include "loop/task_promise.h"

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/block_pool.h"
#include "loop/executor.h"

namespace millrace::loop {
namespace {

/// Keeps what is posted until told to run it.
class QueueExecutor final : public Executor {
 public:
  void post(Job& job) override { jobs.push_back(&job); }
  [[nodiscard]] bool is_current() const override { return is_here; }
  void run_all() {
    is_here = true;
    for (std::size_t next = 0; next < jobs.size(); ++next) jobs[next]->run(*jobs[next]);
    jobs.clear();
    is_here = false;
  }
  std::vector<Job*> jobs;
  bool is_here = false;
};

/// The least that is a task coroutine: hands over at its end and keeps no result.
struct Probe {
  struct promise_type : TaskPromise {
    promise_type() : TaskPromise(std::coroutine_handle<promise_type>::from_promise(*this)) {}
    Probe get_return_object() { return {this}; }
    struct HandOver {
      static bool await_ready() noexcept { return false; }
      static std::coroutine_handle<> await_suspend(
          std::coroutine_handle<promise_type> self) noexcept {
        return self.promise().end();
      }
      static void await_resume() noexcept {}
    };
    static HandOver final_suspend() noexcept { return {}; }
    static void return_void() {}
    static void unhandled_exception() { std::terminate(); }
  };
  promise_type* promise;
};

/// Waits for a child, as `co_await task` does.
struct ChildWait {
  Probe child;
  ChildSlot slot{};
  static bool await_ready() noexcept { return false; }
  template <class Promise>
  std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> parent) {
    slot.child = child.promise;
    return child.promise->begin_child(parent.promise(), slot);
  }
  static void await_resume() noexcept {}
  ~ChildWait() {
    if (slot.child != nullptr) slot.child->destroy();
  }
};

/// Moves to another executor, as `co_await on(executor)` does.
struct Move {
  Executor& to;
  static bool await_ready() noexcept { return false; }
  template <class Promise>
  bool await_suspend(std::coroutine_handle<Promise> self) {
    return self.promise().move_to(to);
  }
  static void await_resume() noexcept {}
};

struct Log {
  std::string text;
  int finished_count = 0;
  static void finish(void* self) { ++static_cast<Log*>(self)->finished_count; }
};

class TaskPromiseTest : public testing::Test {
 protected:
  Log log;
  QueueExecutor home;
  QueueExecutor elsewhere;
  TaskChain& chain = TaskChain::make(&Log::finish, &log);
};

Probe say(Log* log, std::string word) {
  log->text += word;
  co_return;
}
Probe wait_for_child_elsewhere(Log* log, Executor* to) {
  log->text += "parent ";
  ChildWait wait{[](Log* inner, Executor* there) -> Probe {
    inner->text += "child ";
    Move move{*there};
    co_await move;
    inner->text += "moved ";
  }(log, to)};
  co_await wait;
  log->text += "home";
}

TEST_F(TaskPromiseTest, BeginsInsideTheCallWhenAtHome) {
  Probe probe = say(&log, "ran");
  home.is_here = true;
  probe.promise->begin(home, chain);
  EXPECT_EQ(log.text, "ran");
  EXPECT_EQ(log.finished_count, 1);
  EXPECT_TRUE(home.jobs.empty());
  probe.promise->destroy();
  chain.release();
}

TEST_F(TaskPromiseTest, IsPostedWhenItsHomeIsElsewhere) {
  Probe probe = say(&log, "ran");
  probe.promise->begin(home, chain);
  EXPECT_EQ(log.text, "");
  ASSERT_EQ(home.jobs.size(), 1U);
  home.run_all();
  EXPECT_EQ(log.text, "ran");
  probe.promise->destroy();
  chain.release();
}

TEST_F(TaskPromiseTest, AParentGoesOnAtItsOwnHome) {
  Probe probe = wait_for_child_elsewhere(&log, &elsewhere);
  home.is_here = true;
  probe.promise->begin(home, chain);
  home.is_here = false;
  EXPECT_EQ(log.text, "parent child ");
  elsewhere.run_all();
  EXPECT_EQ(log.text, "parent child moved ");  // the child is over; its parent waits for its home
  home.run_all();
  EXPECT_EQ(log.text, "parent child moved home");
  EXPECT_EQ(log.finished_count, 1);
  probe.promise->destroy();
  chain.release();
}

TEST_F(TaskPromiseTest, MovingToWhereItIsMakesNoHop) {
  Probe probe = wait_for_child_elsewhere(&log, &elsewhere);
  home.is_here = true;
  elsewhere.is_here = true;
  probe.promise->begin(home, chain);
  EXPECT_EQ(log.text, "parent child moved home");
  EXPECT_TRUE(elsewhere.jobs.empty());
  probe.promise->destroy();
  chain.release();
}

TEST_F(TaskPromiseTest, DestroyingAWaitingParentTakesItsChildrenAlong) {
  Probe probe = wait_for_child_elsewhere(&log, &elsewhere);
  home.is_here = true;
  probe.promise->begin(home, chain);
  ASSERT_EQ(elsewhere.jobs.size(), 1U);
  probe.promise->destroy();
  chain.release();  // its job is still queued: the block stays until that has come out
  elsewhere.run_all();
  EXPECT_EQ(log.text, "parent child ");
  EXPECT_EQ(log.finished_count, 0);
}

TEST_F(TaskPromiseTest, K3_FramesAndChainsAreReused) {
  const auto run_once = [&] {
    Probe probe = wait_for_child_elsewhere(&log, &elsewhere);
    TaskChain& own = TaskChain::make(&Log::finish, &log);
    probe.promise->begin(home, own);
    home.run_all();
    elsewhere.run_all();
    home.run_all();
    probe.promise->destroy();
    own.release();
  };
  run_once();
  const std::uint64_t before = base::BlockPool::counters().from_heap;
  for (int turn = 0; turn < 10; ++turn) run_once();
  EXPECT_EQ(base::BlockPool::counters().from_heap, before);
  chain.release();
}

}  // namespace
}  // namespace millrace::loop
