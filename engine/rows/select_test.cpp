#include "rows/select.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/random.h"
#include "rows/row_set.h"
#include "rows/rows_fixture.h"

namespace millrace::rows {
namespace {

using testing::check_property;
using ::testing::ElementsAre;
using testing::ids_of;
using testing::numbered;
using testing::Row;
using testing::Table;
using testing::to_table;

TEST(SelectTest, TSK6_FilterCopiesNoColumnAndTakeSharesTheIndex) {
  RowScratch scratch;
  const RowSet rows = numbered(4, scratch);
  const std::vector<std::uint8_t> keep = {1, 0, 1, 1};
  const RowSet kept = filter(rows, keep, scratch).value();
  EXPECT_EQ(kept.batch(), rows.batch());
  EXPECT_THAT(ids_of(kept), ElementsAre(1, 3, 4));
  const RowSet tail = skip(kept, 1).value();
  EXPECT_EQ(tail.indices().data(), kept.indices().data() + 1);
  EXPECT_THAT(ids_of(take(tail, 1).value()), ElementsAre(3));
}

TEST(SelectTest, RefusesAMaskOfAnotherLength) {
  RowScratch scratch;
  const std::vector<std::uint8_t> keep = {1};
  const auto result = filter(numbered(2, scratch), keep, scratch);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().where(), "filter.keep");
}

TEST(SelectTest, RefusesNegativeCounts) {
  RowScratch scratch;
  const RowSet rows = numbered(2, scratch);
  EXPECT_EQ(take(rows, -1).error().where(), "take.count");
  EXPECT_EQ(skip(rows, -1).error().where(), "skip.count");
}

TEST(SelectTest, CountsBeyondTheEndAreFine) {
  RowScratch scratch;
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  const RowSet rows = numbered(2, scratch);
  EXPECT_EQ(take(rows, kMax).value().size(), 2U);
  EXPECT_EQ(skip(rows, kMax).value().size(), 0U);
}

TEST(SelectTest, AgreesWithNaiveFilterTakeAndSkip) {
  check_property("select", 300, [](base::Random& random, std::size_t count, RowScratch& scratch) {
    const RowSet rows = testing::random_rows(random, count, scratch);
    const Table table = to_table(rows);
    std::vector<std::uint8_t> keep;
    std::vector<Row> expected;
    for (const Row& row : table.rows) {
      keep.push_back(random.chance(0.5) ? 1 : 0);
      if (keep.back() != 0) expected.push_back(row);
    }
    const RowSet kept = filter(rows, keep, scratch).value();
    RC_ASSERT(to_table(kept) == table.with_rows(expected));

    const auto cut = static_cast<std::size_t>(random.below(count + 2));
    const auto split =
        expected.begin() + static_cast<std::ptrdiff_t>(std::min(cut, expected.size()));
    const auto cut_count = static_cast<std::int64_t>(cut);
    RC_ASSERT(to_table(take(kept, cut_count).value()) ==
              table.with_rows({expected.begin(), split}));
    RC_ASSERT(to_table(skip(kept, cut_count).value()) == table.with_rows({split, expected.end()}));
  });
}

}  // namespace
}  // namespace millrace::rows
