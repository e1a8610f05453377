#include "rows/dedupe.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/random.h"
#include "rows/rows_fixture.h"
#include "rows/sort_key.h"

namespace millrace::rows {
namespace {

using testing::check_property;
using ::testing::ElementsAre;
using testing::ids_of;
using testing::kNull;
using testing::Row;
using testing::Table;
using testing::to_rows;
using testing::to_table;

// Says whether the later row takes the place of the earlier one.
bool replaces(const Table& table,
              const DedupeOptions& options,
              const Row& later,
              const Row& earlier) {
  if (options.keep != Keep::kMaxScore) return options.keep == Keep::kLast;
  const std::size_t score = table.column_index(options.score);
  const int order = testing::compare_for_sort(later[score], earlier[score], Direction::kDescending);
  return order < 0 || (order == 0 && later[0].as_int() < earlier[0].as_int());
}

Table naive_dedupe(const Table& table,
                   const std::vector<std::string>& keys,
                   const DedupeOptions& options) {
  std::vector<Row> kept;
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    // A row stays when it beats all rows of its key before it and none after it beats it.
    bool stays = true;
    for (std::size_t other = 0; other < table.rows.size(); ++other) {
      if (other == i || !testing::same_keys(table, keys, table.rows[i], table.rows[other]))
        continue;
      const bool beaten = other < i ? !replaces(table, options, table.rows[i], table.rows[other])
                                    : replaces(table, options, table.rows[other], table.rows[i]);
      if (beaten) stays = false;
    }
    if (stays) kept.push_back(table.rows[i]);
  }
  return table.with_rows(kept);
}

TEST(DedupeTest, AgreesWithNaiveDedupe) {
  check_property(
      "dedupe",
      150,
      [](base::Random& random, std::size_t count, RowScratch& scratch) {
        const RowSet rows = testing::random_rows(random, count, scratch);
        const std::vector<std::string> keys = testing::random_key_names(random);
        const std::vector<std::string> scores = {"i", "f", "b", "s"};
        for (const Keep keep : {Keep::kFirst, Keep::kLast, Keep::kMaxScore}) {
          const DedupeOptions options{
              .keys = keys, .keep = keep, .score = scores[random.below(scores.size())]};
          const RowSet unique = dedupe(rows, options, scratch).value();
          RC_ASSERT(unique.batch() == rows.batch());
          RC_ASSERT(to_table(unique) == naive_dedupe(to_table(rows), keys, options));
        }
      },
      150);
}

const Table kPosts{
    .names = {"id", "author", "score"},
    .types = {ColumnType::kInt64, ColumnType::kString, ColumnType::kFloat64},
    .rows = {{5, "x", 0.5}, {4, "y", kNull}, {3, "x", 0.5}, {2, "x", kNull}, {1, "y", 0.1}}};
const std::vector<std::string> kAuthor = {"author"};

TEST(DedupeTest, MaxScoreTakesTheLowerIdOfEqualsAndNullLast) {
  RowScratch scratch;
  const RowSet rows = to_rows(kPosts, scratch);
  const DedupeOptions options{.keys = kAuthor, .keep = Keep::kMaxScore, .score = "score"};
  EXPECT_THAT(ids_of(dedupe(rows, options, scratch).value()), ElementsAre(3, 1));
}

TEST(DedupeTest, RowsOfOneKeyMayBeFarApart) {
  Table table{.names = {"id", "key", "score"},
              .types = {ColumnType::kInt64, ColumnType::kInt64, ColumnType::kFloat64},
              .rows = {}};
  constexpr std::int64_t kCount = 3 * kStopCheckRows;
  for (std::int64_t i = 0; i < kCount; ++i) {
    table.rows.push_back({i, i % 3, i < kCount / 2 ? 1.0 * i : 0.0});
  }
  RowScratch scratch;
  const RowSet rows = to_rows(table, scratch);
  const std::vector<std::string> keys = {"key"};
  const auto ids_kept = [&](Keep keep) {
    return ids_of(dedupe(rows, {.keys = keys, .keep = keep, .score = "score"}, scratch).value());
  };
  EXPECT_THAT(ids_kept(Keep::kFirst), ElementsAre(0, 1, 2));
  EXPECT_THAT(ids_kept(Keep::kLast), ElementsAre(kCount - 3, kCount - 2, kCount - 1));
  EXPECT_THAT(ids_kept(Keep::kMaxScore),
              ElementsAre(kCount / 2 - 3, kCount / 2 - 2, kCount / 2 - 1));
}

TEST(DedupeTest, SaysWhatIsMissing) {
  RowScratch scratch;
  const RowSet rows = to_rows(kPosts, scratch);
  EXPECT_EQ(dedupe(rows, {.keys = {}}, scratch).error().where(), "dedupe.keys");
  const DedupeOptions options{.keys = kAuthor, .keep = Keep::kMaxScore, .score = "scores"};
  EXPECT_EQ(dedupe(rows, options, scratch).error().to_string(),
            "not_found: No such column: scores; did you mean 'score'? (at dedupe.score)");
}

TEST(GroupLimitTest, AgreesWithNaiveLimit) {
  check_property("limit", 150, [](base::Random& random, std::size_t count, RowScratch& scratch) {
    const RowSet rows = testing::random_rows(random, count, scratch);
    const std::vector<std::string> keys = testing::random_key_names(random);
    const auto limit = static_cast<std::int64_t>(random.below(4));
    const Table table = to_table(rows);
    std::vector<Row> expected;
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
      std::int64_t before = 0;
      for (std::size_t j = 0; j < i; ++j) {
        if (testing::same_keys(table, keys, table.rows[j], table.rows[i])) ++before;
      }
      if (before < limit) expected.push_back(table.rows[i]);
    }
    const RowSet limited = group_limit(rows, keys, limit, scratch).value();
    RC_ASSERT(to_table(limited) == table.with_rows(expected));
  });
}

TEST(GroupLimitTest, RefusesNegativeCount) {
  RowScratch scratch;
  const RowSet rows = to_rows(kPosts, scratch);
  EXPECT_EQ(group_limit(rows, kAuthor, -1, scratch).error().where(), "group_limit.count");
}

}  // namespace
}  // namespace millrace::rows
