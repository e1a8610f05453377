#include "rows/packed_top_k.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.h"
#include "rows/rows_fixture.h"
#include "rows/select.h"
#include "rows/sort.h"
#include "rows/sort_key.h"

namespace millrace::rows {
namespace {

using testing::Cell;
using ::testing::ElementsAre;
using testing::make_rows;

Array<RowIndex> best_of(const RowSet& rows, std::vector<SortKey> keys, std::size_t wanted) {
  RowScratch scratch;
  const auto columns = find_sort_columns(*rows.batch(), keys, "keys").value();
  return top_k_packed(rows, columns, wanted, scratch).value();
}

TEST(PackedTopKTest, OrdersRowsOfEqualKeys) {
  RowScratch scratch;
  const RowSet rows = make_rows(ColumnType::kInt64, {7, 5, 9, 5, 7, 5}, scratch);
  EXPECT_THAT(best_of(rows, {{"key"}}, 5).span(), ElementsAre(1, 3, 5, 0, 4));
}

TEST(PackedTopKTest, TellsKeysApartThatDifferInTheirLowestBitOnly) {
  RowScratch scratch;
  const double above = std::nextafter(2.0, 3.0);
  const RowSet rows = make_rows(ColumnType::kFloat64, {3.0, above, 2.0, -1.0}, scratch);
  EXPECT_THAT(best_of(rows, {{"key"}}, 3).span(), ElementsAre(3, 2, 1));
}

TEST(PackedTopKTest, CannotTellWhenKeysAreEqualAtTheCut) {
  RowScratch scratch;
  const RowSet rows = make_rows(ColumnType::kInt64, {7, 5, 9, 5}, scratch);
  EXPECT_TRUE(best_of(rows, {{"key"}}, 1).empty());
  EXPECT_EQ(best_of(rows, {{"key"}}, 2).size(), 2U);
}

// The position is stored in bits that no key uses, so small integers lose no bits.
TEST(PackedTopKTest, TellsNeighboursApartAtTheCut) {
  RowScratch scratch;
  std::vector<Cell> cells;
  for (std::int64_t i = 0; i < 1000; ++i) cells.emplace_back((i * 37) % 1000);
  const RowSet rows = make_rows(ColumnType::kInt64, cells, scratch);
  EXPECT_EQ(best_of(rows, {{"key"}}, 300).size(), 300U);
}

// One key far from all others puts those into one bucket.
TEST(PackedTopKTest, AgreesWithSortWhenAlmostAllKeysShareABucket) {
  RowScratch scratch;
  std::vector<Cell> cells;
  for (int i = 0; i < 200; ++i) cells.emplace_back(1.0 + (i * 37 % 200) / 1000.0);
  cells.emplace_back(-1e300);
  const RowSet rows = make_rows(ColumnType::kFloat64, cells, scratch);
  const RowSet expected = sort(rows, {{{"key"}}}, scratch).value();
  const Array<RowIndex> best = best_of(rows, {{"key"}}, 60);
  ASSERT_EQ(best.size(), 60U);
  for (std::size_t i = 0; i < 60; ++i) ASSERT_EQ(best[i], expected.row_at(i)) << i;
}

TEST(PackedTopKTest, CannotTellWhenARowHasNoKey) {
  RowScratch scratch;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(
      best_of(make_rows(ColumnType::kFloat64, {1.0, nan, 2.0}, scratch), {{"key"}}, 1).empty());
  EXPECT_TRUE(
      best_of(make_rows(ColumnType::kFloat64, {1.0, Cell{}, 2.0}, scratch), {{"key"}}, 1).empty());
}

TEST(PackedTopKTest, AgreesWithSortOnAsManyRowsAsItTakes) {
  RowScratch scratch;
  base::SplitMix64 random(5);
  std::vector<Cell> cells;
  for (std::size_t i = 0; i < kPackedRowsMax; ++i) cells.emplace_back((random.unit() - 0.5) * 1e3);
  const RowSet rows = make_rows(ColumnType::kFloat64, cells, scratch);
  for (const Direction direction : {Direction::kAscending, Direction::kDescending}) {
    const RowSet expected = sort(rows, {{{"key", direction}}}, scratch).value();
    for (const std::size_t wanted : {std::size_t{1}, kPackedRowsMax / 4, kPackedRowsMax}) {
      const Array<RowIndex> best = best_of(rows, {{"key", direction}}, wanted);
      ASSERT_EQ(best.size(), wanted);
      for (std::size_t i = 0; i < wanted; ++i) ASSERT_EQ(best[i], expected.row_at(i)) << i;
    }
  }
}

}  // namespace
}  // namespace millrace::rows
