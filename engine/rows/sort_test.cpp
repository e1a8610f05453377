#include "rows/sort.h"

#include <algorithm>
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
#include "rows/sort_key.h"

namespace millrace::rows {
namespace {

using testing::Cell;
using testing::check_property;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::kInfinity;
using testing::kNan;
using testing::kNull;
using testing::make_rows;
using testing::Row;
using testing::Table;

Table naive_sort(const Table& table, const std::vector<SortKey>& keys) {
  const auto precedes = [&](const Row* left, const Row* right) {
    for (const SortKey& key : keys) {
      const std::size_t column = table.column_index(key.column);
      const int order = testing::compare_for_sort((*left)[column], (*right)[column], key.direction);
      if (order != 0) return order < 0;
    }
    const std::size_t id = table.column_index("id");
    return (*left)[id].as_int() < (*right)[id].as_int();
  };
  // Each row is inserted before the first row that comes later, which keeps the order of equal
  // rows.
  std::vector<const Row*> sorted;
  for (const Row& row : table.rows) {
    sorted.insert(std::upper_bound(sorted.begin(), sorted.end(), &row, precedes), &row);
  }
  std::vector<Row> rows;
  for (const Row* row : sorted) rows.push_back(*row);
  return table.with_rows(std::move(rows));
}

std::vector<std::int64_t> sorted_ids(const RowSet& rows, Direction direction, RowScratch& scratch) {
  return testing::ids_of(sort(rows, {{{"key", direction}}}, scratch).value());
}

TEST(SortTest, EXP5_PutsNullAndNanLastInBothDirections) {
  RowScratch scratch;
  const RowSet rows =
      make_rows(ColumnType::kFloat64, {kNan, 1.0, kNull, -kInfinity, kInfinity}, scratch);
  EXPECT_THAT(sorted_ids(rows, Direction::kAscending, scratch), ElementsAre(4, 2, 5, 1, 3));
  EXPECT_THAT(sorted_ids(rows, Direction::kDescending, scratch), ElementsAre(5, 2, 4, 1, 3));
}

TEST(SortTest, BreaksTiesByIdAndThenByPosition) {
  RowScratch scratch;
  const Table table{.names = {"id", "key", "mark"},
                    .types = {ColumnType::kInt64, ColumnType::kFloat64, ColumnType::kInt64},
                    .rows = {{7, 0.0, 1}, {3, -0.0, 2}, {7, 0.0, 3}, {3, 0.0, 4}}};
  for (const Direction direction : {Direction::kAscending, Direction::kDescending}) {
    const RowSet sorted =
        sort(testing::to_rows(table, scratch), {{{"key", direction}}}, scratch).value();
    EXPECT_THAT(testing::to_table(sorted).column("mark"), ElementsAre(2, 4, 1, 3));
  }
}

TEST(SortTest, KeepsInt64ExtremesExact) {
  RowScratch scratch;
  constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  const RowSet rows =
      make_rows(ColumnType::kInt64, {kMax, kMax - 1, kNull, kMin, kMin + 1}, scratch);
  EXPECT_THAT(sorted_ids(rows, Direction::kAscending, scratch), ElementsAre(4, 5, 2, 1, 3));
  EXPECT_THAT(sorted_ids(rows, Direction::kDescending, scratch), ElementsAre(1, 2, 5, 4, 3));
}

TEST(SortTest, OrdersStringsByValueNotByCode) {
  RowScratch scratch;
  const RowSet rows = make_rows(ColumnType::kString, {"b", "", "ab", "\xff", "a"}, scratch);
  EXPECT_THAT(sorted_ids(rows, Direction::kAscending, scratch), ElementsAre(2, 5, 3, 1, 4));
}

TEST(SortTest, TSK6_CopiesNoColumn) {
  RowScratch scratch;
  const RowSet rows = make_rows(ColumnType::kInt64, {2, 1}, scratch);
  EXPECT_EQ(sort(rows, {{{"key"}}}, scratch).value().batch(), rows.batch());
}

TEST(SortTest, NamesTheKeyThatDoesNotExist) {
  RowScratch scratch;
  const RowSet rows = make_rows(ColumnType::kInt64, {2, 1}, scratch);
  const auto result = sort(rows, {{{"id"}, {"kye"}}}, scratch);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code(), base::ErrorCode::kNotFound);
  EXPECT_THAT(result.error().message(), HasSubstr("kye; did you mean 'key'?"));
  EXPECT_EQ(result.error().where(), "sort.keys[1]");
}

TEST(SortTest, RefusesNoKeys) {
  RowScratch scratch;
  const RowSet rows = make_rows(ColumnType::kInt64, {2, 1}, scratch);
  EXPECT_FALSE(sort(rows, {}, scratch));
}

TEST(SortTest, AgreesWithNaiveSort) {
  check_property("sort", 600, [](base::Random& random, std::size_t count, RowScratch& scratch) {
    const RowSet rows = testing::random_rows(random, count, scratch);
    const std::vector<SortKey> keys = testing::random_sort_keys(random);
    const RowSet sorted = sort(rows, keys, scratch).value();
    RC_ASSERT(testing::to_table(sorted) == naive_sort(testing::to_table(rows), keys));
  });
}

}  // namespace
}  // namespace millrace::rows
