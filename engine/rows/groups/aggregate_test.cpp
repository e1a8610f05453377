#include "rows/groups/aggregate.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.h"
#include "rows/rows_fixture.h"
#include "rows/sort_key.h"

namespace millrace::rows {
namespace {

using testing::Cell;
using ::testing::ElementsAre;
using testing::ids_of;
using testing::kInfinity;
using testing::kNan;
using testing::kNull;
using testing::Row;
using testing::Table;
using testing::to_rows;
using testing::to_table;

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();

const std::vector<std::string> kByGroup = {"g"};
const std::vector<AggregateColumn> kAllOfInts = {
    {Aggregation::kCount, "n", "count"},
    {Aggregation::kSum, "n", "sum"},
    {Aggregation::kMean, "n", "mean"},
    {Aggregation::kMin, "n", "min"},
    {Aggregation::kMax, "n", "max"},
    {Aggregation::kFirst, "n", "first"},
};

Table numbers(ColumnType type, std::vector<Row> rows) {
  return {.names = {"id", "g", "n"},
          .types = {ColumnType::kInt64, ColumnType::kString, type},
          .rows = std::move(rows)};
}

/// The values that each row of the result has, without the id.
std::vector<Row> values_of(const RowSet& rows) {
  std::vector<Row> values = to_table(rows).rows;
  for (Row& row : values) row.erase(row.begin());
  return values;
}

/// The values that a group has in a column, without nulls.
std::vector<Cell> present(const std::vector<Row>& group, std::size_t column) {
  std::vector<Cell> cells;
  for (const Row& row : group) {
    if (!row[column].is_null()) cells.push_back(row[column]);
  }
  return cells;
}

Cell naive_sum(const std::vector<Cell>& cells, bool as_mean) {
  if (cells.empty()) return kNull;
  const auto count = static_cast<double>(cells.size());
  if (std::holds_alternative<double>(cells[0].value)) {
    double sum = 0;
    for (const Cell& cell : cells) sum += cell.as_float();
    return as_mean ? sum / count : sum;
  }
  __int128 sum = 0;
  for (const Cell& cell : cells) sum += cell.as_int();
  if (as_mean) return static_cast<double>(sum) / count;
  return sum > kMost || sum < kLeast ? kNull : Cell(static_cast<std::int64_t>(sum));
}

Cell naive_extreme(const std::vector<Cell>& cells, Direction direction) {
  Cell best;
  for (const Cell& cell : cells) {
    if (testing::compare_for_sort(cell, best, direction) < 0) best = cell;
  }
  return best;
}

/// What `kAllOfInts` gives, straight from the definition.
std::vector<Row> naive_aggregate(const Table& table,
                                 const std::vector<std::string>& keys,
                                 std::size_t column) {
  std::vector<std::vector<Row>> groups;
  for (const Row& row : table.rows) {
    const auto known = std::ranges::find_if(groups, [&](const std::vector<Row>& group) {
      return testing::same_keys(table, keys, group.front(), row);
    });
    (known == groups.end() ? groups.emplace_back() : *known).push_back(row);
  }
  std::vector<Row> made;
  for (const std::vector<Row>& group : groups) {
    const std::vector<Cell> cells = present(group, column);
    made.push_back({group.front()[0],
                    static_cast<std::int64_t>(cells.size()),
                    naive_sum(cells, false),
                    naive_sum(cells, true),
                    naive_extreme(cells, Direction::kAscending),
                    naive_extreme(cells, Direction::kDescending),
                    group.front()[column]});
  }
  return made;
}

TEST(AggregateTest, AgreesWithNaiveAggregate) {
  testing::check_property(
      "aggregate",
      150,
      [](base::Random& random, std::size_t count, RowScratch& scratch) {
        const RowSet rows = testing::random_rows(random, count, scratch);
        const std::vector<std::string> keys = testing::random_key_names(random);
        const Table table = to_table(rows);
        for (const std::string name : {"i", "f"}) {
          std::vector<AggregateColumn> columns = kAllOfInts;
          for (AggregateColumn& column : columns) column.name = name;
          const auto made = aggregate(rows, keys, columns, scratch);
          RC_ASSERT(to_table(made->rows).rows ==
                    naive_aggregate(table, keys, table.column_index(name)));
        }
      },
      150);
}

TEST(AggregateTest, GroupsStandInOrderOfTheirFirstRowsAndHaveItsId) {
  RowScratch scratch(0);
  const RowSet rows = to_rows(
      numbers(ColumnType::kInt64,
              {{9, "b", 1}, {4, "a", 2}, {7, "b", 3}, {1, kNull, 4}, {2, "a", 5}, {3, kNull, 6}}),
      scratch);
  const std::vector<AggregateColumn> columns = {{Aggregation::kFirst, "g", "g"},
                                                {Aggregation::kSum, "n", "sum"}};
  const auto made = aggregate(rows, kByGroup, columns, scratch);
  EXPECT_THAT(ids_of(made->rows), ElementsAre(9, 4, 1));
  EXPECT_THAT(values_of(made->rows), ElementsAre(Row{"b", 4}, Row{"a", 7}, Row{kNull, 10}));
}

TEST(AggregateTest, NullsAreLeftOutExceptByFirst) {
  RowScratch scratch(0);
  const RowSet rows =
      to_rows(numbers(ColumnType::kInt64,
                      {{1, "a", kNull}, {2, "a", 4}, {3, "a", -1}, {4, "b", kNull}, {5, "c", 7}}),
              scratch);
  const auto made = aggregate(rows, kByGroup, kAllOfInts, scratch);
  EXPECT_THAT(values_of(made->rows),
              ElementsAre(Row{2, 3, 1.5, -1, 4, kNull},
                          Row{0, kNull, kNull, kNull, kNull, kNull},
                          Row{1, 7, 7.0, 7, 7, 7}));
  EXPECT_EQ(made->overflow_count, 0U);
  EXPECT_EQ(made->is_good.size(), 0U);
}

TEST(AggregateTest, FloatsFollowIeeeAndNanIsNeverLeastOrGreatest) {
  RowScratch scratch(0);
  const RowSet rows = to_rows(numbers(ColumnType::kFloat64,
                                      {{1, "a", kNan},
                                       {2, "a", 2.0},
                                       {3, "b", 1e308},
                                       {4, "b", 1e308},
                                       {5, "c", kNan},
                                       {6, "d", 0.1},
                                       {7, "d", 0.2}}),
                              scratch);
  const auto made = aggregate(rows, kByGroup, kAllOfInts, scratch);
  EXPECT_THAT(values_of(made->rows),
              ElementsAre(Row{2, kNan, kNan, 2.0, 2.0, kNan},
                          Row{2, kInfinity, kInfinity, 1e308, 1e308, 1e308},
                          Row{1, kNan, kNan, kNull, kNull, kNan},
                          Row{2, 0.1 + 0.2, (0.1 + 0.2) / 2, 0.1, 0.2, 0.1}));
}

TEST(AggregateTest, ASumBeyondInt64IsNullAndCounted) {
  RowScratch scratch(0);
  const RowSet rows = to_rows(numbers(ColumnType::kInt64,
                                      {{1, "a", kMost},
                                       {2, "a", 1},
                                       {3, "b", kLeast},
                                       {4, "b", -1},
                                       {5, "c", 5},
                                       // Beyond int64 on the way only.
                                       {6, "d", kMost},
                                       {7, "d", kMost},
                                       {8, "d", kLeast}}),
                              scratch);
  const auto made = aggregate(rows, kByGroup, kAllOfInts, scratch);
  EXPECT_THAT(values_of(made->rows),
              ElementsAre(Row{2, kNull, 4611686018427387904.0, 1, kMost, kMost},
                          Row{2, kNull, -4611686018427387904.0, kLeast, -1, kLeast},
                          Row{1, 5, 5.0, 5, 5, 5},
                          Row{3, kMost - 1, 3074457345618258602.0, kLeast, kMost, kMost}));
  EXPECT_EQ(made->overflow_count, 2U);
  EXPECT_EQ(made->overflowed_column, "n");
  EXPECT_THAT(made->is_good.span(), ElementsAre(0, 0, 1, 1));
}

TEST(AggregateTest, AnyColumnIsCountedAndGivesItsFirst) {
  RowScratch scratch(0);
  const RowSet rows = to_rows(
      numbers(ColumnType::kBool, {{1, "x", true}, {2, "x", kNull}, {3, "x", false}}), scratch);
  const std::vector<AggregateColumn> columns = {{Aggregation::kCount, "n", "count"},
                                                {Aggregation::kCount, "id", "rows"},
                                                {Aggregation::kFirst, "n", "first"}};
  EXPECT_THAT(values_of(aggregate(rows, kByGroup, columns, scratch)->rows),
              ElementsAre(Row{2, 3, true}));
}

TEST(AggregateTest, NoRowsAreNoGroups) {
  RowScratch scratch(0);
  const auto made =
      aggregate(to_rows(numbers(ColumnType::kInt64, {}), scratch), kByGroup, kAllOfInts, scratch);
  EXPECT_TRUE(made->rows.empty());
  EXPECT_EQ(made->rows.batch()->columns().size(), 7U);
}

TEST(AggregateTest, OnlySelectedRowsCount) {
  RowScratch scratch(0);
  const RowSet all = to_rows(
      numbers(ColumnType::kInt64, {{1, "a", 1}, {2, "b", 2}, {3, "a", 4}, {4, "a", 8}}), scratch);
  Array<RowIndex> order = scratch.make_array<RowIndex>(2);
  order[0] = 3;
  order[1] = 0;
  const std::vector<AggregateColumn> columns = {{Aggregation::kSum, "n", "sum"}};
  const auto made = aggregate(RowSet(all.batch(), std::move(order)), kByGroup, columns, scratch);
  EXPECT_THAT(ids_of(made->rows), ElementsAre(4));
  EXPECT_THAT(values_of(made->rows), ElementsAre(Row{9}));
}

TEST(AggregateTest, RefusesAColumnThatIsMissingOrCannotBeAdded) {
  RowScratch scratch(0);
  const RowSet rows = to_rows(numbers(ColumnType::kInt64, {{1, "a", 1}}), scratch);
  for (const AggregateColumn& column :
       {AggregateColumn{Aggregation::kSum, "g", "x"}, {Aggregation::kMin, "nix", "x"}}) {
    const std::vector<AggregateColumn> columns = {column};
    EXPECT_FALSE(aggregate(rows, kByGroup, columns, scratch).has_value()) << column.name;
  }
}

}  // namespace
}  // namespace millrace::rows
