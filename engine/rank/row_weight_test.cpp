#include "rank/row_weight.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "rows/column.h"
#include "rows/row_scratch.h"
#include "rows/rows_fixture.h"
#include "rows/table_fixture.h"
#include "rows/value.h"

namespace millrace::rank {
namespace {

rows::RowSet rows_with_names(const std::vector<std::string>& names, rows::RowScratch& scratch) {
  rows::testing::Table table{.names = {"id", "name"},
                             .types = {rows::ColumnType::kInt64, rows::ColumnType::kString},
                             .rows = {}};
  for (const std::string& name : names)
    table.rows.push_back({static_cast<std::int64_t>(table.rows.size()), name});
  return rows::testing::to_rows(table, scratch);
}

TEST(RowWeightTest, CountsDistinctTexts) {
  rows::RowScratch scratch;
  EXPECT_EQ(text_bytes_of(rows_with_names({}, scratch)), 0U);
  EXPECT_EQ(text_bytes_of(rows_with_names({""}, scratch)), 0U);
  EXPECT_EQ(text_bytes_of(rows_with_names({"ab", "cde", "ab", ""}, scratch)), 5U);
}

TEST(RowWeightTest, TextsOfARowAreAsLongAsThoseOfTheColumn) {
  rows::RowScratch scratch;
  EXPECT_EQ(mean_text_bytes(rows_with_names({}, scratch)), 0U);
  EXPECT_EQ(mean_text_bytes(rows_with_names({"ab", "cdef", "ab"}, scratch)), 3U);
}

TEST(RowWeightTest, CountsTextsAmongValues) {
  const std::array<rows::Value, 4> values{
      std::int64_t{7}, std::string_view("abc"), std::monostate(), std::string_view("de")};
  EXPECT_EQ(text_bytes_of(values), 5U);
}

TEST(RowWeightTest, C9_ALongTextCountsAsManyRows) {
  EXPECT_EQ(weight(10, 0), 10U);
  EXPECT_EQ(weight(10, kTextBytesPerRow - 1), 10U);
  EXPECT_EQ(weight(1, 800 * kTextBytesPerRow), 801U);
  EXPECT_EQ(weight(1, std::size_t{1} << 50U), 0xFFFFFFFFU);
}

}  // namespace
}  // namespace millrace::rank
