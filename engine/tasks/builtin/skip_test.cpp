#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tasks/task_fixture.h"

namespace millrace::tasks::testing {
namespace {

using ::testing::ElementsAre;

TEST(SkipTest, TSK7_LeavesOutThePrefix) {
  TaskRig rig;
  const auto rows =
      rig.run({.op = "skip", .params = {{"count", num(2)}}, .inputs = {rig.ids({5, 3, 9, 1})}});
  EXPECT_THAT(ids_of(rows.value()), ElementsAre(9, 1));
}

}  // namespace
}  // namespace millrace::tasks::testing
