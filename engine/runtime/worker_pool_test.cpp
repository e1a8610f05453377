#include "runtime/worker_pool.h"

#include <algorithm>
#include <atomic>
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
#include "base/sync/thread_placement.h"
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

TEST(WorkerPoolTest, PinnedThreadsHaveAProcessorOfTheirOwn) {
  const std::vector<int> usable = *base::usable_processors();
  const auto pool = WorkerPool::create(
      {.compute_threads = 1, .callers_help = false, .pin_from = usable.size() + 1});
  ASSERT_TRUE(pool.has_value()) << pool.error().to_string();
  std::vector<int> seen;
  NodeSpec spec = noting_node("a");
  spec.body = [](const void*, NodeCall& call) {
    *static_cast<std::vector<int>*>(call.context()) = *base::usable_processors();
    return true;
  };
  TestDag dag({spec});
  ASSERT_TRUE(dag.runs().run(**pool, &seen, {}).has_value());
  EXPECT_EQ(seen, std::vector<int>{usable[1 % usable.size()]});
  EXPECT_EQ(*base::usable_processors(), usable) << "a caller stays where it is";
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
    EXPECT_GT(pool->busy_time(), base::Duration(0));
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
