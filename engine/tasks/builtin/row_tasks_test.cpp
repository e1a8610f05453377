#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tasks/task_fixture.h"

namespace millrace::tasks::testing {
namespace {

TEST(RowTasksTest, TSK7_AllOfTheTableAreThere) {
  const TaskRig rig;
  for (const char* op : {"vm",
                         "transform",
                         "filter",
                         "sort",
                         "take",
                         "skip",
                         "concat",
                         "dedupe",
                         "join",
                         "group_limit",
                         "interleave",
                         "diversify",
                         "sample",
                         "fixed_source",
                         "sleep",
                         "busy_cpu",
                         "top_k"}) {
    EXPECT_NE(rig.registry.find_task(op), nullptr) << op;
  }
}

TEST(RowTasksTest, TSK7_KindsAreThoseOfTheTable) {
  const TaskRig rig;
  EXPECT_EQ(rig.registry.find_task("take")->kind, plan::TaskKind::kCheap);
  EXPECT_EQ(rig.registry.find_task("skip")->kind, plan::TaskKind::kCheap);
  EXPECT_EQ(rig.registry.find_task("fixed_source")->kind, plan::TaskKind::kCheap);
  EXPECT_EQ(rig.registry.find_task("sleep")->kind, plan::TaskKind::kAsync);
  EXPECT_EQ(rig.registry.find_task("sort")->kind, plan::TaskKind::kCpu);
}

// One node of each task that works on rows.
std::vector<NodeSetup> row_nodes(TaskRig& rig) {
  const rows::RowSet rows = rig.scored({{1, 0.5}, {2, 0.7}, {3, 0.1}});
  const plan::ParamValue score = text("score");
  const plan::ParamValue order = std::vector<plan::OrderKey>{{.key = "score"}};
  return {
      {.op = "vm",
       .params = {{"out_key", text("score")}, {"expr", expression("score * 2")}},
       .inputs = {rows}},
      {.op = "filter", .params = {{"pred", predicate("score > 0.2")}}, .inputs = {rows}},
      {.op = "sort", .params = {{"key", score}}, .inputs = {rows}},
      {.op = "top_k", .params = {{"order", order}, {"count", num(1)}}, .inputs = {rows}},
      {.op = "concat", .params = {{"rhs", plan::InputIndex{1}}}, .inputs = {rows, rows}},
      {.op = "dedupe", .inputs = {rows}},
      {.op = "join", .params = {{"rhs", plan::InputIndex{1}}}, .inputs = {rows, rig.ids({1, 2})}},
      {.op = "group_limit",
       .params = {{"by", texts({"score"})}, {"count", num(1)}},
       .inputs = {rows}},
      {.op = "interleave", .inputs = {rows, rows}},
      {.op = "diversify", .params = {{"by", texts({"score"})}}, .inputs = {rows}},
      {.op = "sample", .params = {{"count", num(1)}}, .inputs = {rows}},
      {.op = "fixed_source", .params = {{"row_count", num(5)}}},
  };
}

TEST(RowTasksTest, C2_EveryTaskOverRowsStopsWhenTheRunIsOver) {
  TaskRig rig;
  for (const NodeSetup& setup : row_nodes(rig)) EXPECT_TRUE(rig.run(setup).has_value()) << setup.op;
  rig.stop.request_stop();
  for (const NodeSetup& setup : row_nodes(rig)) {
    const base::Result<rows::RowSet> stopped = rig.run(setup);
    ASSERT_FALSE(stopped.has_value()) << setup.op;
    EXPECT_EQ(stopped.error().code(), base::ErrorCode::kCancelled) << setup.op;
    EXPECT_EQ(stopped.error().where(), "n") << setup.op;
    EXPECT_FALSE(rig.scratch.rows().stop().stop_requested())
        << "a stop left in the scratch by " << setup.op;
  }
}

}  // namespace
}  // namespace millrace::tasks::testing
