#include "trace/critical_path.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/random.h"
#include "trace/trace.h"
#include "trace/trace_fixture.h"
#include "trace/trace_record.h"

namespace millrace::trace {
namespace {

using base::Duration;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::uint32_t> nodes_of(const CriticalPath& path) {
  std::vector<std::uint32_t> nodes;
  nodes.reserve(path.steps.size());
  for (const PathStep& step : path.steps) nodes.push_back(step.node_index);
  return nodes;
}

/// Computes the length of a path from its parts, independently of its totals.
Duration sum_of_parts(const CriticalPath& path) {
  Duration sum = path.final_gap;
  for (const PathStep& step : path.steps) sum += step.waiting + step.queued + step.service;
  return sum;
}

TEST(CriticalPathTest, T5_PathsDifferWhenWaitingInAQueueDecides) {
  // 0 → 1 → 3 and 0 → 2 → 3: node 1 has the longest service, node 2 the longest wait.
  const TraceTopology topology = TraceScript::dag(4, {{0, 1}, {0, 2}, {1, 3}, {2, 3}});
  TraceScript script;
  script.run_start(100).queued(0, 100, 110).end(0, 120);
  script.inlined(1, 0, 120).end(1, 170).queued(2, 120, 165).end(2, 180);
  script.inlined(3, 2, 180).end(3, 200).run_end(205, {.executed_count = 4});
  const auto run = analyse_run(script.records(), topology);
  ASSERT_TRUE(run.has_value()) << run.error().to_string();

  const CriticalPath& latency = run->latency_path;
  EXPECT_THAT(nodes_of(latency), ElementsAre(0, 2, 3));
  EXPECT_EQ(latency.steps[0].queued, Duration(10));
  EXPECT_EQ(latency.steps[0].service, Duration(10));
  EXPECT_EQ(latency.steps[1].waiting, Duration(0));
  EXPECT_EQ(latency.steps[1].queued, Duration(45));
  EXPECT_EQ(latency.steps[1].service, Duration(15));
  EXPECT_EQ(latency.span_total, Duration(100));
  EXPECT_EQ(latency.final_gap, Duration(5));
  EXPECT_EQ(latency.gap_total, Duration(5));
  EXPECT_EQ(latency.latency, Duration(105));

  const CriticalPath& service = run->service_path;
  EXPECT_THAT(nodes_of(service), ElementsAre(0, 1, 3));
  EXPECT_EQ(service.span_total, Duration(10 + 50 + 20));
  EXPECT_EQ(service.steps[2].waiting, Duration(10));
  EXPECT_EQ(service.gap_total, Duration(10 + 10 + 5));
  EXPECT_EQ(sum_of_parts(service), service.latency);
}

TEST(CriticalPathTest, T5_RunInWhichNothingStartedIsOneGap) {
  const TraceTopology topology = TraceScript::dag(3, {{0, 1}});
  TraceScript script;
  script.run_start(10).run_end(50, {.status = SpanStatus::Cancelled, .skipped_count = 3});
  const auto run = analyse_run(script.records(), topology);
  ASSERT_TRUE(run.has_value());
  EXPECT_TRUE(run->latency_path.steps.empty());
  EXPECT_EQ(run->latency_path.final_gap, Duration(40));
  EXPECT_EQ(run->latency_path.gap_total, Duration(40));
  EXPECT_EQ(run->service_path.gap_total, Duration(40));
}

TEST(CriticalPathTest, T5_NodeEndedByTheDeadlineCountsUpToIt) {
  const TraceTopology topology = TraceScript::dag(2, {{0, 1}});
  TraceScript script;
  script.run_start(0).queued(0, 0, 0).end(0, 20).queued(1, 20, 30).end(1, 50, SpanStatus::Deadline);
  script.run_end(50, {.status = SpanStatus::Deadline, .executed_count = 2, .late_count = 1});
  const auto run = analyse_run(script.records(), topology);
  ASSERT_TRUE(run.has_value());
  EXPECT_EQ(run->latency_path.steps[1].status, SpanStatus::Deadline);
  EXPECT_EQ(run->latency_path.span_total, Duration(50));
  EXPECT_EQ(run->latency_path.gap_total, Duration(0));
}

TEST(CriticalPathTest, T5_ConsumerOfANodeThatNeverRanIsReadyWhenQueued) {
  // Node 1 gave up before it started; node 2 went on with its fallback at 40.
  const TraceTopology topology = TraceScript::dag(3, {{0, 2}, {1, 2}});
  TraceScript script;
  script.run_start(0).queued(0, 0, 0).end(0, 10).queued(2, 40, 45).end(2, 60);
  script.run_end(60, {.executed_count = 2, .skipped_count = 1});
  const auto run = analyse_run(script.records(), topology);
  ASSERT_TRUE(run.has_value());
  EXPECT_THAT(nodes_of(run->latency_path), ElementsAre(0, 2));
  EXPECT_EQ(run->latency_path.steps[1].waiting, Duration(30));
  EXPECT_EQ(run->latency_path.steps[1].queued, Duration(5));
  EXPECT_EQ(run->latency_path.span_total, Duration(30));
  EXPECT_EQ(run->latency_path.gap_total, Duration(30));
}

TEST(CriticalPathTest, K5_NodeStartedOnDemandHangsOnTheNodeThatStartedIt) {
  const TraceTopology topology = TraceScript::dag(2, {});
  TraceScript script;
  script.run_start(0).queued(0, 0, 0).end(0, 30, SpanStatus::Error).inlined(1, 0, 30).end(1, 35);
  script.run_end(35, {.executed_count = 2});
  const auto run = analyse_run(script.records(), topology);
  ASSERT_TRUE(run.has_value());
  EXPECT_THAT(nodes_of(run->latency_path), ElementsAre(0, 1));
  EXPECT_EQ(run->latency_path.gap_total, Duration(0));
}

std::string error_of(TraceScript& script, const TraceTopology& topology) {
  const auto run = analyse_run(script.records(), topology);
  if (run.has_value()) return "no error";
  EXPECT_EQ(run.error().code(), base::ErrorCode::kInvalidArgument);
  return run.error().message();
}

TEST(CriticalPathTest, BrokenTracesAreNamed) {
  const TraceTopology topology = TraceScript::dag(2, {{0, 1}});
  TraceScript no_start;
  no_start.run_end(5, {});
  EXPECT_THAT(error_of(no_start, topology), HasSubstr("RunStart is missing"));
  TraceScript no_end;
  no_end.run_start(5);
  EXPECT_THAT(error_of(no_end, topology), HasSubstr("RunEnd is missing"));
  TraceScript open_node;
  open_node.run_start(0).queued(0, 0, 0).run_end(5, {});
  EXPECT_THAT(error_of(open_node, topology), HasSubstr("NodeEnd is missing: n0"));
  TraceScript unknown;
  unknown.run_start(0).queued(7, 0, 0).end(7, 1).run_end(5, {});
  EXPECT_THAT(error_of(unknown, topology), HasSubstr("no such node: 7"));
  TraceScript too_early;
  too_early.run_start(0).queued(0, 0, 0).queued(1, 0, 2).end(1, 3).end(0, 4).run_end(5, {});
  EXPECT_THAT(error_of(too_early, topology), HasSubstr("node starts before its inputs: n1"));
  TraceScript too_late;
  too_late.run_start(0).queued(0, 0, 0).end(0, 9).run_end(5, {});
  EXPECT_THAT(error_of(too_late, topology), HasSubstr("node ends after its run: n0"));
  TraceScript right;
  right.run_start(0).run_end(5, {});
  EXPECT_THAT(error_of(right, TraceScript::dag(2, {{0, 5}})), HasSubstr("no such edge: 0 to 5"));
  TraceScript circle;
  circle.run_start(0).queued(0, 0, 0).end(0, 0).queued(1, 0, 0).end(1, 0).run_end(5, {});
  EXPECT_THAT(error_of(circle, TraceScript::dag(2, {{0, 1}, {1, 0}})), HasSubstr("cycle"));
}

/// A run of a random DAG on any number of workers, and its longest chain, found by trying all
/// chains.
struct RandomRun {
  TraceTopology topology;
  std::vector<TraceRecord> records;
  std::vector<std::int64_t> service;
};

RandomRun make_random_run(base::Random& random) {
  const auto node_count = static_cast<std::uint32_t>(1 + random.below(12));
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
  for (std::uint32_t to = 1; to < node_count; ++to) {
    for (std::uint32_t from = 0; from < to; ++from) {
      if (random.chance(0.3)) edges.emplace_back(from, to);
    }
  }
  RandomRun out{.topology = TraceScript::dag(node_count, edges), .records = {}, .service = {}};
  const auto origin = static_cast<std::int64_t>(random.below(1'000'000));
  TraceScript script;
  script.run_start(origin);
  std::vector<std::int64_t> ends;
  std::int64_t run_end = origin;
  for (std::uint32_t node = 0; node < node_count; ++node) {
    std::int64_t ready = origin;
    for (const auto& [from, to] : edges) {
      if (to == node) ready = std::max(ready, ends[from]);
    }
    const std::int64_t start =
        ready + static_cast<std::int64_t>(random.below(5) * random.below(50));
    out.service.push_back(static_cast<std::int64_t>(random.below(5) * random.below(100)));
    ends.push_back(start + out.service.back());
    script.queued(node, ready, start).end(node, ends.back());
    run_end = std::max(run_end, ends.back());
  }
  script.run_end(run_end + static_cast<std::int64_t>(random.below(3)),
                 {.executed_count = node_count});
  out.records = script.records();
  return out;
}

std::int64_t longest_service(const RandomRun& run) {
  std::function<std::int64_t(std::uint32_t)> longest_to = [&](std::uint32_t node) {
    std::int64_t before = 0;
    for (const TraceTopology::Edge edge : run.topology.edges) {
      if (edge.consumer == node) before = std::max(before, longest_to(edge.producer));
    }
    return before + run.service[node];
  };
  std::int64_t longest = 0;
  for (std::uint32_t node = 0; node < run.service.size(); ++node) {
    longest = std::max(longest, longest_to(node));
  }
  return longest;
}

TEST(CriticalPathTest, T5_PartsAddUpExactlyOnRandomRuns) {
  base::SplitMix64 random(5);
  for (int i = 0; i < 2'000; ++i) {
    const RandomRun random_run = make_random_run(random);
    const auto run = analyse_run(random_run.records, random_run.topology);
    ASSERT_TRUE(run.has_value()) << run.error().to_string();
    const Duration latency = run->end - run->start;
    for (const CriticalPath* path : {&run->latency_path, &run->service_path}) {
      ASSERT_EQ(sum_of_parts(*path), latency);
      ASSERT_EQ(path->span_total + path->gap_total, latency);
      ASSERT_EQ(path->latency, latency);
      for (const PathStep& step : path->steps) {
        ASSERT_GE(std::min({step.waiting, step.queued, step.service}), Duration(0));
      }
    }
    // Every input comes from a node that ran, so the only gap of the latency path is the last one.
    ASSERT_EQ(run->latency_path.gap_total, run->latency_path.final_gap);
    ASSERT_EQ(run->service_path.span_total, Duration(longest_service(random_run)));
  }
}

}  // namespace
}  // namespace millrace::trace
