#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/check.h"
#include "base/clock.h"
#include "base/error.h"
#include "runtime/node_call.h"
#include "runtime/pool_settings.h"
#include "runtime/run.h"
#include "runtime/run_pool.h"
#include "runtime/scheduler_fixture.h"
#include "runtime/sequence_fixture.h"
#include "runtime/topology/node.h"
#include "runtime/topology/topology.h"
#include "runtime/traced_fixture.h"
#include "runtime/worker.h"
#include "runtime/worker_pool.h"
#include "trace/trace.h"
#include "trace/trace_collector.h"
#include "trace/trace_record.h"
#include "trace/trace_validate.h"
#include "trace/trace_writer.h"

// Traces of runs that follow their sequence. What they tell must not depend on that.

namespace millrace::runtime {
namespace {

using std::chrono::nanoseconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

trace::TraceTopology topology_of(const TestDag& dag) {
  trace::TraceTopology topology;
  for (std::uint32_t node = 0; node < dag.topology().node_count(); ++node) {
    topology.nodes.push_back({.id = std::string(dag.topology().id(node)), .op = "op"});
    for (const Edge& edge : dag.topology().dependents(node))
      topology.edges.push_back({node, edge.target});
  }
  return topology;
}

std::vector<std::string> violations(const TestDag& dag, const WrittenTrace& trace) {
  const trace::TraceTopology topology = topology_of(dag);
  std::vector<std::string> found;
  for (const trace::TraceViolation& violation :
       trace::validate_trace(trace.records, {.topology = &topology, .has_exact_waits = true}))
    found.push_back(violation.statement + ": " + violation.message);
  return found;
}

/// What a record says, but for the run it is of.
std::string describe(const trace::TraceRecord& record) {
  return std::to_string(static_cast<int>(record.kind)) + " node " +
         std::to_string(record.node_index) + " at " + std::to_string(record.time_ns) + " value " +
         std::to_string(record.value) + " parent " + std::to_string(record.parent) + " depth " +
         std::to_string(record.depth);
}

std::vector<std::string> describe(const WrittenTrace& trace) {
  std::vector<std::string> lines;
  lines.reserve(trace.records.size());
  for (const trace::TraceRecord& record : trace.records) lines.push_back(describe(record));
  return lines;
}

/// Flow, costs and a scheduler whose time moves inside bodies only, from the same start each time.
struct Bench {
  explicit Bench(std::vector<NodeSpec> specs, ExecutorConfig config = {.compute_threads = 1})
      : traced(config), dag(std::move(specs)) {
    make_cheap(*traced.lab, dag);
    traced.lab->clock.set(base::TimePoint(std::chrono::seconds(1)));
  }
  [[nodiscard]] Worker& worker(std::uint32_t index = 0) { return traced.lab->worker(index); }
  /// Lets one worker do one node that takes a while.
  bool step(std::uint32_t index, base::Duration cost = nanoseconds(7)) {
    const DriverScope scope(worker(index));
    if (!worker(index).start()) return false;
    traced.lab->clock.advance(cost);
    worker(index).finish();
    return true;
  }
  void settle() {
    for (bool moved = true; moved;) {
      moved = traced.lab->loop.run_ready() > 0;
      for (std::uint32_t index = 0; index < traced.lab->pool->thread_count(); ++index)
        moved |= step(index);
    }
  }

  TracedScheduler traced;
  TestDag dag;
  std::shared_ptr<Notes> notes = std::make_shared<Notes>();
};

TEST(SequenceTraceTest, D5_TellsWhatARunThatCountsTokensTells) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    Bench counting(random_dag(40, seed));
    const RunHandle counted = counting.traced.submit(counting.dag, counting.notes);
    counting.settle();
    Bench following(random_dag(40, seed));
    const RunHandle followed = following.traced.submit_plain(following.dag, following.notes);
    following.settle();
    EXPECT_EQ(counting.notes->order, following.notes->order);
    const WrittenTrace trace = following.traced.take();
    EXPECT_THAT(violations(following.dag, trace), IsEmpty());
    EXPECT_EQ(describe(trace), describe(counting.traced.take())) << "seed " << seed;
    EXPECT_EQ(following.traced.lab->pool->counters().inlined,
              counting.traced.lab->pool->counters().inlined);
  }
}

