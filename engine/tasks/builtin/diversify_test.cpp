#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tasks/task_fixture.h"

namespace millrace::tasks::testing {
namespace {

using ::testing::ElementsAre;

TEST(DiversifyTest, TSK7_KeepsEqualValuesApart) {
  TaskRig rig;
  const auto rows = rig.run({.op = "diversify",
                             .params = {{"by", texts({"score"})}},
                             .inputs = {rig.scored({{1, 5}, {2, 5}, {3, 6}})}});
  EXPECT_THAT(ids_of(rows.value()), ElementsAre(1, 3, 2));
}

TEST(DiversifyTest, TSK7_ChoosesByMarginalRelevance) {
  TaskRig rig;
  const Table table{
      .names = {"id", "a", "score"},
      .types = {rows::ColumnType::kInt64, rows::ColumnType::kInt64, rows::ColumnType::kFloat64},
      .rows = {{1, 7, 1.0}, {2, 7, 0.9}, {3, 8, 0.5}}};
  const auto rows = rig.run({.op = "diversify",
                             .params = {{"score", text("score")},
                                        {"by", texts({"a"})},
                                        {"lambda", 0.5},
                                        {"count", num(2)}},
                             .inputs = {to_rows(table, rig.scratch.rows())}});
  EXPECT_THAT(ids_of(rows.value()), ElementsAre(1, 3));
}

TEST(DiversifyTest, ART8_RefusesParamsThatContradictAtLoad) {
  TaskRig rig;
  EXPECT_FALSE(rig.prepare({.op = "diversify", .inputs = {rig.ids({1})}}).has_value());
  EXPECT_FALSE(
      rig.prepare(
             {.op = "diversify", .params = {{"score", text("score")}}, .inputs = {rig.ids({1})}})
          .has_value());
}

}  // namespace
}  // namespace millrace::tasks::testing
