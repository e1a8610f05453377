#include <atomic>
#include <cstdint>
#include <memory>
#include <semaphore>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/result.h"
#include "loop/fake_loop.h"
#include "loop/loop_fixture.h"
#include "runtime/node_call.h"
#include "runtime/run.h"
#include "runtime/run_pool.h"
#include "runtime/scheduler_fixture.h"
#include "runtime/topology/node.h"
#include "runtime/worker.h"
#include "runtime/worker_pool.h"

// Flows inside bodies and jobs, and pools that have no thread of their own.

namespace millrace::runtime {
namespace {

TEST(NestedRunsTest, D7_AJobMayRunAFlow) {
  TestScheduler lab({.compute_threads = 1});
  TestDag dag({noting_node("a"), noting_node("b", {"a"})});
  Notes notes;
  base::Status status = base::fail(base::ErrorCode::kInternal, "The job did not run");
  loop::FunctionJob job([&] { status = dag.runs().run(*lab.pool, &notes, {}); });
  lab.pool->post(job);
  lab.settle();
  EXPECT_TRUE(status.has_value());
  EXPECT_EQ(notes.text(), "a b");
  EXPECT_EQ(lab.pool->ready_count(), 0);
}

/// A flow whose only body runs the flow again, `left` times.
struct Recursion {
  WorkerPool* pool = nullptr;
  TestDag* dag = nullptr;
  std::uint32_t left = 0;
  std::uint32_t depth = 0;
  base::Status innermost = {};
};

NodeSpec recursing_node() {
  NodeSpec spec;
  spec.id = "again";
  spec.body = [](const void*, NodeCall& call) {
    auto& recursion = *static_cast<Recursion*>(call.context());
    if (recursion.left == 0) return true;
    --recursion.left;
    ++recursion.depth;
    const base::Status inner = recursion.dag->runs().run(*recursion.pool, &recursion, {});
    if (!inner && recursion.innermost) recursion.innermost = inner;
    return true;
  };
  return spec;
}

TEST(NestedRunsTest, D7_RunsInsideRunsAreBounded) {
  const auto pool = *WorkerPool::create({.compute_threads = 1});
  TestDag dag({recursing_node()});
  Recursion shallow{.pool = pool.get(), .dag = &dag, .left = 100};
  EXPECT_TRUE(dag.runs().run(*pool, &shallow, {}).has_value());
  EXPECT_TRUE(shallow.innermost.has_value());
  Recursion deep{.pool = pool.get(), .dag = &dag, .left = 100'000};
  EXPECT_TRUE(dag.runs().run(*pool, &deep, {}).has_value());
  ASSERT_FALSE(deep.innermost.has_value());
  EXPECT_EQ(deep.innermost.error().code(), base::ErrorCode::kResourceExhausted);
  EXPECT_EQ(deep.depth, Worker::kNestingMax + 1);
}

TEST(NestedRunsTest, D7_APoolWithoutThreadsServesALoop) {
  const auto pool = *WorkerPool::create({.compute_threads = 1});
  ASSERT_EQ(pool->thread_count(), 0U);
  base::ManualClock clock;
  loop::FakeLoop loop(clock);
  TestDag dag({noting_node("a"), noting_node("b", {"a"})});
  const auto notes = std::make_shared<Notes>();
  std::binary_semaphore done{0};
  const RunObserver observer{
      .on_answer = [](runtime::Run&,
                      void* data) { static_cast<std::binary_semaphore*>(data)->release(); },
      .data = &done};
  const auto run = dag.runs().submit(*pool, notes, {.loop = &loop}, observer);
  ASSERT_TRUE(run.has_value());
  done.acquire();  // hangs if nobody runs it
  EXPECT_EQ(notes->text(), "a b");
}

TEST(NestedRunsTest, D7_MoreCallersThanSlotsOfAPoolWithoutThreadsGetTheirAnswers) {
  const auto pool = *WorkerPool::create({.compute_threads = 1});
  constexpr std::uint32_t kCallerCount = WorkerPool::kSlotMax + 2;
  std::atomic<std::uint32_t> arrived{0};
  NodeSpec meeting;
  meeting.id = "meeting";
  // The first bodies stay until all slots are taken.
  meeting.body = [](const void*, NodeCall& call) {
    auto& count = *static_cast<std::atomic<std::uint32_t>*>(call.context());
    count.fetch_add(1);
    while (count.load() < WorkerPool::kSlotMax - 1) std::this_thread::yield();
    return true;
  };
  TestDag dag({meeting});
  std::vector<std::jthread> callers;
  callers.reserve(kCallerCount);
  for (std::uint32_t caller = 0; caller < kCallerCount; ++caller) {
    callers.emplace_back([&] { EXPECT_TRUE(dag.runs().run(*pool, &arrived, {}).has_value()); });
  }
  callers.clear();
  EXPECT_EQ(arrived.load(), kCallerCount);
}

}  // namespace
}  // namespace millrace::runtime
