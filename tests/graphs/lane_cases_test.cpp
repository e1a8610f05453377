#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/format.h"
#include "case_run.h"

// Small graphs about lanes, whose outcome was worked out by hand from the contract.

namespace millrace::graph_reference {
namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAre;

/// Four messages for a pool of two threads that take 10 ms each.
CaseGraph pool_graph(const std::string& lane, const std::string& execution) {
  CaseGraph graph;
  graph.lane("pool: {type: thread_pool, max_threads: 2" + lane + "}").counter("src", 4, 4);
  graph.component(
      "id: work, type: core.spend, config: {cost: 10ms}, trigger_policy: {type: any_input}, "
      "execution: {lane: pool" +
      execution + "}");
  graph.print("out").edge("a", "src", "work.in").edge("b", "work", "out.in");
  return graph;
}

TEST(GraphReference, PoolsOverlapReentrantInvocationsOnly) {
  const Outcome reentrant = run(pool_graph("", ", reentrant: true"));
  EXPECT_THAT(begins(reentrant, "work"), ElementsAre(0, 0, 10, 10));
  EXPECT_THAT(begins(reentrant, "out"), ElementsAre(20, 20, 20, 20));
  const Outcome serial = run(pool_graph("", ""));
  EXPECT_THAT(begins(serial, "work"), ElementsAre(0, 10, 20, 30));
  EXPECT_EQ(metric(serial, "scheduler.active_count{pool}"), 1);
  EXPECT_EQ(metric(serial, "scheduler.in_flight_count{pool}"), 4);
  EXPECT_EQ(metric(serial, "scheduler.queue_depth{pool}"), 3);
}

TEST(GraphReference, PoolsAdmitTheirWidthAndTheirQueue) {
  const Outcome newest = run(pool_graph(", queue_capacity: 1", ", reentrant: true"));
  EXPECT_THAT(printed(newest), ElementsAre("1", "2", "3"));
  EXPECT_EQ(metric(newest, "scheduler.rejected_count{pool}"), 1);
  const Outcome oldest = run(
      pool_graph(", queue_capacity: 0, overflow: drop_oldest", ", reentrant: true, priority: low"));
  EXPECT_THAT(printed(oldest), ElementsAre("3", "4"));
  EXPECT_EQ(metric(oldest, "scheduler.low_priority_rejected_count{pool}"), 2);
  const Outcome failed = run(pool_graph(", queue_capacity: 0, overflow: fail_fast", ""));
  EXPECT_EQ(failed.error_code, "lane_overflow");
}

TEST(GraphReference, TheGuardGivesTheLowestClassItsTurn) {
  CaseGraph graph;
  graph.lane("pool: {type: thread_pool, starvation_guard_every: 2}").counter("src", 4, 4);
  for (const char* id : {"high", "background"}) {
    graph.component(base::format(
        "id: {0}, type: core.spend, config: {{cost: 1ms}}, trigger_policy: {{type: any_input}}, "
        "execution: {{lane: pool, priority: {0}}}",
        id));
    graph.edge(base::format("to_{}", id), "src", base::format("{}.in", id));
  }
  const Outcome outcome = run(graph);
  // Dispatches: high high GUARD high GUARD high GUARD background; the last guard finds no other.
  EXPECT_THAT(begins(outcome, "high"), ElementsAre(0, 1, 3, 5));
  EXPECT_THAT(begins(outcome, "background"), ElementsAre(2, 4, 6, 7));
  EXPECT_EQ(metric(outcome, "scheduler.starvation_guard_count{pool}"), 2);
}

TEST(GraphReference, RegionsOfAStageOverlapOnPools) {
  CaseGraph graph;
  graph.lane("pool: {type: thread_pool, max_threads: 2}").counter("src", 1);
  for (const char* id : {"left", "right"}) {
    graph.component(base::format(
        "id: {}, type: core.spend, config: {{cost: 10ms}}, trigger_policy: {{type: any_input}}, "
        "execution: {{lane: pool}}",
        id));
    graph.edge(base::format("to_{}", id), "src", base::format("{}.in", id));
    graph.edge(base::format("from_{}", id), id, base::format("out.{}", id));
  }
  graph.print("out");
  const Outcome outcome = run(graph);
  EXPECT_THAT(begins(outcome, "left"), ElementsAre(0));
  EXPECT_THAT(begins(outcome, "right"), ElementsAre(0));
  EXPECT_THAT(begins(outcome, "out"), ElementsAre(10, 10));
}

/// A grid of 10 ms whose first tick takes 25 ms.
std::vector<std::int64_t> late_grid(const std::string& policy, double& skipped) {
  CaseGraph graph;
  graph.lanes = base::format(
      "  main: {{type: fixed_rate, period: 10ms, wall_clock_enabled: true, overrun_policy: {}}}\n",
      policy);
  graph.counter("src", 9);
  graph.component(
      "id: work, type: core.spend, config: {costs: [25ms, 0ms]}, trigger_policy: {type: "
      "any_input}, execution: {lane: main}");
  graph.edge("e", "src", "work.in").until(milliseconds(60));
  const Outcome outcome = run(graph);
  EXPECT_EQ(metric(outcome, "scheduler.tick_overrun_count{main}"), 1);
  skipped = metric(outcome, "scheduler.skipped_tick_count{main}");
  return tick_times(outcome, "main");
}

TEST(GraphReference, LateTicksFollowTheOverrunPolicy) {
  double skipped = 0;
  EXPECT_THAT(late_grid("drop_tick", skipped), ElementsAre(0, 30, 40, 50));
  EXPECT_EQ(skipped, 2);
  EXPECT_THAT(late_grid("skip_next", skipped), ElementsAre(0, 40, 50));
  EXPECT_EQ(skipped, 3);
  EXPECT_THAT(late_grid("catch_up_once", skipped), ElementsAre(0, 25, 30, 40, 50));
  EXPECT_EQ(skipped, 1);
}

TEST(GraphReference, IndependentRatesTickThreeToOne) {
  CaseGraph graph;
  graph.lanes =
      "  fast: {type: fixed_rate, period: 10ms, wall_clock_enabled: true, independent: true}\n"
      "  slow: {type: fixed_rate, period: 30ms, wall_clock_enabled: true, independent: true}\n";
  graph.component("id: a, type: core.counter, execution: {lane: fast}");
  graph.component(
      "id: b, type: core.stdout, trigger_policy: {type: any_input}, execution: {lane: slow}");
  graph.edge("e", "a", "b.in", "kind: async, policy: {mode: queue, capacity: 9}");
  const Outcome outcome = run(graph.until(milliseconds(90)));
  EXPECT_EQ(outcome.epochs.at("fast"), 9);
  EXPECT_EQ(outcome.epochs.at("slow"), 3);
  // The epochs at 0 ms of both domains: the end of the fast one is before the begin of the slow
  // one.
  EXPECT_THAT(list_lines(outcome),
              ElementsAre("b 1 0 1 a#1 e#1",
                          "b 2 30000 2 a#2 e#2",
                          "b 2 30000 3 a#3 e#3",
                          "b 2 30000 4 a#4 e#4",
                          "b 3 60000 5 a#5 e#5",
                          "b 3 60000 6 a#6 e#6",
                          "b 3 60000 7 a#7 e#7"));
}

TEST(GraphReference, PriorityOrdersWhatDoesNotDependOnEachOther) {
  CaseGraph graph;
  graph.counter("src", 1);
  for (const char* id : {"low", "high"}) {
    graph.component(base::format(
        "id: {0}, type: core.spend, config: {{cost: 1ms}}, trigger_policy: {{type: any_input}}, "
        "execution: {{lane: main, priority: {0}}}",
        id));
    graph.edge(base::format("to_{}", id), "src", base::format("{}.in", id));
  }
  const Outcome outcome = run(graph);
  EXPECT_THAT(begins(outcome, "high"), ElementsAre(0));
  EXPECT_THAT(begins(outcome, "low"), ElementsAre(1));
}

}  // namespace
}  // namespace millrace::graph_reference
