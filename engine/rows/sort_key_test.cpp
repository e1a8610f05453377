#include "rows/sort_key.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "rows/column.h"
#include "rows/row_scratch.h"
#include "rows/rows_fixture.h"

namespace millrace::rows {
namespace {

using testing::Cell;

TEST(SortKeyTest, BitsOfFloatsOrderLikeTheFloats) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const std::vector<double> rising = {-kInfinity,
                                      std::numeric_limits<double>::lowest(),
                                      -1.5,
                                      -std::numeric_limits<double>::denorm_min(),
                                      0.0,
                                      std::numeric_limits<double>::denorm_min(),
                                      1.5,
                                      kInfinity};
  for (std::size_t i = 1; i < rising.size(); ++i) {
    EXPECT_LT(ordered_bits(rising[i - 1]), ordered_bits(rising[i])) << rising[i];
  }
  EXPECT_EQ(ordered_bits(-0.0), ordered_bits(0.0));
}

TEST(SortKeyTest, BitsOfIntsOrderLikeTheInts) {
  constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  const std::vector<std::int64_t> rising = {kMin, kMin + 1, -1, 0, 1, kMax - 1, kMax};
  for (std::size_t i = 1; i < rising.size(); ++i) {
    EXPECT_LT(ordered_bits(rising[i - 1]), ordered_bits(rising[i])) << rising[i];
  }
}

TEST(SortKeyTest, LoadsEveryTypeAndSkipsNulls) {
  RowScratch scratch;
  const testing::Table table{
      .names = {"id", "f", "b", "s"},
      .types = {ColumnType::kInt64, ColumnType::kFloat64, ColumnType::kBool, ColumnType::kString},
      .rows = {{1, 0.5, true, "b"}, {2, 1.5, false, "a"}, {3, Cell(), Cell(), Cell()}}};
  const RowSet rows = testing::to_rows(table, scratch);
  for (const std::string name : {"f", "b", "s"}) {
    const SortColumn rising = find_sort_column(*rows.batch(), {name}, "").value();
    const SortColumn falling =
        find_sort_column(*rows.batch(), {name, Direction::kDescending}, "").value();
    std::uint64_t first = 0;
    std::uint64_t second = 0;
    EXPECT_FALSE(rising.load(2, first));
    ASSERT_TRUE(rising.load(0, first));
    ASSERT_TRUE(rising.load(1, second));
    EXPECT_EQ(first < second, name == "f") << name;
    ASSERT_TRUE(falling.load(0, first));
    ASSERT_TRUE(falling.load(1, second));
    EXPECT_EQ(first > second, name == "f") << name;
  }
}

TEST(SortKeyTest, AllNullStringsNeedNoDictionaryEntry) {
  RowScratch scratch;
  const testing::Table table{.names = {"id", "s"},
                             .types = {ColumnType::kInt64, ColumnType::kString},
                             .rows = {{1, Cell()}, {2, Cell()}}};
  const RowSet rows = testing::to_rows(table, scratch);
  const SortColumn key = find_sort_column(*rows.batch(), {"s"}, "").value();
  std::uint64_t bits = 0;
  EXPECT_FALSE(key.load(0, bits));
}

}  // namespace
}  // namespace millrace::rows