/// A node whose body takes 7 ns of `clock`.
NodeSpec slow_node(NodeSpec spec, base::ManualClock& clock) {
  spec.closure = std::shared_ptr<const void>(std::shared_ptr<void>(), &clock);
  spec.body = [](const void* closure, NodeCall& call) {
    const_cast<base::ManualClock*>(static_cast<const base::ManualClock*>(closure))
        ->advance(nanoseconds(7));
    static_cast<Notes*>(call.context())->order.emplace_back(call.node_id());
    return true;
  };
  return spec;
}

/// The trace of a DAG whose worker is left to itself, as a thread does.
WrittenTrace trace_in_one_go(std::uint32_t workers, std::uint64_t seed) {
  base::ManualClock* clock = nullptr;
  TracedScheduler traced({.compute_threads = workers});
  clock = &traced.lab->clock;
  std::vector<NodeSpec> specs;
  for (NodeSpec& spec : random_dag(40, seed)) specs.push_back(slow_node(std::move(spec), *clock));
  TestDag dag(std::move(specs));
  make_cheap(*traced.lab, dag);
  clock->set(base::TimePoint(std::chrono::seconds(1)));
  const RunHandle run = traced.submit_plain(dag, std::make_shared<Notes>());
  const DriverScope scope(traced.lab->worker(0));
  while (traced.lab->worker(0).work_strand()) {
  }
  return traced.take();
}

TEST(SequenceTraceTest, T1_AThreadTellsWhatADriverThatGoesByStepsTells) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    Bench stepping(random_dag(40, seed));
    const RunHandle run = stepping.traced.submit_plain(stepping.dag, stepping.notes);
    stepping.settle();
    const auto stepwise = describe(stepping.traced.take());
    EXPECT_EQ(describe(trace_in_one_go(1, seed)), stepwise) << "seed " << seed;
    EXPECT_EQ(describe(trace_in_one_go(2, seed)), stepwise) << "seed " << seed;
  }
}

TEST(SequenceTraceTest, T1_WhatAPeerTakesKnowsSinceWhenItWaits) {
  const std::uint32_t count = 30;
  std::uint64_t rescued = 0;
  for (std::uint32_t stuck_at = 0; stuck_at < count; ++stuck_at) {
    Bench bench(random_dag(count, 7), {.compute_threads = 2});
    const RunHandle run = bench.traced.submit_plain(bench.dag, bench.notes);
    for (std::uint32_t step = 0; step < stuck_at; ++step) EXPECT_TRUE(bench.step(0));
    ASSERT_TRUE(bench.worker(0).start());
    look_around(*bench.traced.lab, bench.worker(1));
    rescued += bench.traced.lab->pool->counters().rescued;
    static_cast<void>(bench.step(1));
    bench.worker(0).finish();
    bench.settle();
    EXPECT_EQ(run.outcome(), RunOutcome::kOk);
    const WrittenTrace trace = bench.traced.take();
    EXPECT_THAT(violations(bench.dag, trace), IsEmpty()) << "stuck at " << stuck_at;
    EXPECT_EQ(trace.of(trace::TraceKind::kNodeStart).size(), count);
  }
  EXPECT_GT(rescued, count / 2);
}

NodeSpec refusing_node(std::string id, std::vector<std::string> after) {
  NodeSpec spec = noting_node(std::move(id), std::move(after));
  spec.body = [](const void*, NodeCall& call) {
    call.set_error(base::Error(base::ErrorCode::kTimeout, "no"));
    return false;
  };
  return spec;
}

