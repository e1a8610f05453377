#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tasks/task_fixture.h"

namespace millrace::tasks::testing {
namespace {

using ::testing::ElementsAre;

TEST(FixedSourceTest, TSK7_GivesIdsFromOne) {
  TaskRig rig;
  EXPECT_THAT(ids_of(rig.run({.op = "fixed_source", .params = {{"row_count", num(3)}}}).value()),
              ElementsAre(1, 2, 3));
  EXPECT_THAT(ids_of(rig.run({.op = "fixed_source"}).value()), ElementsAre(1));
}

}  // namespace
}  // namespace millrace::tasks::testing
