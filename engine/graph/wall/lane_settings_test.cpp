#include "graph/wall/lane_settings.h"

#include <cerrno>

#include <gtest/gtest.h>

#include "base/sync/thread_settings.h"
#include "graph/format/spec.h"
#include "graph/run/run_fixture.h"

namespace millrace::graph {
namespace {

LaneSpec lane_with_wishes(Enforce enforce) {
  LaneSpec lane;
  lane.type = LaneType::kIsolatedThread;
  lane.thread_name = "probe";
  lane.cpu_affinity = {0};
  lane.nice_priority = 5;
  lane.rt_policy = RtPolicy::kFifo;
  lane.rt_priority = 7;
  lane.enforce = enforce;
  return lane;
}

TEST(LaneSettings, G8_WithoutEnforceOnlyTheNameIsApplied) {
  const base::ThreadSettings settings = thread_settings(lane_with_wishes(Enforce::kOff));
  EXPECT_EQ(settings.name, "probe");
  EXPECT_TRUE(settings.cpus.empty());
  EXPECT_EQ(settings.nice, 0);
  EXPECT_EQ(settings.policy, base::ThreadPolicy::kNormal);
}

TEST(LaneSettings, G8_WithEnforceAllAreAskedFor) {
  LaneSpec lane = lane_with_wishes(Enforce::kBestEffort);
  base::ThreadSettings settings = thread_settings(lane);
  EXPECT_EQ(settings.cpus, std::vector<int>{0});
  EXPECT_EQ(settings.nice, 5);
  EXPECT_EQ(settings.policy, base::ThreadPolicy::kFifo);
  EXPECT_EQ(settings.policy_priority, 7);
  EXPECT_TRUE(unmet_settings(lane).empty());
  lane.nice_priority = 0;
  lane.priority = 30;
  EXPECT_EQ(thread_settings(lane).nice, -20);
  lane.isolation_intent = IsolationIntent::kDedicated;
  lane.rt_policy = RtPolicy::kNone;
  const auto unmet = unmet_settings(lane);
  ASSERT_EQ(unmet.size(), 2U);
  EXPECT_EQ(unmet[0].error, EOPNOTSUPP);
  EXPECT_EQ(unmet[1].field, "rt_priority");
}

RunText isolated_graph(const std::string& wishes) {
  return {.lanes = {"main: {type: event_loop}", "own: {type: isolated_thread, " + wishes + "}"},
          .components = {"id: s, type: core.counter, config: {count: 1}, execution: {lane: own}"}};
}

TEST(LaneSettings, G8_WhatIsAppliedIsReadBackAndReported) {
  const auto result =
      run_graph_in_wall_time(isolated_graph("thread_name: probe, enforce: best_effort, "
                                            "isolation_intent: dedicated"));
  EXPECT_TRUE(result.ok);
  ASSERT_EQ(result.lane_settings.size(), 2U);
  EXPECT_EQ(
      result.lane_settings[0],
      (LaneSettingReport{
          .lane = "own", .field = "thread_name", .requested = "probe", .effective = "probe"}));
  EXPECT_EQ(result.lane_settings[1].field, "isolation_intent");
  EXPECT_EQ(result.lane_settings[1].effective, "shared");
}

TEST(LaneSettings, G8_WhatIsRequiredAndRefusedFailsActivation) {
  const auto result =
      run_graph_in_wall_time(isolated_graph("enforce: require, isolation_intent: dedicated"));
  EXPECT_FALSE(result.ok);
  ASSERT_EQ(result.errors.size(), 1U);
  EXPECT_EQ(result.errors[0].phase, "activate");
  EXPECT_EQ(result.errors[0].code, "os_setting");
  EXPECT_EQ(result.errors[0].lane, "own");
  EXPECT_EQ(result.invocations, 0U);
}

}  // namespace
}  // namespace millrace::graph
