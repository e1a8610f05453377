#include "graph/run/pool_batch.h"

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "graph/run/run_fixture.h"
#include "graph/run/run_result.h"
#include "graph/run/runtime_runner.h"
#include "graph/watch/graph_event.h"

namespace millrace::graph {
namespace {

using namespace std::chrono_literals;

/// A source of values per epoch, one component on a pool that takes 10 ms per message, an output.
RunText pooled(const std::string& pool, const std::string& execution, int per_epoch) {
  return {
      .lanes = {"main: {type: event_loop}", "pool: {type: thread_pool, " + pool + "}"},
      .components =
          {base::format("id: s, type: core.counter, config: {{count: {0}, per_invocation: {0}}}, "
                        "execution: {{lane: main}}",
                        per_epoch),
           "id: w, type: core.spend, config: {cost: 10ms}, trigger_policy: {type: any_input}, "
           "execution: {lane: pool, " +
               execution + "}",
           "id: o, type: core.output, trigger_policy: {type: any_input}, execution: {lane: main}"},
      .edges = {
          "id: sw, kind: immediate, from: s.out, to: w.in, policy: {mode: queue, capacity: 64}",
          "id: wo, kind: immediate, from: w.out, to: o.in, policy: {mode: queue, capacity: 64}"}};
}

TEST(PoolBatch, G59_ABatchTakesTheTimeOfMaxThreadsWorkers) {
  // Five invocations of 10 ms on two workers: three rounds.
  const auto wide = run_graph(pooled("max_threads: 2", "reentrant: true", 5));
  EXPECT_EQ(values_and_times(wide), (Strings{"1@30", "2@30", "3@30", "4@30", "5@30"}));
  const auto serial = run_graph(pooled("max_threads: 2", "reentrant: false", 3));
  EXPECT_EQ(values_and_times(serial), (Strings{"1@30", "2@30", "3@30"}));
}

// Looking at all that waits for each invocation would take longer than all other tests together.
TEST(PoolBatch, G59_WhatWaitsForItsComponentIsNotLookedAtAgainAndAgain) {
  constexpr int kCount = 60'000;
  RunText parts = pooled("max_threads: 2", "reentrant: false", kCount);
  for (std::string& edge : parts.edges) edge.replace(edge.find("64"), 2, std::to_string(kCount));
  // A second component: the invocations of one are all behind those of the other.
  parts.components.insert(
      parts.components.begin() + 1,
      "id: x, type: core.spend, config: {cost: 10ms}, trigger_policy: {type: any_input}, "
      "execution: {lane: pool}");
  parts.edges.push_back(
      base::format("id: sx, kind: immediate, from: s.out, to: x.in, policy: "
                   "{{mode: queue, capacity: {}}}",
                   kCount));
  const auto result = run_graph(parts);
  ASSERT_EQ(result.outputs.size(), static_cast<std::size_t>(kCount));
  EXPECT_EQ(result.time, kCount * 10ms) << "both at once, each one after the other";
}

TEST(PoolBatch, G62_NothingIsAdmittedAnywhereIfOneLaneOverflows) {
  RunText parts = pooled("max_threads: 2", "reentrant: true", 3);
  parts.lanes.push_back("small: {type: thread_pool, queue_capacity: 0, overflow: fail_fast}");
  parts.components.insert(
      parts.components.begin() + 1,
      "id: x, type: core.linear, trigger_policy: {type: any_input}, execution: {lane: small}");
  parts.edges.push_back(
      "id: sx, kind: immediate, from: s.out, to: x.in, policy: {mode: queue, capacity: 64}");
  const auto result = run_graph(parts);
  ASSERT_EQ(result.errors.size(), 1U);
  EXPECT_EQ(result.errors.front().code, "lane_overflow");
  EXPECT_EQ(result.errors.front().lane, "small");
  for (const char* lane : {"pool", "small"}) {
    EXPECT_EQ(result.metric("runtime.scheduler.in_flight_count", lane), 0) << lane;
    EXPECT_EQ(result.metric("runtime.scheduler.completed_count", lane), 0) << lane;
  }
}

TEST(PoolBatch, G36_DownstreamWaitsForTheWholeBatchAndTheWidthIsBounded) {
  RuntimeRunnerOptions options;
  options.trace = true;
  const auto result =
      run_graph(pooled("max_threads: 2, queue_capacity: 8", "reentrant: true", 5), options);
  EXPECT_EQ(result.metric("runtime.scheduler.worker_count", "pool"), 2);
  EXPECT_EQ(result.metric("runtime.scheduler.active_count", "pool"), 2);
  EXPECT_EQ(result.metric("runtime.scheduler.in_flight_count", "pool"), 5);
  EXPECT_EQ(result.metric("runtime.scheduler.queue_depth", "pool"), 3);
  EXPECT_EQ(result.metric("runtime.scheduler.queue_capacity", "pool"), 8);
  EXPECT_EQ(result.metric("runtime.scheduler.completed_count", "pool"), 5);
  std::uint64_t batches = 0;
  for (const GraphEvent& event : result.events) {
    if (event.name != GraphEventName::kThreadPoolBatch) continue;
    ++batches;
    EXPECT_EQ(event.first, 5U);
    EXPECT_EQ(event.second, 3U) << "workers 0 and 1";
    EXPECT_EQ(event.duration, 30ms);
  }
  EXPECT_EQ(batches, 1U);
}

TEST(PoolBatch, G37_OutputsDoNotDependOnTheNumberOfWorkers) {
  const auto one = run_graph(pooled("max_threads: 1", "reentrant: true", 7));
  for (const char* pool : {"max_threads: 2", "max_threads: 8"}) {
    EXPECT_EQ(values(run_graph(pooled(pool, "reentrant: true", 7))), values(one));
  }
}

TEST(PoolBatch, G38_HigherClassesAreStartedFirst) {
  RunText parts = pooled("max_threads: 1", "priority: low", 2);
  parts.components.push_back(
      "id: h, type: core.spend, config: {cost: 1ms}, trigger_policy: {type: any_input}, "
      "execution: {lane: pool, priority: high}");
  parts.edges.push_back(
      "id: sh, kind: immediate, from: s.out, to: h.in, policy: {mode: queue, capacity: 64}");
  RuntimeRunnerOptions options;
  options.trace = true;
  const auto result = run_graph(parts, options);
  std::string order;
  for (const GraphEvent& event : result.events) {
    if (event.name == GraphEventName::kComponentExecuteBegin && event.worker != kNoIndex) {
      order += event.component == 3 ? "h" : "w";
    }
  }
  EXPECT_EQ(order, "hhww");
  EXPECT_EQ(result.metric("runtime.scheduler.priority_high_count", "pool"), 2);
  EXPECT_EQ(result.metric("runtime.scheduler.priority_low_count", "pool"), 2);
}

TEST(PoolBatch, G40_G46_PoolWorkRunsToTheEndAndNothingOfTheStageIsCommitted) {
  RunText parts = pooled("max_threads: 2", "reentrant: true", 3);
  parts.components[1] =
      "id: w, type: core.fail, config: {fail_at: [1, 2]}, trigger_policy: {type: any_input}, "
      "execution: {lane: pool, reentrant: true}";
  const auto result = run_graph(parts);
  EXPECT_EQ(values(result), Strings());
  ASSERT_EQ(result.errors.size(), 1U) << "the first in region order";
  EXPECT_EQ(result.errors.front().phase, "execute");
  EXPECT_EQ(result.errors.front().component, "w");
  EXPECT_EQ(result.errors.front().lane, "pool");
  EXPECT_EQ(result.errors.front().code, "component_execute");
  EXPECT_EQ(result.errors.front().message, "failed as configured");
  EXPECT_EQ(result.metric("runtime.component.execution_count", "w"), 3);
}

TEST(PoolBatch, G62_FailFastIsALaneOverflow) {
  const auto result = run_graph(
      pooled("max_threads: 1, queue_capacity: 1, overflow: fail_fast", "reentrant: true", 3));
  ASSERT_EQ(result.errors.size(), 1U);
  EXPECT_EQ(result.errors.front().code, "lane_overflow");
  EXPECT_EQ(result.errors.front().lane, "pool");
}

TEST(PoolBatch, G57_TheThreadOfTheDomainWorksMeanwhile) {
  RunText parts = pooled("max_threads: 1", "reentrant: true", 2);
  parts.components.push_back(
      "id: m, type: core.spend, config: {cost: 15ms}, trigger_policy: {type: any_input}, "
      "execution: {lane: main}");
  parts.edges.push_back("id: sm, kind: immediate, from: s.out, to: m.in");
  // The pool needs 20 ms, the thread 15 ms, both from 0 on.
  EXPECT_EQ(values_and_times(run_graph(parts)), (Strings{"1@20", "2@20"}));
}

}  // namespace
}  // namespace millrace::graph
