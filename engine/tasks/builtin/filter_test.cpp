#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tasks/task_fixture.h"

namespace millrace::tasks::testing {
namespace {

using ::testing::ElementsAre;

TEST(FilterTest, TSK7_KeepsRowsThatAreTrueAndCopiesNothing) {
  TaskRig rig;
  const rows::RowSet input = rig.scored({{1, 0.2}, {2, 0.9}, {3, 0.5}});
  const auto rows =
      rig.run({.op = "filter", .params = {{"pred", predicate("score >= 0.5")}}, .inputs = {input}});
  EXPECT_THAT(ids_of(rows.value()), ElementsAre(2, 3));
  EXPECT_EQ(rows.value().batch(), input.batch());
}

}  // namespace
}  // namespace millrace::tasks::testing