TEST(SequenceTraceTest, T3_AFailureHasItsErrorBeforeItsEndAndTheRestIsSkipped) {
  Bench bench({noting_node("a"), refusing_node("b", {"a"}), noting_node("c", {"b"})});
  const RunHandle run = bench.traced.submit_plain(bench.dag, bench.notes);
  bench.settle();
  EXPECT_EQ(run.outcome(), RunOutcome::kError);
  const WrittenTrace trace = bench.traced.take();
  EXPECT_THAT(violations(bench.dag, trace), IsEmpty());
  ASSERT_EQ(trace.of(trace::TraceKind::kNodeError).size(), 1U);
  const trace::TraceRecord error = trace.of(trace::TraceKind::kNodeError).front();
  EXPECT_EQ(error.node_index, bench.dag.node("b"));
  EXPECT_EQ(error.value, static_cast<std::uint64_t>(base::ErrorCode::kTimeout));
  EXPECT_EQ(trace.last().status, trace::SpanStatus::Error);
  EXPECT_EQ(trace.last().node_index, 2U);  // executed
  EXPECT_EQ(trace.last().parent, 1U);      // skipped
}

TEST(SequenceTraceTest, T1_AStrandThatMadeRoomComesOutOfAQueue) {
  Bench bench({noting_node("a"), noting_node("b", {"a"}), noting_node("c", {"b"})},
              {.compute_threads = 1, .max_inline_depth = 2});
  const RunHandle run = bench.traced.submit_plain(bench.dag, bench.notes);
  const RunHandle other =
      bench.traced.lab->submit_without_loop(bench.dag, std::make_shared<Notes>(), {});
  bench.settle();
  const WrittenTrace trace = bench.traced.take();
  EXPECT_THAT(violations(bench.dag, trace), IsEmpty());
  EXPECT_THAT(trace.nodes_of(trace::TraceKind::kNodeInlined), ElementsAre(bench.dag.node("b")));
  ASSERT_THAT(trace.nodes_of(trace::TraceKind::kQueueDelay),
              ElementsAre(bench.dag.node("a"), bench.dag.node("c")));
  // While two nodes of the other run went before it.
  EXPECT_EQ(trace.of(trace::TraceKind::kQueueDelay).back().value, 14U);
}

TEST(SequenceTraceTest, FlagsChooseTheEvents) {
  using enum trace::TraceKind;
  for (std::uint32_t flags = 1; flags <= static_cast<std::uint32_t>(trace::TraceFlag::All);
       ++flags) {
    const auto wanted = static_cast<trace::TraceFlag>(flags);
    Bench bench({noting_node("a"), refusing_node("b", {"a"})});
    const RunHandle run = bench.traced.submit_plain(bench.dag, bench.notes, wanted);
    bench.settle();
    const WrittenTrace trace = bench.traced.take();
    const auto expect = [&](trace::TraceFlag flag, trace::TraceKind kind, std::size_t count) {
      EXPECT_EQ(trace.of(kind).size(), trace::has_flag(wanted, flag) ? count : 0) << flags;
    };
    expect(trace::TraceFlag::RunStart, kRunStart, 1);
    expect(trace::TraceFlag::NodeSpan, kNodeStart, 2);
    expect(trace::TraceFlag::NodeSpan, kNodeEnd, 2);
    expect(trace::TraceFlag::NodeError, kNodeError, 1);
    expect(trace::TraceFlag::QueueDelay, kQueueDelay, 1);
    expect(trace::TraceFlag::InlineDetail, kNodeInlined, 1);
    EXPECT_EQ(trace.of(kRunEnd).size(), 1U);
    EXPECT_TRUE(trace.of(kNodeRan).empty());
  }
}

