#include "rows/row_set.h"

#include <cstdint>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rows/batch.h"
#include "rows/column.h"
#include "rows/row_scratch.h"
#include "rows/rows_fixture.h"

namespace millrace::rows {
namespace {

using ::testing::ElementsAre;
using testing::ids_of;
using testing::numbered;
using testing::Table;
using testing::to_table;

TEST(RowSetTest, AWindowOfAWindowCountsFromTheFirst) {
  RowScratch scratch;
  const RowSet rows = numbered(10, scratch).window(2, 6).window(1, 3);
  EXPECT_THAT(ids_of(rows), ElementsAre(4, 5, 6));
  EXPECT_TRUE(rows.is_dense());
  EXPECT_EQ(rows.first_row(), 3U);
}

TEST(RowSetTest, AWindowEndsWhereTheRowsEnd) {
  RowScratch scratch;
  const RowSet rows = numbered(3, scratch);
  EXPECT_THAT(ids_of(rows.window(2, 10)), ElementsAre(3));
  EXPECT_TRUE(rows.window(7, 1).empty());
}

TEST(RowSetTest, WithBatchKeepsTheView) {
  RowScratch scratch;
  const RowSet rows = numbered(3, scratch).window(1, 2);
  const ColumnRef column = testing::to_column(ColumnType::kBool, {true, false, true}, scratch);
  const RowSet wider = rows.with_batch(rows.batch()->with_column("b", column).value());
  EXPECT_THAT(to_table(wider).column("b"), ElementsAre(false, true));
}

}  // namespace
}  // namespace millrace::rows
