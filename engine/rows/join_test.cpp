#include "rows/join.h"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/random.h"
#include "rows/rows_fixture.h"

namespace millrace::rows {
namespace {

using testing::Cell;
using testing::check_property;
using ::testing::ElementsAre;
using testing::ids_of;
using testing::kNull;
using testing::Row;
using testing::Table;
using testing::to_rows;
using testing::to_table;

bool matches(const Table& left,
             const Table& right,
             const JoinOptions& options,
             std::pair<const Row*, const Row*> rows) {
  for (const JoinKey& key : options.keys) {
    const Cell& left_cell = (*rows.first)[left.column_index(key.left)];
    const Cell& right_cell = (*rows.second)[right.column_index(key.right)];
    if (left_cell.is_null() || !testing::same_key(left_cell, right_cell)) return false;
  }
  return true;
}

bool is_right_key(const JoinOptions& options, const std::string& name) {
  for (const JoinKey& key : options.keys) {
    if (key.right == name) return true;
  }
  return false;
}

/// All columns of the right side but its keys, with `r_` before their names.
std::vector<JoinColumn> prefixed(const Table& right, const std::vector<JoinKey>& keys) {
  std::vector<JoinColumn> columns;
  for (const std::string& name : right.names) {
    if (!is_right_key({.keys = keys}, name))
      columns.push_back({.name = name, .new_name = "r_" + name});
  }
  return columns;
}

Table naive_join(const Table& left, const Table& right, const JoinOptions& options) {
  const bool narrow = options.kind == JoinKind::kSemi || options.kind == JoinKind::kAnti;
  Table out = left.with_rows({});
  for (std::size_t i = 0; i < right.names.size() && !narrow; ++i) {
    if (is_right_key(options, right.names[i])) continue;
    out.names.push_back("r_" + right.names[i]);
    out.types.push_back(right.types[i]);
  }
  const auto add = [&](Row row, const Row* match) {
    for (std::size_t i = 0; i < right.names.size() && !narrow; ++i) {
      if (is_right_key(options, right.names[i])) continue;
      row.push_back(match == nullptr ? kNull : (*match)[i]);
    }
    out.rows.push_back(row);
  };
  for (const Row& row : left.rows) {
    std::vector<const Row*> found;
    for (const Row& other : right.rows) {
      if (matches(left, right, options, {&row, &other})) found.push_back(&other);
    }
    switch (options.kind) {
      case JoinKind::kLeft:
        if (found.empty()) add(row, nullptr);
        [[fallthrough]];
      case JoinKind::kInner:
        for (const Row* match : found) add(row, match);
        break;
      case JoinKind::kSemi:
        if (!found.empty()) add(row, nullptr);
        break;
      case JoinKind::kAnti:
        if (found.empty()) add(row, nullptr);
        break;
    }
  }
  return out;
}

TEST(JoinTest, AgreesWithNaiveJoin) {
  check_property(
      "join",
      60,
      [](base::Random& random, std::size_t count, RowScratch& scratch) {
        const RowSet left = testing::random_rows(random, count, scratch);
        const RowSet right = testing::random_rows(random, random.below(count + 1), scratch);
        std::vector<JoinKey> keys;
        for (const std::string& name : testing::random_key_names(random))
          keys.push_back({name, name});
        if (random.chance(0.2)) keys.push_back({"s", "g"});
        for (const JoinKind kind :
             {JoinKind::kInner, JoinKind::kLeft, JoinKind::kSemi, JoinKind::kAnti}) {
          const std::vector<JoinColumn> taken = prefixed(to_table(right), keys);
          const JoinOptions options{.kind = kind, .keys = keys, .right_columns = taken};
          const RowSet joined = join(left, right, options, scratch).value();
          RC_ASSERT(to_table(joined) == naive_join(to_table(left), to_table(right), options));
        }
      },
      60);  // small, because the result has up to left * right rows
}

TEST(JoinTest, AgreesWithNaiveJoinWhenRightKeysAreUnique) {
  check_property("lookup", 60, [](base::Random& random, std::size_t count, RowScratch& scratch) {
    const RowSet left = testing::random_rows(random, count, scratch);
    Table right{.names = {"id", "i", "name"},
                .types = {ColumnType::kInt64, ColumnType::kInt64, ColumnType::kString},
                .rows = {}};
    for (int i = -5; i < 500; i += 1 + static_cast<int>(random.below(4))) {
      right.rows.push_back({i, i, "name" + std::to_string(i)});
    }
    const std::vector<JoinKey> keys = {{"i", "i"}};
    for (const JoinKind kind : {JoinKind::kInner, JoinKind::kLeft}) {
      const std::vector<JoinColumn> taken = prefixed(right, keys);
      const JoinOptions options{.kind = kind, .keys = keys, .right_columns = taken};
      const RowSet joined = join(left, to_rows(right, scratch), options, scratch).value();
      RC_ASSERT(to_table(joined) == naive_join(to_table(left), right, options));
    }
  });
}

const Table kScored{.names = {"id", "author", "score"},
                    .types = {ColumnType::kInt64, ColumnType::kInt64, ColumnType::kFloat64},
                    .rows = {{1, 10, 0.1}, {2, 11, 0.2}, {3, kNull, 0.3}}};
const Table kRight{.names = {"id", "score", "name"},
                   .types = {ColumnType::kInt64, ColumnType::kFloat64, ColumnType::kString},
                   .rows = {{10, 1.0, "ann"}, {12, 2.0, "bob"}}};
const std::vector<JoinKey> kByAuthor = {{"author", "id"}};

TEST(JoinTest, ALookupKeepsTheLeftColumnsWhereTheyAre) {
  RowScratch scratch;
  const RowSet left = to_rows(kScored, scratch);
  const std::vector<JoinColumn> taken = {{.name = "name", .new_name = "author_name"}};
  const JoinOptions options{.kind = JoinKind::kLeft, .keys = kByAuthor, .right_columns = taken};
  const RowSet joined = join(left, to_rows(kRight, scratch), options, scratch).value();
  EXPECT_EQ(joined.batch()->find_column("score"), left.batch()->find_column("score"));
  EXPECT_THAT(to_table(joined).column("author_name"), ElementsAre("ann", kNull, kNull));
}

TEST(JoinTest, TakesOnlyTheNamedColumnsAndReplacesALeftOneOfTheSameName) {
  RowScratch scratch;
  const std::vector<JoinColumn> taken = {{.name = "score", .new_name = "score"}};
  const RowSet joined = join(to_rows(kScored, scratch),
                             to_rows(kRight, scratch),
                             {.keys = kByAuthor, .right_columns = taken},
                             scratch)
                            .value();
  EXPECT_THAT(to_table(joined).names, ElementsAre("id", "author", "score"));
  EXPECT_THAT(to_table(joined).column("score"), ElementsAre(1.0));
}

TEST(JoinTest, NeverWritesTheIdAndNamesAColumnThatIsNotThere) {
  RowScratch scratch;
  for (const JoinColumn& wrong : {JoinColumn{.name = "score", .new_name = "id"},
                                  JoinColumn{.name = "nope", .new_name = "x"}}) {
    const auto result = join(to_rows(kScored, scratch),
                             to_rows(kRight, scratch),
                             {.keys = kByAuthor, .right_columns = std::span(&wrong, 1)},
                             scratch);
    ASSERT_FALSE(result);
    EXPECT_THAT(result.error().to_string(),
                ::testing::HasSubstr(wrong.new_name == "id" ? "id" : "nope"));
  }
}

TEST(JoinTest, AntiKeepsRowsWithANullKey) {
  RowScratch scratch;
  const RowSet left = to_rows(kScored, scratch);
  const RowSet right = to_rows(kRight, scratch);
  const RowSet kept =
      join(left, right, {.kind = JoinKind::kAnti, .keys = kByAuthor}, scratch).value();
  EXPECT_THAT(ids_of(kept), ElementsAre(2, 3));
  EXPECT_EQ(kept.batch(), left.batch());
}

TEST(JoinTest, RefusesNoKeys) {
  RowScratch scratch;
  const RowSet rows = to_rows(kScored, scratch);
  EXPECT_EQ(join(rows, rows, {.keys = {}}, scratch).error().where(), "join.keys");
}

}  // namespace
}  // namespace millrace::rows
