#include "rows/sample.h"

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

TEST(SampleTest, EXP6_TheHashIsTheDocumentedOne) {
  // Computed independently of this code, from the published SplitMix64 constants.
  EXPECT_EQ(sample_hash(0, 0), 0xA706DD2F4D197E6FU);
  EXPECT_EQ(sample_hash(7, -1), 0xA9A96B699DC41760U);
}

TEST(SampleTest, EXP6_TheChoiceIsFixedForAllTime) {
  RowScratch scratch;
  EXPECT_THAT(ids_of(sample_count(numbered(20, scratch), 5, 7, scratch).value()),
              ElementsAre(12, 15, 16, 18, 19));
}

TEST(SampleTest, AgreesWithNaiveCount) {
  check_property("count", 200, [](base::Random& random, std::size_t count, RowScratch& scratch) {
    const RowSet rows = testing::random_rows(random, count, scratch);
    const Table table = to_table(rows);
    const std::uint64_t seed = random.next();
    const std::uint64_t wanted = random.below(count + 2);
    std::vector<Row> expected;
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
      std::size_t before = 0;
      const std::uint64_t hash = sample_hash(seed, table.rows[i][0].as_int());
      for (std::size_t j = 0; j < table.rows.size(); ++j) {
        const std::uint64_t other = sample_hash(seed, table.rows[j][0].as_int());
        if (other < hash || (other == hash && j < i)) ++before;
      }
      if (before < wanted) expected.push_back(table.rows[i]);
    }
    const RowSet sample =
        sample_count(rows, static_cast<std::int64_t>(wanted), seed, scratch).value();
    RC_ASSERT(to_table(sample) == table.with_rows(expected));
  });
}

TEST(SampleTest, ARateDecidesEachRowByItself) {
  check_property("rate", 200, [](base::Random& random, std::size_t count, RowScratch& scratch) {
    const RowSet rows = testing::random_rows(random, count, scratch);
    const Table table = to_table(rows);
    const std::uint64_t seed = random.next();
    const double rate = random.unit();
    std::vector<Row> expected;
    for (const Row& row : table.rows) {
      const std::uint64_t hash = sample_hash(seed, row[0].as_int());
      if (static_cast<double>(hash >> 11U) / static_cast<double>(std::uint64_t{1} << 53U) < rate) {
        expected.push_back(row);
      }
    }
    const RowSet sample = sample_rate(rows, rate, seed, scratch).value();
    RC_ASSERT(to_table(sample) == table.with_rows(expected));
  });
}

TEST(SampleTest, RatesZeroAndOneAreExact) {
  RowScratch scratch;
  const RowSet rows = numbered(1000, scratch);
  EXPECT_EQ(sample_rate(rows, 0, 1, scratch).value().size(), 0U);
  EXPECT_EQ(sample_rate(rows, 1, 1, scratch).value().size(), 1000U);
  EXPECT_NEAR(static_cast<double>(sample_rate(rows, 0.3, 1, scratch).value().size()), 300, 60);
}

TEST(SampleTest, SeedsChooseDifferently) {
  RowScratch scratch;
  const RowSet rows = numbered(1000, scratch);
  EXPECT_NE(ids_of(sample_count(rows, 100, 1, scratch).value()),
            ids_of(sample_count(rows, 100, 2, scratch).value()));
}

TEST(SampleTest, RefusesWhatIsNoShare) {
  RowScratch scratch;
  const RowSet rows = numbered(3, scratch);
  EXPECT_EQ(sample_count(rows, -1, 0, scratch).error().where(), "sample.count");
  for (const double rate : {-0.1, 1.1, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_EQ(sample_rate(rows, rate, 0, scratch).error().where(), "sample.rate");
  }
}

}  // namespace
}  // namespace millrace::rows
