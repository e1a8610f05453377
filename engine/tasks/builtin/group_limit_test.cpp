#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tasks/task_fixture.h"

namespace millrace::tasks::testing {
namespace {

using ::testing::ElementsAre;

TEST(GroupLimitTest, TSK7_KeepsTheFirstOfEachGroup) {
  TaskRig rig;
  const auto rows = rig.run({.op = "group_limit",
                             .params = {{"by", texts({"score"})}, {"count", num(2)}},
                             .inputs = {rig.scored({{1, 5}, {2, 5}, {3, 5}, {4, 6}})}});
  EXPECT_THAT(ids_of(rows.value()), ElementsAre(1, 2, 4));
}

}  // namespace
}  // namespace millrace::tasks::testing
