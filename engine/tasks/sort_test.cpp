#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plan/param_value.h"
#include "tasks/task_fixture.h"

namespace millrace::tasks::testing {
namespace {

using ::testing::ElementsAre;

plan::ParamValue order(std::vector<plan::OrderKey> keys) { return keys; }

TEST(SortTest, TSK7_OrdersByKeyThenId) {
  TaskRig rig;
  const auto rows = rig.run({.op = "sort",
                             .params = {{"key", order({{.key = "score"}})}},
                             .inputs = {rig.scored({{3, 1.0}, {1, 2.0}, {2, 1.0}})}});
  EXPECT_THAT(ids_of(rows.value()), ElementsAre(2, 3, 1));
}

TEST(SortTest, TSK7_DescGoesForEveryKey) {
  TaskRig rig;
  const auto rows =
      rig.run({.op = "sort",
               .params = {{"key", order({{.key = "score"}})}, {"order", text("desc")}},
               .inputs = {rig.scored({{3, 1.0}, {1, 2.0}, {2, 3.0}})}});
  EXPECT_THAT(ids_of(rows.value()), ElementsAre(2, 1, 3));
}

}  // namespace
}  // namespace millrace::tasks::testing
