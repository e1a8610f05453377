#include "rows/batch.h"

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "rows/column.h"
#include "rows/row_scratch.h"
#include "rows/rows_fixture.h"

namespace millrace::rows {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::kNull;
using testing::to_column;

class BatchTest : public ::testing::Test {
 protected:
  ColumnRef ints(const std::vector<testing::Cell>& cells) {
    return to_column(ColumnType::kInt64, cells, scratch_);
  }
  ColumnRef floats(const std::vector<testing::Cell>& cells) {
    return to_column(ColumnType::kFloat64, cells, scratch_);
  }
  std::string error_of(NamedColumns columns) {
    return Batch::make(std::move(columns)).error().to_string();
  }

  RowScratch scratch_;
};

TEST_F(BatchTest, KeepsIdsExact) {
  constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  const BatchRef batch = Batch::make({{"id", ints({kMin, kMax, kMax - 1})}}).value();
  EXPECT_THAT(batch->ids(), ElementsAre(kMin, kMax, kMax - 1));
}

TEST_F(BatchTest, RefusesWhatIsNoBatch) {
  EXPECT_THAT(error_of({{"x", ints({1})}}), HasSubstr("needs a column id"));
  EXPECT_THAT(error_of({{"id", ints({1, kNull})}}), HasSubstr("id has a null (at columns.id)"));
  EXPECT_THAT(error_of({{"id", floats({1.0})}}), HasSubstr("must be int, not float"));
  EXPECT_THAT(error_of({{"id", ints({1})}, {"x", ints({1, 2})}}), HasSubstr("2 instead of 1"));
  EXPECT_THAT(error_of({{"id", ints({1})}, {"x", ints({1})}, {"x", ints({2})}}),
              HasSubstr("Two columns have the same name: x (at columns.x)"));
}

TEST_F(BatchTest, SuggestsTheNearestColumn) {
  const BatchRef batch = Batch::make({{"id", ints({1})}, {"score", floats({1.0})}}).value();
  EXPECT_EQ(batch->get_column("score", "here").value(), batch->find_column("score"));
  const auto missing = batch->get_column("scroe", "here");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().to_string(),
            "not_found: No such column: scroe; did you mean 'score'? (at here)");
}

TEST_F(BatchTest, TSK6_AddingAColumnSharesTheOthers) {
  const BatchRef batch = Batch::make({{"id", ints({1, 2})}, {"a", ints({3, 4})}}).value();
  const BatchRef wider = batch->with_column("b", floats({0.5, 1.5})).value();
  EXPECT_EQ(wider->find_column("a"), batch->find_column("a"));
  EXPECT_EQ(wider->find_column("id"), batch->find_column("id"));
  EXPECT_EQ(wider->ids().data(), batch->ids().data());
  EXPECT_EQ(batch->find_column("b"), nullptr) << "the first batch is unchanged";
}

TEST_F(BatchTest, ReplacingAColumnKeepsItsPlace) {
  const BatchRef batch =
      Batch::make({{"id", ints({1})}, {"a", ints({3})}, {"b", ints({4})}}).value();
  const BatchRef changed = batch->with_column("a", floats({0.5})).value();
  EXPECT_EQ(changed->find_index("a"), 1U);
  EXPECT_EQ(changed->find_column("a")->type(), ColumnType::kFloat64);
}

TEST_F(BatchTest, RefusesToWriteIdOrAColumnOfAnotherLength) {
  const BatchRef batch = Batch::make({{"id", ints({1})}}).value();
  EXPECT_FALSE(batch->with_column("id", ints({2})));
  EXPECT_FALSE(batch->with_column("a", ints({2, 3})));
}

TEST_F(BatchTest, ProjectionKeepsIdAndOrder) {
  const BatchRef batch =
      Batch::make({{"a", ints({3})}, {"id", ints({1})}, {"b", ints({4})}}).value();
  constexpr std::array<std::string_view, 2> kWanted = {"b", "unknown"};
  const BatchRef narrow = batch->with_only(kWanted);
  ASSERT_EQ(narrow->columns().size(), 2U);
  EXPECT_EQ(narrow->columns()[0].name, "id");
  EXPECT_EQ(narrow->columns()[1].name, "b");
}

}  // namespace
}  // namespace millrace::rows
