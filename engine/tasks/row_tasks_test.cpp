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

}  // namespace
}  // namespace millrace::tasks::testing
