#include <map>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tasks/task_fixture.h"

namespace millrace::tasks::testing {
namespace {

using ::testing::ElementsAre;

TEST(DedupeTest, TSK7_KeepsFirstLastOrBest) {
  TaskRig rig;
  const Table table{
      .names = {"id", "a", "score"},
      .types = {rows::ColumnType::kInt64, rows::ColumnType::kInt64, rows::ColumnType::kFloat64},
      .rows = {{1, 7, 0.1}, {2, 7, 0.9}, {3, 7, 0.2}, {4, 8, 0.3}}};
  const rows::RowSet input = to_rows(table, rig.scratch.rows());
  const auto keep = [&](const char* which, std::map<std::string, plan::ParamValue> more) {
    more["by"] = texts({"a"});
    more["keep"] = text(which);
    return ids_of(rig.run({.op = "dedupe", .params = more, .inputs = {input}}).value());
  };
  EXPECT_THAT(keep("first", {}), ElementsAre(1, 4));
  EXPECT_THAT(keep("last", {}), ElementsAre(3, 4));
  EXPECT_THAT(keep("max", {{"score", text("score")}}), ElementsAre(2, 4));
}

TEST(DedupeTest, ART8_RefusesMaxWithoutScoreAtLoad) {
  TaskRig rig;
  const auto node =
      rig.prepare({.op = "dedupe", .params = {{"keep", text("max")}}, .inputs = {rig.ids({1})}});
  EXPECT_EQ(node.error().code(), base::ErrorCode::kInvalidPlan);
  EXPECT_EQ(node.error().where(), "n.params.score");
}

}  // namespace
}  // namespace millrace::tasks::testing
