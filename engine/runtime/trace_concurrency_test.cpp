#include <atomic>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/clock.h"
#include "base/random.h"
#include "runtime/flow.h"
#include "runtime/worker_pool.h"
#include "trace/trace.h"
#include "trace/trace_buffer.h"
#include "trace/trace_collector.h"
#include "trace/trace_fixture.h"
#include "trace/trace_record.h"
#include "trace/trace_sink.h"
#include "trace/trace_validate.h"
#include "trace/trace_writer.h"

namespace millrace::runtime {
namespace {

base::TimePoint at(std::int64_t ns) { return trace::TraceScript::at(ns); }

trace::TraceRecord numbered(std::uint32_t number) {
  trace::TraceRecord record;
  record.node_index = number;
  record.value = number;
  return record;
}

TEST(TraceBufferTest, T4_WrittenIsReadOrCountedUnderConcurrency) {
  constexpr std::uint32_t kCount = 200'000;
  trace::TraceBuffer buffer(64);
  std::atomic<bool> is_done{false};  // publishes the writer's last record to the reading loop
  std::thread writer([&] {
    for (std::uint32_t i = 0; i < kCount; ++i) buffer.record(numbered(i));
    is_done.store(true, std::memory_order_release);
  });
  std::vector<trace::TraceRecord> out;
  bool was_done = false;
  while (!was_done) {
    was_done = is_done.load(std::memory_order_acquire);
    buffer.drain(out);
  }
  writer.join();

  EXPECT_EQ(out.size() + buffer.dropped_count(), kCount);
  for (std::size_t i = 0; i < out.size(); ++i) {
    ASSERT_EQ(out[i].value, out[i].node_index);
    if (i > 0) ASSERT_LT(out[i - 1].node_index, out[i].node_index);
  }
}

// Two threads share every run: one starts its node, the other ends it and the run. The collector
// runs at the same time, and still every run that it calls complete must have all its events.
TEST(TraceCollectorTest, T3_CompleteRunsAreWholeWhileThreadsWrite) {
  constexpr std::uint64_t kRunCount = 5'000;
  trace::TraceCollector collector({.buffer_capacity = std::size_t{64} * 1024});
  trace::MemorySink sink(kRunCount);
  collector.add_sink(sink);
  trace::TraceBuffer& first = collector.add_buffer("first");
  trace::TraceBuffer& second = collector.add_buffer("second");
  const trace::TraceTopologyId topology = collector.add_topology(trace::TraceScript::dag(1, {}));
  // Publishes the start of run number `started` by the first thread to the second.
  std::atomic<std::uint64_t> started{0};
  std::atomic<bool> is_done{false};  // tells the collecting loop that both writers are done

  std::thread starter([&] {
    for (std::uint64_t id = 1; id <= kRunCount; ++id) {
      const trace::TraceContext run(trace::TraceId(id), trace::TraceFlag::All, topology);
      trace::TraceWriter(first, run).run_start(at(0));
      trace::TraceWriter(first, run).node_start_queued(0, at(0), at(1));
      started.store(id, std::memory_order_release);
    }
  });
  std::thread ender([&] {
    for (std::uint64_t id = 1; id <= kRunCount; ++id) {
      while (started.load(std::memory_order_acquire) < id) std::this_thread::yield();
      const trace::TraceContext run(trace::TraceId(id), trace::TraceFlag::All, topology);
      trace::TraceWriter(second, run).node_end(0, at(2), trace::SpanStatus::Ok);
      trace::TraceWriter(second, run).run_end(at(3), {.executed_count = 1});
    }
    is_done.store(true, std::memory_order_release);
  });
  while (!is_done.load(std::memory_order_acquire)) collector.collect();
  starter.join();
  ender.join();
  collector.flush();

  const auto runs = sink.take();
  ASSERT_EQ(runs.size(), kRunCount);
  EXPECT_EQ(collector.stats().incomplete_runs, 0u);
  for (const auto& run : runs) {
    const auto violations = trace::validate_trace(run.records, {.topology = run.topology.get()});
    ASSERT_TRUE(violations.empty()) << violations[0].message;
  }
}

/// Makes a DAG of cheap nodes, one of which sometimes takes long, so that another worker helps.
Flow<std::atomic<std::uint32_t>> hiccuping_dag(std::uint32_t node_count,
                                               trace::TraceTopology& topology) {
  base::SplitMix64 random(11);
  FlowBuilder<std::atomic<std::uint32_t>> builder;
  for (std::uint32_t node = 0; node < node_count; ++node) {
    topology.nodes.push_back({.id = std::to_string(node), .op = "op"});
    NodeOptions options;
    std::set<std::uint32_t> producers;
    for (std::uint64_t edge = random.below(3); edge > 0 && node > 0; --edge)
      producers.insert(static_cast<std::uint32_t>(random.below(node)));
    for (const std::uint32_t producer : producers) {
      options.after.push_back(std::to_string(producer));
      topology.edges.push_back({producer, node});
    }
    builder.cpu(
        std::to_string(node),
        [node](std::atomic<std::uint32_t>& turn) {
          // Bounded by a count instead of a clock: enough turns for another worker to come and
          // help.
          const std::uint32_t looks = turn.load() % 7 == 0 && node % 16 == 3 ? 3'000 : 0;
          for (std::uint32_t look = 0; look < looks; ++look) std::this_thread::yield();
        },
        std::move(options));
  }
  return *builder.build();
}

TEST(TraceRunTest, T3_TracesOfRunsThatPeersTakeApartAreRight) {
  constexpr std::uint32_t kNodes = 48;
  constexpr std::uint32_t kRuns = 300;
  trace::TraceCollector collector;
  trace::MemorySink sink(kRuns);
  collector.add_sink(sink);
  trace::TraceTopology topology;
  const Flow<std::atomic<std::uint32_t>> dag = hiccuping_dag(kNodes, topology);
  const trace::TraceTopologyId id = collector.add_topology(std::move(topology));
  const auto pool = *WorkerPool::create({.compute_threads = 2, .trace = &collector});
  std::atomic<std::uint32_t> turn{0};
  for (; turn.load() < kRuns; ++turn) {
    const trace::TraceContext trace(trace::TraceId(turn.load() + 1), trace::TraceFlag::All, id);
    ASSERT_TRUE(dag.run(*pool, turn, {.trace = trace}).has_value());
    collector.collect();
  }
  collector.flush();
  const auto runs = sink.take();
  ASSERT_EQ(runs.size(), kRuns);
  for (const auto& run : runs) {
    ASSERT_TRUE(run.is_complete);
    const auto violations = trace::validate_trace(run.records, {.topology = run.topology.get()});
    ASSERT_TRUE(violations.empty()) << violations[0].message;
  }
  EXPECT_EQ(collector.stats().dropped_records, 0U);
}

}  // namespace
}  // namespace millrace::runtime
