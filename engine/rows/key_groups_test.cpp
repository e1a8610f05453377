#include "rows/key_groups.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/random.h"
#include "rows/rows_fixture.h"

namespace millrace::rows {
namespace {

using testing::check_property;
using ::testing::ElementsAre;
using testing::kNan;
using testing::kNull;
using testing::Table;
using testing::to_rows;
using testing::to_table;

TEST(KeyGroupsTest, NumbersKeysInOrderOfAppearance) {
  check_property("groups", 200, [](base::Random& random, std::size_t count, RowScratch& scratch) {
    const RowSet rows = testing::random_rows(random, count, scratch);
    const Table table = to_table(rows);
    const std::vector<std::string> keys = testing::random_key_names(random);
    std::vector<std::size_t> first_rows;
    std::vector<std::uint32_t> expected;
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
      std::size_t group = 0;
      while (group < first_rows.size() &&
             !testing::same_keys(table, keys, table.rows[first_rows[group]], table.rows[i])) {
        ++group;
      }
      if (group == first_rows.size()) first_rows.push_back(i);
      expected.push_back(static_cast<std::uint32_t>(group));
    }
    const KeyGroups groups = group_by_keys(rows, keys, "keys", scratch).value();
    RC_ASSERT(groups.group_count == first_rows.size());
    RC_ASSERT(std::vector(groups.ids.span().begin(), groups.ids.span().end()) == expected);
  });
}

TEST(KeyGroupsTest, ZerosAndNansAndNullsAreEqualAmongThemselves) {
  RowScratch scratch;
  const Table table{.names = {"id", "f"},
                    .types = {ColumnType::kInt64, ColumnType::kFloat64},
                    .rows = {{1, 0.0}, {2, kNan}, {3, kNull}, {4, -0.0}, {5, -kNan}, {6, kNull}}};
  const std::vector<std::string> keys = {"f"};
  const KeyGroups groups = group_by_keys(to_rows(table, scratch), keys, "k", scratch).value();
  EXPECT_THAT(groups.ids.span(), ElementsAre(0, 1, 2, 0, 1, 2));
}

TEST(KeyGroupsTest, SaysWhichKeyIsUnknown) {
  RowScratch scratch;
  const RowSet rows =
      to_rows({.names = {"id"}, .types = {ColumnType::kInt64}, .rows = {}}, scratch);
  const std::vector<std::string> keys = {"id", "author"};
  EXPECT_EQ(group_by_keys(rows, keys, "dedupe.keys", scratch).error().where(), "dedupe.keys[1]");
  EXPECT_EQ(group_by_keys(rows, {}, "dedupe.keys", scratch).error().where(), "dedupe.keys");
}

TEST(MatchKeysTest, NullMatchesNothingAndStringsMatchAcrossDictionaries) {
  RowScratch scratch;
  const Table left{.names = {"id", "s"},
                   .types = {ColumnType::kInt64, ColumnType::kString},
                   .rows = {{1, "x"}, {2, kNull}, {3, "y"}, {4, "z"}}};
  const Table right{.names = {"id", "t"},
                    .types = {ColumnType::kInt64, ColumnType::kString},
                    .rows = {{1, "y"}, {2, kNull}, {3, "x"}}};
  const std::vector<JoinKey> keys = {{"s", "t"}};
  const MatchedGroups matched =
      match_keys(to_rows(left, scratch), to_rows(right, scratch), keys, scratch).value();
  EXPECT_THAT(matched.right.ids.span(), ElementsAre(0, kNoGroup, 1));
  EXPECT_THAT(matched.left_ids.span(), ElementsAre(1, kNoGroup, 0, kNoGroup));
}

TEST(MatchKeysTest, RefusesKeysOfTwoTypes) {
  RowScratch scratch;
  const Table table{
      .names = {"id", "s"}, .types = {ColumnType::kInt64, ColumnType::kString}, .rows = {}};
  const RowSet rows = to_rows(table, scratch);
  const std::vector<JoinKey> keys = {{"id", "id"}, {"id", "s"}};
  EXPECT_EQ(match_keys(rows, rows, keys, scratch).error().to_string(),
            "invalid_argument: Join keys differ in type: id is int, s is string (at join.keys[1])");
  const std::vector<JoinKey> unknown = {{"id", "sid"}};
  EXPECT_EQ(match_keys(rows, rows, unknown, scratch).error().where(), "join.keys[0].right");
}

}  // namespace
}  // namespace millrace::rows
