#include "rows/top_k.h"

#include <cstddef>
#include <cstdint>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/random.h"
#include "rows/rows_fixture.h"
#include "rows/select.h"
#include "rows/sort.h"
#include "rows/sort_key.h"

namespace millrace::rows {
namespace {

using testing::Cell;
using testing::check_property;
using ::testing::ElementsAre;
using testing::make_rows;
using testing::Table;

TEST(TopKTest, CopiesNoColumn) {
  RowScratch scratch;
  const RowSet rows = make_rows(ColumnType::kInt64, {2, 1, 5, 4, 3}, scratch);
  const RowSet best = top_k(rows, {{{"key"}}}, 1, scratch).value();
  EXPECT_EQ(best.batch(), rows.batch());
  EXPECT_THAT(testing::ids_of(best), ElementsAre(2));
}

TEST(TopKTest, RefusesNoKeys) {
  RowScratch scratch;
  EXPECT_FALSE(top_k(make_rows(ColumnType::kInt64, {2, 1}, scratch), {}, 1, scratch));
}

TEST(TopKTest, NoneWantedGivesNone) {
  RowScratch scratch;
  const RowSet rows = make_rows(ColumnType::kInt64, {2, 1}, scratch);
  EXPECT_TRUE(top_k(rows, {{{"key"}}}, 0, scratch).value().empty());
}

TEST(TopKTest, RefusesNegativeCount) {
  RowScratch scratch;
  const RowSet rows = make_rows(ColumnType::kInt64, {2, 1}, scratch);
  const auto result = top_k(rows, {{{"key"}}}, -1, scratch);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code(), base::ErrorCode::kInvalidArgument);
  EXPECT_EQ(result.error().where(), "top_k.count");
}

TEST(TopKTest, FillsUpWithNullsWhenTooFewRowsHaveAKey) {
  RowScratch scratch;
  std::vector<Cell> cells(20);
  cells[13] = 1.0;
  const RowSet rows = make_rows(ColumnType::kFloat64, cells, scratch);
  const RowSet best = top_k(rows, {{{"key", Direction::kDescending}}}, 3, scratch).value();
  EXPECT_THAT(testing::ids_of(best), ElementsAre(14, 1, 2));
}

TEST(TopKTest, AgreesWithSortAndTake) {
  check_property("top_k", 2000, [](base::Random& random, std::size_t count, RowScratch& scratch) {
    const RowSet rows = testing::random_rows(random, count, scratch);
    const std::vector<SortKey> keys = testing::random_sort_keys(random);
    const auto wanted = static_cast<std::int64_t>(random.below(random.chance(0.5) ? 20 : 1000));
    const RowSet best = top_k(rows, keys, wanted, scratch).value();
    const RowSet expected = take(sort(rows, keys, scratch).value(), wanted).value();
    RC_ASSERT(testing::to_table(best) == testing::to_table(expected));
  });
}

TEST(TopKTest, AgreesWithSortOnRisingAndFallingKeys) {
  RowScratch scratch;
  std::vector<Cell> rising;
  for (int i = 0; i < 5000; ++i) rising.emplace_back(static_cast<double>(i / 3));
  std::vector<Cell> falling(rising.rbegin(), rising.rend());
  for (const std::vector<Cell>& cells : {rising, falling}) {
    const RowSet rows = make_rows(ColumnType::kFloat64, cells, scratch);
    for (const Direction direction : {Direction::kAscending, Direction::kDescending}) {
      const std::vector<SortKey> keys = {{"key", direction}};
      const RowSet expected = take(sort(rows, keys, scratch).value(), 50).value();
      EXPECT_EQ(testing::ids_of(top_k(rows, keys, 50, scratch).value()), testing::ids_of(expected));
    }
  }
}

}  // namespace
}  // namespace millrace::rows
