#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tasks/task_fixture.h"

namespace millrace::tasks::testing {
namespace {

using ::testing::ElementsAre;

TEST(TakeTest, TSK7_KeepsThePrefix) {
  TaskRig rig;
  const auto rows =
      rig.run({.op = "take", .params = {{"count", num(2)}}, .inputs = {rig.ids({5, 3, 9})}});
  EXPECT_THAT(ids_of(rows.value()), ElementsAre(5, 3));
}

TEST(TakeTest, TSK1_CountHasALowerLimit) {
  const TaskRig rig;
  EXPECT_EQ(rig.registry.find_task("take")->params.at(0).minimum, 0.0);
}

}  // namespace
}  // namespace millrace::tasks::testing
