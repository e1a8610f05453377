#include "graph/compile/lane_fields.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/format/spec.h"
#include "graph/format/words.h"
#include "graph/graph_fixture.h"

namespace millrace::graph {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(LaneFieldsTest, G8_EachIntentWarnsOnceUnlessItIsEnforced) {
  GraphText graph;
  const std::string intents =
      "priority: 1, cpu_affinity: [0], nice_priority: 1, rt_policy: rr, rt_priority: 2, "
      "isolation_intent: shared";
  graph.lanes = {"p: {type: thread_pool, thread_name: w, " + intents + "}"};
  EXPECT_THAT(diagnose(graph.text()),
              ElementsAre("advisory_lane_field_ignored lanes.p.priority 4:52",
                          "advisory_lane_field_ignored lanes.p.cpu_affinity 4:69",
                          "advisory_lane_field_ignored lanes.p.nice_priority 4:89",
                          "advisory_lane_field_ignored lanes.p.rt_policy 4:103",
                          "advisory_lane_field_ignored lanes.p.rt_priority 4:120",
                          "advisory_lane_field_ignored lanes.p.isolation_intent 4:141"));
  graph.lanes = {"p: {type: thread_pool, enforce: best_effort, " + intents + "}"};
  EXPECT_THAT(diagnose(graph.text()), IsEmpty());
}

TEST(LaneFieldsTest, G8_DefaultsDoNotWarnAndNamesNeedThreads) {
  GraphText graph;
  graph.lanes = {
      "p: {type: thread_pool, priority: 0, rt_policy: none, wall_clock_enabled: false}",
      "i: {type: isolated_thread, thread_name: x}",
      "r: {type: fixed_rate, hz: 5, wall_clock_enabled: true, independent: true, thread_name: x}"};
  EXPECT_THAT(diagnose(graph.text()), IsEmpty());
  graph.lanes = {"e: {type: event_loop, thread_name: x}",
                 "m: {type: manual_step, thread_name: x}",
                 "r: {type: fixed_rate, thread_name: x}",
                 "p: {type: thread_pool, wall_clock_enabled: true}"};
  EXPECT_THAT(diagnose(graph.text()),
              ElementsAre("advisory_lane_field_ignored lanes.e.thread_name 4:38",
                          "advisory_lane_field_ignored lanes.m.thread_name 5:39",
                          "advisory_lane_field_ignored lanes.r.thread_name 6:38",
                          "advisory_lane_field_ignored lanes.p.wall_clock_enabled 7:46"));
}

TEST(LaneFieldsTest, G9_AnUnknownPriorityFailsValidation) {
  GraphText graph;
  graph.source("a", "lane: main, priority: urgent");
  EXPECT_THAT(diagnose(graph.text()),
              ElementsAre("bad_value components[0].execution.priority 6:87"));
}

TEST(LaneFieldsTest, OnlySomeLanesHaveThreadsOfTheirOwn) {
  EXPECT_TRUE(has_own_threads({.type = LaneType::kThreadPool}));
  EXPECT_TRUE(has_own_threads({.type = LaneType::kFixedRate, .independent = true}));
  EXPECT_FALSE(has_own_threads({.type = LaneType::kFixedRate}));
  EXPECT_FALSE(has_own_threads({.type = LaneType::kEventLoop}));
}

}  // namespace
}  // namespace millrace::graph
