#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tasks/task_fixture.h"

namespace millrace::tasks::testing {
namespace {

using ::testing::ElementsAre;

TEST(VmTest, TSK7_WritesOneKey) {
  TaskRig rig;
  const auto rows =
      rig.run({.op = "vm",
               .params = {{"out_key", text("score")}, {"expr", expression("id * 2.5")}},
               .inputs = {rig.ids({1, 2})}});
  EXPECT_THAT(to_table(rows.value()).column("score"), ElementsAre(2.5, 5.0));
}

TEST(VmTest, TSK7_TransformIsTheSameTask) {
  const TaskRig rig;
  EXPECT_EQ(rig.registry.find_task("transform"), rig.registry.find_task("vm"));
}

TEST(VmTest, TSK7_WithoutParamsRowsPassAsTheyAre) {
  TaskRig rig;
  const auto rows = rig.run({.op = "transform", .inputs = {rig.scored({{3, 1.5}, {1, 2.0}})}});
  EXPECT_THAT(ids_of(rows.value()), ElementsAre(3, 1));
  EXPECT_THAT(to_table(rows.value()).column("score"), ElementsAre(1.5, 2.0));
}

TEST(VmTest, ART8_AKeyAndItsExpressionBelongTogether) {
  TaskRig rig;
  EXPECT_FALSE(
      rig.prepare({.op = "vm", .params = {{"out_key", text("score")}}, .inputs = {rig.ids({1})}})
          .has_value());
  EXPECT_FALSE(
      rig.prepare(
             {.op = "vm", .params = {{"expr", expression("id * 2.5")}}, .inputs = {rig.ids({1})}})
          .has_value());
}

TEST(VmTest, EXP7_CountsRowsThatFail) {
  TaskRig rig;
  const auto rows = rig.run(
      {.op = "vm",
       .params = {{"out_key", text("score")}, {"expr", expression("id * 9223372036854775807")}},
       .inputs = {rig.ids({1, 2, 3})}});
  ASSERT_TRUE(rows.has_value());
  EXPECT_EQ(rig.stats.row_errors, 2);
  EXPECT_FALSE(rig.stats.first_row_error.empty());
}

TEST(VmTest, EXP7_FailsWhenToldTo) {
  TaskRig rig;
  const auto rows = rig.run(
      {.op = "vm",
       .params = {{"out_key", text("score")}, {"expr", expression("id * 9223372036854775807")}},
       .inputs = {rig.ids({1, 2, 3})},
       .on_row_error = plan::RowErrorRule::kFail});
  EXPECT_FALSE(rows.has_value());
}

}  // namespace
}  // namespace millrace::tasks::testing
