#include "rows/mmr.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <variant>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/random.h"
#include "rows/rows_fixture.h"

namespace millrace::rows {
namespace {

using testing::Cell;
using testing::check_property;
using ::testing::ElementsAre;
using testing::ids_of;
using testing::kInfinity;
using testing::kNan;
using testing::kNull;
using testing::Row;
using testing::Table;
using testing::to_rows;
using testing::to_table;

double number_of(const Cell& cell) {
  if (const auto* number = std::get_if<double>(&cell.value)) return *number;
  if (const auto* number = std::get_if<std::int64_t>(&cell.value))
    return static_cast<double>(*number);
  if (const auto* flag = std::get_if<bool>(&cell.value)) return *flag ? 1 : 0;
  return kNan;
}

double naive_relevance(const Table& table, const std::string& score, std::size_t row) {
  double least = kInfinity;
  double greatest = -kInfinity;
  for (const Cell& cell : table.column(score)) {
    const double number = number_of(cell);
    if (!std::isfinite(number)) continue;
    least = std::min(least, number);
    greatest = std::max(greatest, number);
  }
  const double number = number_of(table.rows[row][table.column_index(score)]);
  if (std::isnan(number) || number == -kInfinity) return 0;
  if (number == kInfinity || least == greatest) return 1;
  return (number / 2 - least / 2) / (greatest / 2 - least / 2);
}

std::vector<double> naive_vector(const Table& table, const MmrOptions& options, const Row& row) {
  std::vector<double> vector;
  double largest = 0;
  for (const std::string& name : options.features) {
    const double number = number_of(row[table.column_index(name)]);
    vector.push_back(std::isfinite(number) ? number : 0);
    largest = std::max(largest, std::abs(vector.back()));
  }
  double squares = 0;
  for (double& value : vector) {
    value = largest == 0 ? 0 : value / largest;
    squares += value * value;
  }
  for (double& value : vector) value = squares == 0 ? 0 : value / std::sqrt(squares);
  return vector;
}

double naive_similarity(const Table& table,
                        const MmrOptions& options,
                        const Row& left,
                        const Row& right) {
  if (options.features.empty()) {
    const std::vector<std::string> keys(options.same_keys.begin(), options.same_keys.end());
    return testing::same_keys(table, keys, left, right) ? 1 : 0;
  }
  const std::vector<double> a = naive_vector(table, options, left);
  const std::vector<double> b = naive_vector(table, options, right);
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

Table naive_mmr(const Table& table, const MmrOptions& options) {
  std::vector<std::size_t> chosen;
  while (chosen.size() < table.rows.size() &&
         chosen.size() < static_cast<std::size_t>(options.count)) {
    std::size_t best = table.rows.size();
    double best_value = 0;
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
      if (std::find(chosen.begin(), chosen.end(), i) != chosen.end()) continue;
      double similarity = chosen.empty() ? 0 : -kInfinity;
      for (const std::size_t other : chosen) {
        similarity = std::max(similarity,
                              naive_similarity(table, options, table.rows[other], table.rows[i]));
      }
      const double value = options.lambda * naive_relevance(table, options.score, i) -
                           (1 - options.lambda) * similarity;
      if (best == table.rows.size() || value > best_value) {
        best = i;
        best_value = value;
      }
    }
    chosen.push_back(best);
  }
  std::vector<Row> rows;
  for (const std::size_t i : chosen) rows.push_back(table.rows[i]);
  return table.with_rows(rows);
}

TEST(MmrTest, AgreesWithNaiveMmr) {
  check_property(
      "mmr",
      14,
      [](base::Random& random, std::size_t count, RowScratch& scratch) {
        const RowSet rows = testing::random_rows(random, count, scratch);
        const std::vector<std::string> keys = testing::random_key_names(random);
        const std::vector<std::string> features = {"i", "f", "b"};
        constexpr double kLambdas[] = {0, 0.3, 0.7, 1};
        MmrOptions options{.score = random.chance(0.5) ? "i" : "f",
                           .lambda = kLambdas[random.below(4)],
                           .count = static_cast<std::int64_t>(random.below(count + 2)),
                           .same_keys = keys};
        RC_ASSERT(to_table(diversify_mmr(rows, options, scratch).value()) ==
                  naive_mmr(to_table(rows), options));
        options.same_keys = {};
        options.features = features;
        RC_ASSERT(to_table(diversify_mmr(rows, options, scratch).value()) ==
                  naive_mmr(to_table(rows), options));
      },
      14);
}

TEST(MmrTest, ChoosesAmongManyRows) {
  Table table{.names = {"id", "key", "score", "x", "y"},
              .types = {ColumnType::kInt64,
                        ColumnType::kInt64,
                        ColumnType::kFloat64,
                        ColumnType::kFloat64,
                        ColumnType::kFloat64},
              .rows = {}};
  // The best rows come last and are alike; the first row alone differs from them.
  constexpr std::int64_t kCount = 2 * kStopCheckRows + 5;
  for (std::int64_t i = 0; i < kCount; ++i) {
    const bool is_first = i == 0;
    table.rows.push_back(
        {i, is_first ? 1 : 2, 1.0 * i, is_first ? 1.0 : 0.0, is_first ? 0.0 : 1.0});
  }
  RowScratch scratch;
  const RowSet rows = testing::to_rows(table, scratch);
  const std::vector<std::string> keys = {"key"};
  const std::vector<std::string> features = {"x", "y"};
  MmrOptions options{.score = "score", .lambda = 0.4, .count = 3, .same_keys = keys};
  EXPECT_THAT(ids_of(diversify_mmr(rows, options, scratch).value()),
              ElementsAre(kCount - 1, 0, kCount - 2));
  options.same_keys = {};
  options.features = features;
  EXPECT_THAT(ids_of(diversify_mmr(rows, options, scratch).value()),
              ElementsAre(kCount - 1, 0, kCount - 2));
}

const Table kTopical{.names = {"id", "topic", "score", "x", "y"},
                     .types = {ColumnType::kInt64,
                               ColumnType::kString,
                               ColumnType::kFloat64,
                               ColumnType::kFloat64,
                               ColumnType::kFloat64},
                     .rows = {{1, "a", 1.0, 1.0, 0.0},
                              {2, "a", 0.9, 2.0, 0.1},
                              {3, "b", 0.8, 0.0, 1.0},
                              {4, "c", 0.0, kNull, 3.0}}};
const std::vector<std::string> kTopic = {"topic"};
const std::vector<std::string> kVector = {"x", "y"};

TEST(MmrTest, PutsADifferentRowBeforeASimilarOne) {
  RowScratch scratch;
  const RowSet rows = to_rows(kTopical, scratch);
  const MmrOptions by_topic{.score = "score", .lambda = 0.7, .count = 3, .same_keys = kTopic};
  EXPECT_THAT(ids_of(diversify_mmr(rows, by_topic, scratch).value()), ElementsAre(1, 3, 2));
  const MmrOptions by_vector{.score = "score", .lambda = 0.5, .count = 2, .features = kVector};
  EXPECT_THAT(ids_of(diversify_mmr(rows, by_vector, scratch).value()), ElementsAre(1, 3));
}

TEST(MmrTest, LambdaOneIsPlainRelevance) {
  RowScratch scratch;
  const RowSet rows = to_rows(kTopical, scratch);
  const MmrOptions options{.score = "score", .lambda = 1, .count = 9, .same_keys = kTopic};
  EXPECT_THAT(ids_of(diversify_mmr(rows, options, scratch).value()), ElementsAre(1, 2, 3, 4));
}

TEST(MmrTest, SaysWhatIsWrong) {
  RowScratch scratch;
  const RowSet rows = to_rows(kTopical, scratch);
  const auto where = [&](const MmrOptions& options) {
    return diversify_mmr(rows, options, scratch).error().where();
  };
  EXPECT_EQ(where({.score = "score", .count = -1, .same_keys = kTopic}), "mmr.count");
  EXPECT_EQ(where({.score = "score", .lambda = 1.5, .count = 1, .same_keys = kTopic}),
            "mmr.lambda");
  EXPECT_EQ(where({.score = "score", .lambda = kNan, .count = 1, .same_keys = kTopic}),
            "mmr.lambda");
  EXPECT_EQ(where({.score = "score", .count = 1}), "mmr");
  EXPECT_EQ(where({.score = "score", .count = 1, .same_keys = kTopic, .features = kVector}), "mmr");
  EXPECT_EQ(where({.score = "topic", .count = 1, .same_keys = kTopic}), "mmr.score");
  EXPECT_EQ(where({.score = "score", .count = 1, .features = kTopic}), "mmr.features[0]");
}

}  // namespace
}  // namespace millrace::rows
