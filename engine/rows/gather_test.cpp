#include "rows/gather.h"

#include <cstddef>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.h"
#include "rows/batch.h"
#include "rows/column.h"
#include "rows/row_set.h"
#include "rows/rows_fixture.h"

namespace millrace::rows {
namespace {

using testing::Cell;
using testing::check_property;
using testing::to_cell;

std::vector<Cell> cells_of(const Column& column) {
  std::vector<Cell> cells;
  for (std::size_t row = 0; row < column.size(); ++row)
    cells.push_back(to_cell(column.value_at(row)));
  return cells;
}

TEST(GatherTest, AgreesWithNaiveGather) {
  check_property("gather", 100, [](base::Random& random, std::size_t count, RowScratch& scratch) {
    const RowSet rows = testing::random_rows(random, count, scratch);
    std::vector<RowIndex> wanted(count < kStopCheckRows ? random.below(200) : 2 * count);
    const double missing_chance = random.chance(0.5) ? 0 : 0.3;
    for (RowIndex& row : wanted) {
      const std::size_t batch_rows = rows.batch()->row_count();
      const bool missing = batch_rows == 0 || random.chance(missing_chance);
      row = missing ? kNoRow : static_cast<RowIndex>(random.below(batch_rows));
    }
    for (const NamedColumn& entry : rows.batch()->columns()) {
      std::vector<Cell> expected;
      for (const RowIndex row : wanted) {
        expected.push_back(row == kNoRow ? Cell() : to_cell(entry.column->value_at(row)));
      }
      const ColumnRef gathered = gather(*entry.column, wanted, scratch).value();
      RC_ASSERT(gathered->type() == entry.column->type());
      RC_ASSERT(cells_of(*gathered) == expected);
    }
  });
}

TEST(GatherTest, StringsKeepTheirDictionary) {
  RowScratch scratch;
  const ColumnRef column = testing::to_column(ColumnType::kString, {"a", "b"}, scratch);
  const std::vector<RowIndex> rows = {1, kNoRow};
  EXPECT_EQ(gather(*column, rows, scratch).value()->dictionary(), column->dictionary());
}

TEST(AppendPiecesTest, AgreesWithNaiveAppend) {
  check_property("append", 100, [](base::Random& random, std::size_t count, RowScratch& scratch) {
    std::vector<RowSet> inputs;
    for (std::size_t i = 0; i < 3; ++i) {
      inputs.push_back(testing::random_rows(random, random.below(count + 1), scratch));
    }
    for (const std::string name : {"i", "f", "b", "s", "g"}) {
      std::vector<ColumnPiece> pieces;
      std::vector<Cell> expected;
      for (const RowSet& input : inputs) {
        const bool missing = random.chance(0.2);
        pieces.push_back({&input, missing ? nullptr : input.batch()->find_column(name)});
        for (const Cell& cell : testing::to_table(input).column(name)) {
          expected.push_back(missing ? Cell() : cell);
        }
      }
      const ColumnType type = inputs[0].batch()->find_column(name)->type();
      RC_ASSERT(cells_of(*append_pieces(type, pieces, scratch).value()) == expected);
    }
  });
}

TEST(AppendPiecesTest, OneDictionaryIsShared) {
  RowScratch scratch;
  const testing::Table table{.names = {"id", "s"},
                             .types = {ColumnType::kInt64, ColumnType::kString},
                             .rows = {{1, "a"}, {2, "b"}}};
  const RowSet rows = testing::to_rows(table, scratch);
  const Column* column = rows.batch()->find_column("s");
  const std::vector<ColumnPiece> pieces = {{&rows, column}, {&rows, nullptr}, {&rows, column}};
  EXPECT_EQ(append_pieces(ColumnType::kString, pieces, scratch).value()->dictionary(),
            column->dictionary());
}

TEST(AppendPiecesTest, AMergedDictionaryHoldsOnlyValuesInUse) {
  RowScratch scratch;
  testing::Table table{
      .names = {"id", "s"}, .types = {ColumnType::kInt64, ColumnType::kString}, .rows = {}};
  for (int i = 0; i < 1000; ++i) table.rows.push_back({i, std::to_string(i)});
  const RowSet many = testing::to_rows(table, scratch).window(5, 2);
  table.rows = {{1, "6"}, {2, "x"}};
  const RowSet few = testing::to_rows(table, scratch);
  const std::vector<ColumnPiece> pieces = {{&many, many.batch()->find_column("s")},
                                           {&few, few.batch()->find_column("s")}};
  const ColumnRef merged = append_pieces(ColumnType::kString, pieces, scratch).value();
  EXPECT_EQ(merged->dictionary()->size(), 3);
  EXPECT_THAT(cells_of(*merged), ::testing::ElementsAre("5", "6", "6", "x"));
}

}  // namespace
}  // namespace millrace::rows
