#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "runtime/awaitables.h"
#include "runtime/event_loop.h"
#include "runtime/graph.h"

// Real threads and real time; every wait is bounded by counts, none by a clock.

namespace millrace::runtime {
namespace {

using base::Status;

/// Notes how often each node ran and whether its producers were done.
struct Table {
  explicit Table(std::size_t count) : runs(count) {}
  std::vector<std::atomic<int>> runs;
  std::atomic<int> disorder{0};
};

Graph<Table> random_graph(std::uint64_t seed, int node_count) {
  base::SplitMix64 random(seed);
  GraphBuilder<Table> builder;
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
  return *builder.build({.share_threshold = std::chrono::nanoseconds(0)});
}

class GraphStressTest : public testing::TestWithParam<std::uint32_t> {};

TEST_P(GraphStressTest, K2_K4_EveryNodeOnceAndAfterItsProducers) {
  const auto pool = *WorkerPool::create({.compute_threads = GetParam()});
  const Graph<Table> graph = random_graph(GetParam(), 60);
  std::vector<std::jthread> clients;
  for (int client = 0; client < 3; ++client) {
    clients.emplace_back([&] {
      for (int turn = 0; turn < 60; ++turn) {
        Table table(60);
        ASSERT_TRUE(graph.run(*pool, table).has_value());
        for (const auto& runs : table.runs) ASSERT_EQ(runs.load(), 1);
        ASSERT_EQ(table.disorder.load(), 0);
      }
    });
  }
}

INSTANTIATE_TEST_SUITE_P(Workers, GraphStressTest, testing::Values(1U, 2U, 3U, 8U, 64U));

Task<Status> wait_a_little(AsyncCall<Table> call, Loop* loop) {
  MR_CO_TRY_STATUS(co_await sleep_for(*loop, std::chrono::microseconds(200), call.stop_token()));
  call.context().runs[0].fetch_add(1, std::memory_order_relaxed);
  co_return Status{};
}

TEST(GraphRaceTest, C2_C7_DeadlinesAndCancellationsRaceWithCompletion) {
  const auto loop = *EventLoop::create();
  const auto pool = *WorkerPool::create({.compute_threads = 3});
  GraphBuilder<Table> builder;
  Loop* const raw_loop = loop.get();
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
  const Graph<Table> graph = *builder.build();
  base::SplitMix64 random(5);
  int ok_count = 0;
  for (int turn = 0; turn < 300; ++turn) {
    const auto table = std::make_shared<Table>(4);
    const RunOptions options{
        .deadline = loop->clock().now() + std::chrono::microseconds(100 + random.below(400)),
        .loop = raw_loop};
    if (turn % 3 == 0) {
      WaitGroup open;
      open.add(1);
      auto handle = graph.submit(
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
    const Status status = graph.run(*pool, table, options);
    ok_count += status.has_value() ? 1 : 0;
    if (status) EXPECT_EQ(table->runs[3].load(), 1);
    if (!status) EXPECT_EQ(status.error().code(), base::ErrorCode::kDeadlineExceeded);
  }
  EXPECT_GE(ok_count, 0);
}

TEST(GraphRaceTest, C3_TimeoutsRaceWithBodies) {
  const auto loop = *EventLoop::create();
  const auto pool = *WorkerPool::create({.compute_threads = 3});
  GraphBuilder<Table> builder;
  builder
      .cpu("spin",
           [](Table& table, NodeCall&) {
             const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(150);
             while (std::chrono::steady_clock::now() < end)
               table.runs[0].fetch_add(1, std::memory_order_relaxed);
           },
           {.timeout = std::chrono::microseconds(150)})
      .or_else([](Table& table) { table.runs[1].fetch_add(1, std::memory_order_relaxed); })
      .cpu("after",
           [](Table& table) { table.runs[2].fetch_add(1, std::memory_order_relaxed); },
           {.after = {"spin"}});
  const Graph<Table> graph = *builder.build();
  for (int turn = 0; turn < 200; ++turn) {
    const auto table = std::make_shared<Table>(3);
    ASSERT_TRUE(graph.run(*pool, table, {.loop = loop.get()}).has_value());
    EXPECT_LE(table->runs[1].load(), 1);
    EXPECT_EQ(table->runs[2].load(), 1);
  }
}

}  // namespace
}  // namespace millrace::runtime
