#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tasks/task_fixture.h"

namespace millrace::tasks::testing {
namespace {

using rows::testing::kNull;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

plan::ParamValue moves(std::vector<plan::KeyMove> keys) { return keys; }

class AggregateTaskTest : public ::testing::Test {
 protected:
  /// Rows of the groups 7 and 8; `most` is a value of group 7.
  [[nodiscard]] rows::RowSet likes(std::int64_t most) {
    return to_rows(
        {.names = {"id", "a", "b"},
         .types = {rows::ColumnType::kInt64, rows::ColumnType::kInt64, rows::ColumnType::kInt64},
         .rows = {{5, 8, 1}, {3, 7, most}, {9, 8, kNull}, {4, 7, 2}}},
        rig.scratch.rows());
  }
  [[nodiscard]] base::Result<rows::RowSet> sum(std::int64_t most, plan::RowErrorRule rule) {
    return rig.run({.op = "aggregate",
                    .params = {{"by", texts({"a"})}, {"sum", moves({{"s", "b"}})}},
                    .inputs = {likes(most)},
                    .taken_columns = {{.to = "s", .from = "b"}},
                    .on_row_error = rule});
  }
  [[nodiscard]] base::Error refused(std::map<std::string, plan::ParamValue> params) {
    return rig.prepare({.op = "aggregate", .params = std::move(params), .inputs = {rig.ids({1})}})
        .error();
  }

  static constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  TaskRig rig;
};

TEST_F(AggregateTaskTest, TSK7_MakesOneRowOfEachGroup) {
  const auto rows = rig.run({.op = "aggregate",
                             .params = {{"by", texts({"a"})},
                                        {"count", moves({{"rows", "id"}, {"n", "b"}})},
                                        {"sum", moves({{"s", "b"}})},
                                        {"mean", moves({{"m", "b"}})},
                                        {"min", moves({{"least", "b"}})},
                                        {"max", moves({{"most", "b"}})},
                                        {"first", moves({{"b", "b"}})}},
                             .inputs = {likes(6)},
                             .taken_columns = {{.to = "a", .from = "a"},
                                               {.to = "rows", .from = "id"},
                                               {.to = "n", .from = "b"},
                                               {.to = "s", .from = "b"},
                                               {.to = "m", .from = "b"},
                                               {.to = "least", .from = "b"},
                                               {.to = "most", .from = "b"},
                                               {.to = "b", .from = "b"}}});
  EXPECT_THAT(ids_of(rows.value()), ElementsAre(5, 3));
  const Table table = to_table(rows.value());
  EXPECT_THAT(table.column("a"), ElementsAre(8, 7));
  EXPECT_THAT(table.column("rows"), ElementsAre(2, 2));
  EXPECT_THAT(table.column("n"), ElementsAre(1, 2));
  EXPECT_THAT(table.column("s"), ElementsAre(1, 8));
  EXPECT_THAT(table.column("m"), ElementsAre(1.0, 4.0));
  EXPECT_THAT(table.column("least"), ElementsAre(1, 2));
  EXPECT_THAT(table.column("most"), ElementsAre(1, 6));
  EXPECT_THAT(table.column("b"), ElementsAre(1, 6));
}

TEST_F(AggregateTaskTest, CMP1_ComputesOnlyWhatIsRead) {
  const auto rows = rig.run(
      {.op = "aggregate",
       .params = {{"by", texts({"a"})}, {"sum", moves({{"s", "b"}})}, {"max", moves({{"x", "b"}})}},
       .inputs = {likes(6)},
       .taken_columns = {{.to = "x", .from = "b"}}});
  EXPECT_THAT(to_table(rows.value()).names, ElementsAre("id", "x"));
}

TEST_F(AggregateTaskTest, EXP5_ASumBeyondInt64IsARowError) {
  const auto kept = sum(kMost, plan::RowErrorRule::kNull);
  EXPECT_THAT(to_table(kept.value()).column("s"), ElementsAre(1, kNull));
  EXPECT_EQ(rig.stats.row_errors, 1U);
  EXPECT_EQ(rig.stats.first_row_error, "sum of b is beyond int64");
  const auto dropped = sum(kMost, plan::RowErrorRule::kDrop);
  EXPECT_THAT(ids_of(dropped.value()), ElementsAre(5));
  EXPECT_EQ(rig.stats.row_errors, 1U);
  const auto failed = sum(kMost, plan::RowErrorRule::kFail);
  EXPECT_EQ(failed.error().code(), base::ErrorCode::kNodeFailed);
  EXPECT_THAT(failed.error().to_string(), HasSubstr("sum of b is beyond int64"));
  EXPECT_TRUE(sum(kMost - 2, plan::RowErrorRule::kFail).has_value());
}

TEST_F(AggregateTaskTest, E11_RefusesTwoColumnsOfOneNameAtLoad) {
  const base::Error twice =
      refused({{"by", texts({"a"})}, {"sum", moves({{"x", "b"}})}, {"max", moves({{"x", "b"}})}});
  EXPECT_EQ(twice.where(), "n.params.max");
  EXPECT_THAT(twice.to_string(), HasSubstr("`x`"));
  EXPECT_EQ(refused({{"by", texts({"a"})}, {"first", moves({{"a", "a"}})}}).where(),
            "n.params.first");
  EXPECT_EQ(refused({{"by", texts({"a", "a"})}}).where(), "n.params.by");
}

}  // namespace
}  // namespace millrace::tasks::testing
