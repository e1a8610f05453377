#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <latch>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/random.h"
#include "base/result.h"
#include "loop/awaitables.h"
#include "loop/event_loop.h"
#include "loop/loop.h"
#include "loop/task.h"
#include "runtime/flow.h"
#include "runtime/node_call.h"
#include "runtime/run.h"
#include "runtime/worker_pool.h"

// Real threads and real time; every wait ends by a count, never by a clock.

namespace millrace::runtime {
namespace {

using base::Status;

/// Notes how often each node ran and whether its producers were done.
struct Table {
  explicit Table(std::size_t count) : runs(count) {}
  std::vector<std::atomic<int>> runs;
  std::atomic<int> disorder{0};
};

Flow<Table> random_flow(std::uint64_t seed, int node_count) {
  base::SplitMix64 random(seed);
  FlowBuilder<Table> builder;
  for (int node = 0; node < node_count; ++node) {
    std::vector<int> producers;
    for (int edge = 0; edge < 3 && node > 0; ++edge)
      producers.push_back(static_cast<int>(random.below(node)));
    NodeOptions options;
    for (const int producer : producers) options.after.push_back(std::to_string(producer));
    builder.cpu(
        std::to_string(node),
        [node, producers](Table& table) {
          for (const int producer : producers) {
            if (table.runs[producer].load(std::memory_order_relaxed) != 1) ++table.disorder;
          }
          table.runs[node].fetch_add(1, std::memory_order_relaxed);
        },
        std::move(options));
  }
  return *builder.build();
}

class FlowStressTest : public testing::TestWithParam<std::uint32_t> {};

TEST_P(FlowStressTest, K2_K4_EveryNodeOnceAndAfterItsProducers) {
  const auto pool = *WorkerPool::create(
      {.compute_threads = GetParam(), .hand_over_price = std::chrono::nanoseconds(0)});
  const Flow<Table> flow = random_flow(GetParam(), 60);
  constexpr int kClientCount = 3;
  std::vector<std::jthread> clients;
  clients.reserve(kClientCount);
  for (int client = 0; client < kClientCount; ++client) {
    clients.emplace_back([&] {
      for (int turn = 0; turn < 60; ++turn) {
        Table table(60);
        ASSERT_TRUE(flow.run(*pool, table).has_value());
        for (const auto& runs : table.runs) ASSERT_EQ(runs.load(), 1);
        ASSERT_EQ(table.disorder.load(), 0);
      }
    });
  }
}

// Bodies run flows on the pool that runs them, three deep, some of them with a deadline.
struct Nest {
  WorkerPool* pool = nullptr;
  loop::Loop* loop = nullptr;
  const Flow<Nest>* flow = nullptr;
  const Flow<Table>* leaf = nullptr;
  int depth = 0;
  std::atomic<int> failures{0};
  std::atomic<int> runs{0};
};

void run_leaf(Nest& nest, bool is_timed) {
  const auto table = std::make_shared<Table>(20);
  RunOptions options;
  if (is_timed) {
    options.loop = nest.loop;
    // The deadline of some runs has passed before they begin.
    const int step = nest.runs.load(std::memory_order_relaxed) % 4;
    options.deadline = nest.loop->clock().now() + std::chrono::microseconds(step * 70);
  }
  const Status status = nest.leaf->run(*nest.pool, table, options);
  const bool is_late =
      !status && is_timed && status.error().code() == base::ErrorCode::kDeadlineExceeded;
  if (!status && !is_late) ++nest.failures;
  if (status && table->runs.back().load() != 1) ++nest.failures;
  nest.runs.fetch_add(1, std::memory_order_relaxed);
}

void run_inner(Nest& nest, bool is_timed) {
  if (nest.depth == 0) return run_leaf(nest, is_timed);
  Nest inner{nest.pool, nest.loop, nest.flow, nest.leaf, nest.depth - 1, {}, {}};
  if (!nest.flow->run(*nest.pool, inner)) ++nest.failures;
  nest.failures += inner.failures;
  nest.runs += inner.runs;
}

TEST_P(FlowStressTest, D7_BodiesRunGraphsOnTheSamePool) {
  const auto loop = *loop::EventLoop::create();
  const auto pool = *WorkerPool::create(
      {.compute_threads = GetParam(), .hand_over_price = std::chrono::nanoseconds(0)});
  const Flow<Table> leaf = random_flow(GetParam(), 20);
  FlowBuilder<Nest> builder;
  for (int body = 0; body < 4; ++body) {
    builder.cpu(std::to_string(body), [body](Nest& nest) { run_inner(nest, body == 0); });
  }
  builder.cpu("last", [](Nest& nest) { run_inner(nest, false); }, {.after = {"0", "1"}});
  const Flow<Nest> flow = *builder.build();
  constexpr int kClientCount = 2;
  std::vector<std::jthread> clients;
  clients.reserve(kClientCount);
  for (int client = 0; client < kClientCount; ++client) {
    clients.emplace_back([&] {
      for (int turn = 0; turn < 4; ++turn) {
        Nest nest{pool.get(), loop.get(), &flow, &leaf, 2, {}, {}};
        ASSERT_TRUE(flow.run(*pool, nest).has_value());
        EXPECT_EQ(nest.failures.load(), 0);
        EXPECT_EQ(nest.runs.load(), 5 * 5 * 5);
      }
    });
  }
}

// Each pool meets all loops at once: it notes each of them, although others are just being noted.
TEST_P(FlowStressTest, K4_LoopsAreMetAtTheSameTime) {
  constexpr int kLoopCount = 4;
  std::vector<std::unique_ptr<loop::EventLoop>> loops;
  for (int index = 0; index < kLoopCount; ++index) loops.push_back(*loop::EventLoop::create());
  const Flow<Table> flow = random_flow(GetParam(), 20);
  for (int turn = 0; turn < 20; ++turn) {
    const auto pool = *WorkerPool::create({.compute_threads = GetParam()});
    std::latch start(kLoopCount);
    std::vector<std::jthread> clients;
    for (const auto& loop : loops) {
      clients.emplace_back([&] {
        const auto table = std::make_shared<Table>(20);
        start.arrive_and_wait();
        const RunOptions options{.budget = std::chrono::hours(1), .loop = loop.get()};
        EXPECT_TRUE(flow.run(*pool, table, options).has_value());
        for (const auto& runs : table->runs) EXPECT_EQ(runs.load(), 1);
      });
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Workers, FlowStressTest, testing::Values(1U, 2U, 3U, 8U, 64U));

loop::Task<Status> wait_a_little(AsyncCall<Table> call, loop::Loop* loop) {
  MR_CO_TRY_STATUS(
      co_await loop::sleep_for(*loop, std::chrono::microseconds(200), call.stop_token()));
  call.context().runs[0].fetch_add(1, std::memory_order_relaxed);
  co_return Status{};
}

TEST(FlowRaceTest, C2_C7_DeadlinesAndCancellationsRaceWithCompletion) {
  const auto loop = *loop::EventLoop::create();
  const auto pool = *WorkerPool::create({.compute_threads = 3});
  FlowBuilder<Table> builder;
  loop::Loop* const raw_loop = loop.get();
  builder
      .async("wait",
             [raw_loop](AsyncCall<Table> call) { return wait_a_little(std::move(call), raw_loop); })
      .cpu("a",
           [](Table& table) { table.runs[1].fetch_add(1, std::memory_order_relaxed); },
           {.after = {"wait"}})
      .cpu("b",
           [](Table& table) { table.runs[2].fetch_add(1, std::memory_order_relaxed); },
           {.after = {"wait"}})
      .cheap("c",
             [](Table& table) { table.runs[3].fetch_add(1, std::memory_order_relaxed); },
             {.after = {"a", "b"}});
  const Flow<Table> flow = *builder.build();
  base::SplitMix64 random(5);
  for (int turn = 0; turn < 300; ++turn) {
    const auto table = std::make_shared<Table>(4);
    const RunOptions options{
        .deadline = loop->clock().now() + std::chrono::microseconds(100 + random.below(400)),
        .loop = raw_loop};
    if (turn % 3 == 0) {
      WaitGroup open;
      open.add(1);
      auto handle = flow.submit(
          *pool,
          table,
          options,
          {.on_answer = [](runtime::Run&, void* group) { static_cast<WaitGroup*>(group)->done(); },
           .data = &open});
      ASSERT_TRUE(handle.has_value());
      if (random.chance(0.5)) handle->cancel();
      pool->help_until_done(open);
      continue;
    }
    const Status status = flow.run(*pool, table, options);
    if (status) EXPECT_EQ(table->runs[3].load(), 1);
    if (!status) EXPECT_EQ(status.error().code(), base::ErrorCode::kDeadlineExceeded);
  }
}

// A thread that waits for a run may destroy everything as soon as it has the answer.
TEST(FlowRaceTest, D7_AnAnswerFromALoopIsTheLastTouchOfThePool) {
  const auto loop = *loop::EventLoop::create();
  loop::Loop* const raw_loop = loop.get();
  for (int turn = 0; turn < 200; ++turn) {
    const auto pool = *WorkerPool::create({.compute_threads = 1U + turn % 2});
    FlowBuilder<Table> builder;
    builder.cpu("first", [](Table&) {})
        .async(
            "last",
            [raw_loop](AsyncCall<Table> call) { return wait_a_little(std::move(call), raw_loop); },
            {.after = {"first"}});
    const Flow<Table> flow = *builder.build();
    Table table(1);
    ASSERT_TRUE(flow.run(*pool, table, {.loop = raw_loop}).has_value());
    EXPECT_EQ(table.runs[0].load(), 1);
  }
}

TEST(FlowRaceTest, D7_ALoopThatHandedTheRestOverHasLeftWhenTheAnswerComes) {
  const auto loop = *loop::EventLoop::create();
  loop::Loop* const raw_loop = loop.get();
  for (int turn = 0; turn < 300; ++turn) {
    const auto pool = *WorkerPool::create({.compute_threads = 2});
    FlowBuilder<Table> builder;
    builder
        .async(
            "first",
            [raw_loop](AsyncCall<Table> call) { return wait_a_little(std::move(call), raw_loop); })
        .cpu("last",
             [](Table& table) { table.runs[1].fetch_add(1, std::memory_order_relaxed); },
             {.after = {"first"}});
    const Flow<Table> flow = *builder.build();
    Table table(2);
    ASSERT_TRUE(flow.run(*pool, table, {.loop = raw_loop}).has_value());
    EXPECT_EQ(table.runs[1].load(), 1);
  }
}

TEST(FlowRaceTest, C3_TimeoutsRaceWithBodies) {
  const auto loop = *loop::EventLoop::create();
  const auto pool = *WorkerPool::create({.compute_threads = 3});
  FlowBuilder<Table> builder;
  const auto spin = [](int) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(150);
    int rounds = 0;
    while (std::chrono::steady_clock::now() < end) ++rounds;
    return rounds;
  };
  builder
      .cpu("spin",
           Replaceable{.input = [](const Table& table) { return table.runs[2].load(); },
                       .body = spin,
                       .commit = [](Table& table, int) { table.runs[0].fetch_add(1); },
                       .or_else = [](Table& table) { table.runs[1].fetch_add(1); },
                       .timeout = std::chrono::microseconds(150)})
      .cpu("after",
           [](Table& table) { table.runs[2].fetch_add(1, std::memory_order_relaxed); },
           {.after = {"spin"}});
  const Flow<Table> flow = *builder.build();
  for (int turn = 0; turn < 200; ++turn) {
    const auto table = std::make_shared<Table>(3);
    ASSERT_TRUE(flow.run(*pool, table, {.loop = loop.get()}).has_value());
    EXPECT_EQ(table->runs[0].load() + table->runs[1].load(), 1);
    EXPECT_EQ(table->runs[2].load(), 1);
  }
}

}  // namespace
}  // namespace millrace::runtime