TEST(SequenceTraceTest, ARunThatWasTracedLeavesNothingBehind) {
  Bench bench({noting_node("a"), noting_node("b", {"a"})});
  for (int use = 0; use < 3; ++use) {
    {
      const RunHandle run = bench.traced.submit_plain(bench.dag, bench.notes);
      bench.settle();
    }
    EXPECT_EQ(bench.traced.take().of(trace::TraceKind::kNodeStart).size(), 2U);
    // The same run object again: untraced, then with a loop, which may answer it early.
    const RunHandle plain = bench.traced.lab->submit_without_loop(bench.dag, bench.notes, {});
    bench.settle();
    EXPECT_EQ(plain.outcome(), RunOutcome::kOk);
    bench.traced.collector.flush();
    EXPECT_TRUE(bench.traced.sink.take().empty());
  }
}

TEST(SequenceTraceTest, T4_AFullBufferCountsWhatItRefusesAndTheRunGoesOn) {
  trace::TraceCollector collector({.buffer_capacity = 4});
  TestScheduler lab({.compute_threads = 1, .trace = &collector});
  TestDag dag(random_dag(40, 1));
  make_cheap(lab, dag);
  const trace::TraceContext all(
      trace::TraceId(1), trace::TraceFlag::All, trace::TraceTopologyId(0));
  const RunHandle run = lab.submit_without_loop(dag, std::make_shared<Notes>(), {.trace = all});
  lab.settle();
  EXPECT_EQ(run.outcome(), RunOutcome::kOk);
  // Of a start, forty nodes and an end the first four fit.
  EXPECT_EQ(collector.stats().dropped_records, 38U);
}

/// A clock that counts who asks it.
class CountingClock final : public base::Clock {
 public:
  [[nodiscard]] base::TimePoint now() const override {
    ++readings;
    return base::TimePoint(nanoseconds(readings));
  }
  mutable std::int64_t readings = 0;
};

/// How often a run of a warm chain asks for the time.
std::int64_t readings_of(std::uint32_t node_count, trace::TraceFlag flags) {
  const CountingClock clock;
  trace::TraceCollector collector;
  const auto pool = *WorkerPool::create_undriven(
      {.compute_threads = 1, .callers_help = false, .trace = &collector}, clock);
  std::vector<NodeSpec> specs;
  for (std::uint32_t node = 0; node < node_count; ++node) {
    std::vector<std::string> after;
    if (node > 0) after.push_back(std::to_string(node - 1));
    specs.push_back(noting_node(std::to_string(node), std::move(after)));
  }
  TestDag dag(std::move(specs));
  dag.teach(nanoseconds(20));
  std::int64_t before = 0;
  // The first run of a run object is measured.
  for (int run = 0; run < 2; ++run) {
    before = clock.readings;
    auto handle =
        dag.runs().submit(*pool,
                          std::make_shared<Notes>(),
                          {.trace = {trace::TraceId(1), flags, trace::TraceTopologyId(0)}},
                          {});
    MR_CHECK(handle.has_value());
    const DriverScope scope(*pool->worker_at(0));
    MR_CHECK(pool->worker_at(0)->work_strand());
    MR_CHECK(handle->outcome() == RunOutcome::kOk);
  }
  return clock.readings - before;
}

TEST(SequenceTraceTest, T4_TheTimeIsReadOncePerBoundaryAndOnlyIfNodesAreWanted) {
  EXPECT_EQ(readings_of(10, trace::TraceFlag::None), 0);
  EXPECT_EQ(readings_of(30, trace::TraceFlag::All) - readings_of(10, trace::TraceFlag::All), 20);
  EXPECT_EQ(
      readings_of(30, trace::TraceFlag::QueueDelay) - readings_of(10, trace::TraceFlag::QueueDelay),
      20);
  for (const trace::TraceFlag flags :
       {trace::TraceFlag::RunEnd, trace::TraceFlag::RunStart, trace::TraceFlag::NodeError})
    EXPECT_EQ(readings_of(30, flags), readings_of(10, flags));
}

}  // namespace
}  // namespace millrace::runtime
