#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tasks/task_fixture.h"

namespace millrace::tasks::testing {
namespace {

using ::testing::ElementsAre;

TEST(ConcatTest, TSK7_AppendsAllInputs) {
  TaskRig rig;
  const auto rows = rig.run({.op = "concat",
                             .params = {{"rhs", plan::InputIndex{1}}},
                             .inputs = {rig.ids({1, 2}), rig.scored({{2, 0.5}})}});
  const Table table = to_table(rows.value());
  EXPECT_THAT(ids_of(rows.value()), ElementsAre(1, 2, 2));
  EXPECT_THAT(table.column("score"), ElementsAre(rows::testing::kNull, rows::testing::kNull, 0.5));
  EXPECT_FALSE(table.has("source"));
}

TEST(ConcatTest, TSK7_TagsInputsWhenSomethingReadsTheTag) {
  TaskRig rig;
  const auto rows = rig.run(
      {.op = "concat", .inputs = {rig.ids({1}), rig.ids({2})}, .columns = {"id", "source"}});
  EXPECT_THAT(to_table(rows.value()).column("source"), ElementsAre("0", "1"));
  const auto named = rig.run({.op = "concat",
                              .params = {{"tags", texts({"follow", "recs"})}},
                              .inputs = {rig.ids({1}), rig.ids({2})},
                              .columns = {"id", "source"}});
  EXPECT_THAT(to_table(named.value()).column("source"), ElementsAre("follow", "recs"));
}

TEST(ConcatTest, ART8_RefusesTagsThatDoNotFitAtLoad) {
  TaskRig rig;
  const auto node = rig.prepare(
      {.op = "concat", .params = {{"tags", texts({"a"})}}, .inputs = {rig.ids({1}), rig.ids({2})}});
  EXPECT_EQ(node.error().code(), base::ErrorCode::kInvalidPlan);
}

}  // namespace
}  // namespace millrace::tasks::testing
