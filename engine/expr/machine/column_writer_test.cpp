#include "expr/machine/column_writer.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "rows/rows_fixture.h"

namespace millrace::expr {
namespace {

using rows::ColumnType;
using rows::testing::Cell;
using rows::testing::kNull;
using rows::testing::Table;

rows::RowSet ids(std::int64_t count, rows::RowScratch& scratch) {
  Table table{.names = {"id"}, .types = {ColumnType::kInt64}, .rows = {}};
  for (std::int64_t i = 0; i < count; ++i) table.rows.push_back({i});
  return rows::testing::to_rows(table, scratch);
}

std::vector<Cell> cells(const rows::Column& column) {
  std::vector<Cell> out;
  for (std::size_t i = 0; i < column.size(); ++i) {
    out.push_back(rows::testing::to_cell(column.value_at(i)));
  }
  return out;
}

TEST(ColumnWriterTest, TakesOverChunksWrittenInPlaceOrElsewhere) {
  rows::RowScratch scratch;
  const rows::RowSet rows = ids(4, scratch);
  ColumnWriter writer(ColumnType::kInt64, rows, scratch);
  const RowWindow first{.first = 0, .count = 2};
  auto* target = reinterpret_cast<std::int64_t*>(writer.target(first));
  target[0] = 10;
  target[1] = 11;
  writer.write({.data = target}, first);
  const std::array<std::int64_t, 2> elsewhere{12, 13};
  writer.write({.data = elsewhere.data()}, {.first = 2, .count = 2});
  const rows::ColumnRef column = writer.finish(nullptr);
  EXPECT_FALSE(column->has_nulls());
  EXPECT_EQ(cells(*column), (std::vector<Cell>{10, 11, 12, 13}));
}

TEST(ColumnWriterTest, NullsAndErrorsBecomeNullAndEarlierRowsStayValid) {
  rows::RowScratch scratch;
  const rows::RowSet rows = ids(6, scratch);
  ColumnWriter writer(ColumnType::kFloat64, rows, scratch);
  const std::array<double, 2> values{1.5, 2.5};
  const std::array<std::uint8_t, 2> valid{0, 1};
  const std::array<std::uint8_t, 2> error{0, 1};
  writer.write({.data = values.data()}, {.first = 0, .count = 2});
  writer.write({.data = values.data(), .valid = valid.data(), .error = error.data()},
               {.first = 2, .count = 2});
  writer.write({.data = values.data()}, {.first = 4, .count = 2});
  EXPECT_EQ(cells(*writer.finish(nullptr)), (std::vector<Cell>{1.5, 2.5, kNull, kNull, 1.5, 2.5}));
}

TEST(ColumnWriterTest, ScattersIndexedRows) {
  rows::RowScratch scratch;
  rows::Array<rows::RowIndex> index = scratch.make_array<rows::RowIndex>(3);
  index[0] = 4;
  index[1] = 0;
  index[2] = 3;
  const rows::RowSet rows(ids(5, scratch).batch(), std::move(index));
  ColumnWriter writer(ColumnType::kBool, rows, scratch);
  const std::array<std::uint8_t, 3> values{1, 0, 1};
  const std::array<std::uint8_t, 1> error{1};
  EXPECT_EQ(writer.target({.index = rows.indices().data(), .count = 2}), nullptr);
  writer.write({.data = values.data()}, {.index = rows.indices().data(), .count = 2});
  writer.write({.data = values.data() + 2, .error = error.data()},
               {.index = rows.indices().data() + 2, .count = 1});
  EXPECT_EQ(cells(*writer.finish(nullptr)), (std::vector<Cell>{false, kNull, kNull, kNull, true}));
}

TEST(ColumnWriterTest, FillsWithOneValue) {
  rows::RowScratch scratch;
  const rows::RowSet rows = ids(3, scratch);
  const std::int64_t value = 7;
  ColumnWriter valid(ColumnType::kInt64, rows, scratch);
  valid.fill(&value, true);
  EXPECT_EQ(cells(*valid.finish(nullptr)), (std::vector<Cell>{7, 7, 7}));
  ColumnWriter null(ColumnType::kInt64, rows, scratch);
  null.fill(&value, false);
  EXPECT_EQ(cells(*null.finish(nullptr)), (std::vector<Cell>{kNull, kNull, kNull}));
}

}  // namespace
}  // namespace millrace::expr
