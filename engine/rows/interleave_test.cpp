#include "rows/interleave.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/random.h"
#include "rows/concat.h"
#include "rows/rows_fixture.h"

namespace millrace::rows {
namespace {

using testing::check_property;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::ids_of;
using testing::Row;
using testing::Table;
using testing::to_table;

std::vector<RowSet> inputs_of(const std::vector<std::vector<std::int64_t>>& ids,
                              RowScratch& scratch) {
  std::vector<RowSet> inputs;
  for (const std::vector<std::int64_t>& list : ids) {
    Table table{.names = {"id"}, .types = {ColumnType::kInt64}, .rows = {}};
    for (const std::int64_t id : list) table.rows.push_back({id});
    inputs.push_back(testing::to_rows(table, scratch));
  }
  return inputs;
}

// Weaves rows given which input comes next: `choose` gets how many rows each input has given and
// which inputs have rows left.
template <class Choose>
Table naive_weave(const std::vector<RowSet>& inputs, RowScratch& scratch, Choose choose) {
  const Table all = to_table(concat(inputs, {}, scratch).value());
  std::vector<std::size_t> taken(inputs.size());
  std::vector<Row> woven;
  while (woven.size() < all.rows.size()) {
    std::vector<bool> has_more;
    for (std::size_t i = 0; i < inputs.size(); ++i) has_more.push_back(taken[i] < inputs[i].size());
    const std::size_t input = choose(taken, has_more);
    std::size_t row = taken[input]++;
    for (std::size_t i = 0; i < input; ++i) row += inputs[i].size();
    woven.push_back(all.rows[row]);
  }
  return all.with_rows(woven);
}

std::vector<RowSet> random_inputs(base::Random& random, std::size_t count, RowScratch& scratch) {
  std::vector<RowSet> inputs;
  const std::size_t input_count = 1 + random.below(4);
  const RowSet shared = testing::random_rows(random, count, scratch);
  const bool one_batch = random.chance(0.3);
  while (inputs.size() < input_count) {
    inputs.push_back(one_batch ? shared.window(random.below(count + 1), random.below(count + 1))
                               : testing::random_rows(random, random.below(count + 1), scratch));
  }
  return inputs;
}

TEST(InterleaveTest, AgreesWithNaivePattern) {
  check_property("pattern", 60, [](base::Random& random, std::size_t count, RowScratch& scratch) {
    const std::vector<RowSet> inputs = random_inputs(random, count, scratch);
    std::string pattern = std::string("abcd").substr(0, inputs.size());
    for (std::size_t i = random.below(5); i > 0; --i) {
      pattern += static_cast<char>('a' + random.below(inputs.size()));
    }
    std::size_t place = 0;
    const Table expected = naive_weave(inputs, scratch, [&](const auto&, const auto& has_more) {
      for (;;) {
        const auto input = static_cast<std::size_t>(pattern[place++ % pattern.size()] - 'a');
        if (has_more[input]) return input;
      }
    });
    RC_ASSERT(to_table(interleave_pattern(inputs, pattern, scratch).value()) == expected);
  });
}

TEST(InterleaveTest, AgreesWithNaiveWeights) {
  check_property("weights", 60, [](base::Random& random, std::size_t count, RowScratch& scratch) {
    const std::vector<RowSet> inputs = random_inputs(random, count, scratch);
    std::vector<double> weights;
    while (weights.size() < inputs.size()) {
      weights.push_back(0.5 * static_cast<double>(1 + random.below(6)));
    }
    const Table expected =
        naive_weave(inputs, scratch, [&](const auto& taken, const auto& has_more) {
          std::size_t best = inputs.size();
          for (std::size_t i = 0; i < inputs.size(); ++i) {
            const auto due = [&](std::size_t input) {
              return static_cast<double>(2 * taken[input] + 1) / weights[input];
            };
            if (has_more[i] && (best == inputs.size() || due(i) < due(best))) best = i;
          }
          return best;
        });
    RC_ASSERT(to_table(interleave_weighted(inputs, weights, scratch).value()) == expected);
  });
}

TEST(InterleaveTest, AnInputThatHasRunOutIsPassedOver) {
  RowScratch scratch;
  const std::vector<RowSet> inputs = inputs_of({{1, 2, 3, 4, 5}, {11}}, scratch);
  EXPECT_THAT(ids_of(interleave_pattern(inputs, "aab", scratch).value()),
              ElementsAre(1, 2, 11, 3, 4, 5));
}

TEST(InterleaveTest, WeightsSpreadTheRareInput) {
  RowScratch scratch;
  const std::vector<RowSet> inputs = inputs_of({{1, 2, 3, 4, 5, 6}, {11, 12}}, scratch);
  const std::vector<double> weights = {3, 1};
  EXPECT_THAT(ids_of(interleave_weighted(inputs, weights, scratch).value()),
              ElementsAre(1, 2, 11, 3, 4, 5, 12, 6));
}

TEST(InterleaveTest, ViewsOfOneBatchAreNotCopied) {
  RowScratch scratch;
  const RowSet rows = inputs_of({{1, 2, 3, 4}}, scratch)[0];
  const std::vector<RowSet> inputs = {rows.window(0, 2), rows.window(2, 2)};
  const RowSet woven = interleave_pattern(inputs, "ba", scratch).value();
  EXPECT_EQ(woven.batch(), rows.batch());
  EXPECT_THAT(ids_of(woven), ElementsAre(3, 1, 4, 2));
}

TEST(InterleaveTest, RefusesPatternsThatDoNotFitTheInputs) {
  RowScratch scratch;
  const std::vector<RowSet> inputs = inputs_of({{1}, {2}}, scratch);
  EXPECT_THAT(interleave_pattern(inputs, "abc", scratch).error().message(), HasSubstr("'c'"));
  EXPECT_THAT(interleave_pattern(inputs, "aB", scratch).error().message(), HasSubstr("'B'"));
  EXPECT_THAT(interleave_pattern(inputs, "aa", scratch).error().message(), HasSubstr("number 2"));
  EXPECT_FALSE(interleave_pattern(inputs, "", scratch));
  EXPECT_FALSE(interleave_pattern({}, "", scratch));
}

TEST(InterleaveTest, RefusesWeightsThatAreNoProportion) {
  RowScratch scratch;
  const std::vector<RowSet> inputs = inputs_of({{1}, {2}}, scratch);
  for (const double bad : {0.0,
                           -1.0,
                           std::numeric_limits<double>::infinity(),
                           std::numeric_limits<double>::quiet_NaN()}) {
    const std::vector<double> weights = {1, bad};
    EXPECT_EQ(interleave_weighted(inputs, weights, scratch).error().where(),
              "interleave.weights[1]");
  }
  const std::vector<double> too_few = {1};
  EXPECT_EQ(interleave_weighted(inputs, too_few, scratch).error().where(), "interleave.weights");
}

TEST(InterleaveTest, TinyWeightsStillGiveAllRows) {
  RowScratch scratch;
  const std::vector<RowSet> inputs = inputs_of({{}, {1, 2}, {11}}, scratch);
  const std::vector<double> weights(3, std::numeric_limits<double>::denorm_min());
  EXPECT_THAT(ids_of(interleave_weighted(inputs, weights, scratch).value()), ElementsAre(1, 2, 11));
}

}  // namespace
}  // namespace millrace::rows
