#include "runtime/worker_pool.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <semaphore>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/clock.h"
#include "loop/fake_loop.h"
#include "runtime/node_call.h"
#include "runtime/pool_settings.h"
#include "runtime/run.h"
#include "runtime/run_pool.h"
#include "runtime/scheduler_fixture.h"
#include "runtime/topology/node.h"

namespace millrace::runtime {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

std::string refusal(const ExecutorConfig& config) {
  const auto pool = WorkerPool::create(config);
  return pool ? "" : pool.error().to_string();
}

TEST(WorkerPoolTest, WorkersCountACallerThatHelps) {
  const auto helping = *WorkerPool::create({.compute_threads = 3});
  EXPECT_EQ(helping->worker_count(), 3U);
  EXPECT_EQ(helping->thread_count(), 2U);
  const auto waiting = *WorkerPool::create({.compute_threads = 3, .callers_help = false});
  EXPECT_EQ(waiting->thread_count(), 3U);
}

TEST(WorkerPoolTest, I1_ZeroWorkersMeanAllCores) {
  const auto pool = *WorkerPool::create({.compute_threads = 0});
  EXPECT_EQ(pool->worker_count(),
            std::clamp(std::thread::hardware_concurrency(), 1U, WorkerPool::kSlotMax));
}

TEST(WorkerPoolTest, RefusesSettingsThatCannotWork) {
  EXPECT_THAT(refusal({.compute_threads = 65}), HasSubstr("compute_threads"));
  EXPECT_THAT(refusal({.compute_threads = 1, .starvation_guard_every = 0}),
              HasSubstr("starvation_guard_every"));
  EXPECT_THAT(refusal({.compute_threads = 1, .spin_time = base::Duration(-1)}),
              HasSubstr("spin_time"));
  EXPECT_THAT(refusal({.compute_threads = 1, .watch_period = base::Duration(0)}),
              HasSubstr("watch_period"));
}

/// Remembers who ran its nodes.
struct Where {
  std::vector<std::thread::id> threads;
};

NodeSpec where_node(std::string id, std::vector<std::string> after = {}) {
  NodeSpec spec;
  spec.id = std::move(id);
  spec.after = std::move(after);
  spec.body = [](const void*, NodeCall& call) {
    static_cast<Where*>(call.context())->threads.push_back(std::this_thread::get_id());
    return true;
  };
  return spec;
}

TEST(WorkerPoolTest, D7_ACallerThatWaitsRunsTheGraphItself) {
  const auto pool = *WorkerPool::create({.compute_threads = 1});
  TestDag dag({where_node("a"), where_node("b", {"a"})});
  Where where;
  ASSERT_TRUE(dag.runs().run(*pool, &where, {}).has_value());
  EXPECT_THAT(where.threads,
              testing::ElementsAre(std::this_thread::get_id(), std::this_thread::get_id()));
}

TEST(WorkerPoolTest, C13_ACallerWithADeadlineRunsWhatIsShort) {
  const auto pool = *WorkerPool::create({.compute_threads = 2});
  base::ManualClock clock;
  loop::FakeLoop loop(clock);
  const auto threads_of_run = [&](base::Duration cost) {
    TestDag dag({where_node("a"), where_node("b", {"a"}), where_node("c", {"b"})});
    dag.teach(cost);
    const auto where = std::make_shared<Where>();
    const base::TimePoint deadline = base::steady_clock().now() + std::chrono::minutes(1);
    EXPECT_TRUE(
        dag.runs().run_owned(*pool, where, {.deadline = deadline, .loop = &loop}).has_value());
    return where->threads;
  };
  const auto self = std::this_thread::get_id();
  EXPECT_THAT(threads_of_run(std::chrono::microseconds(20)), testing::Each(self));
  // Bodies that may take longer than there is time are left to the pool's own thread.
  EXPECT_THAT(threads_of_run(std::chrono::seconds(30)), testing::Each(testing::Ne(self)));
}

TEST(WorkerPoolTest, D7_MoreCallersThanSlotsStillGetTheirAnswers) {
  // Beyond the slots a caller waits without helping; the pool's own thread does the work.
  const auto pool = *WorkerPool::create({.compute_threads = WorkerPool::kSlotMax});
  TestDag dag({noting_node("a")});
  constexpr int kCallerCount = 4;
  std::vector<std::jthread> callers;
  callers.reserve(kCallerCount);
  for (int caller = 0; caller < kCallerCount; ++caller) {
    callers.emplace_back([&] {
      Notes notes;
      EXPECT_TRUE(dag.runs().run(*pool, &notes, {}).has_value());
      EXPECT_EQ(notes.text(), "a");
    });
  }
}

TEST(WorkerPoolTest, HelpingEndsWhenTheGroupIsDone) {
  const auto pool = *WorkerPool::create({.compute_threads = 2});
  TestDag dag({where_node("a")});
  WaitGroup group;
  constexpr int kRuns = 20;
  group.add(kRuns);
  const RunObserver observer{
      .on_answer = [](runtime::Run&, void* data) { static_cast<WaitGroup*>(data)->done(); },
      .data = &group};
  std::vector<RunHandle> runs;
  runs.reserve(kRuns);
  for (int run = 0; run < kRuns; ++run) {
    runs.push_back(*dag.runs().submit(*pool, std::make_shared<Where>(), {}, observer));
  }
  pool->help_until_done(group);
  EXPECT_FALSE(group.is_open());
  for (const RunHandle& run : runs) EXPECT_EQ(run.outcome(), RunOutcome::kOk);
}

TEST(WorkerPoolTest, APoolThatGoesHasDoneWhatWasSubmitted) {
  TestDag dag({where_node("a"), where_node("b", {"a"})});
  const auto where = std::make_shared<Where>();
  std::binary_semaphore done{0};
  const RunObserver observer{
      .on_answer = [](runtime::Run&,
                      void* data) { static_cast<std::binary_semaphore*>(data)->release(); },
      .data = &done};
  {
    const auto pool = *WorkerPool::create({.compute_threads = 1, .callers_help = false});
    const auto run = dag.runs().submit(*pool, where, {}, observer);
    ASSERT_TRUE(run.has_value());
    done.acquire();
  }
  ASSERT_EQ(where->threads.size(), 2U);
  EXPECT_NE(where->threads.front(), std::this_thread::get_id());
}

TEST(WorkerPoolTest, CountersAddUpOverWorkers) {
  TestScheduler lab({.compute_threads = 2});
  TestDag dag({noting_node("a"), noting_node("b", {"a"}), noting_node("c", {"a"})});
  dag.teach(milliseconds(1));
  const auto notes = std::make_shared<Notes>();
  const RunHandle run = lab.submit(dag, notes);
  lab.settle();
  const PoolCounters sum = lab.pool->counters();
  EXPECT_EQ(sum.executed, 3U);
  EXPECT_EQ(lab.worker(0).counters().executed + lab.worker(1).counters().executed, 3U);
  EXPECT_EQ(sum.published, 1U);
  EXPECT_EQ(sum.stolen, 1U);
}

}  // namespace
}  // namespace millrace::runtime
