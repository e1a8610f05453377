#include "rows/diversify.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
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
using testing::kNull;
using testing::Row;
using testing::same_key;
using testing::Table;
using testing::to_rows;
using testing::to_table;

// Says whether the rule still holds, in the window that `row` ends, when `row` is appended to
// `placed`.
bool fits(const Table& table,
          const WindowRule& rule,
          const std::vector<Row>& placed,
          const Row& row) {
  const std::size_t column = table.column_index(rule.column);
  const auto window = static_cast<std::size_t>(rule.window);
  const std::size_t begin = placed.size() + 1 > window ? placed.size() + 1 - window : 0;
  std::int64_t alike = 1;
  for (std::size_t i = begin; i < placed.size(); ++i) {
    if (same_key(placed[i][column], row[column])) ++alike;
  }
  return alike <= rule.count_max;
}

Table naive_diversify(const Table& table, const DiversifyOptions& options) {
  std::vector<Row> left = table.rows;
  std::vector<Row> placed;
  while (!left.empty()) {
    const std::size_t sight = std::min(left.size(), static_cast<std::size_t>(options.lookahead));
    std::size_t chosen = left.size();
    for (std::size_t i = 0; i < sight && chosen == left.size(); ++i) {
      const bool ok =
          std::all_of(options.rules.begin(), options.rules.end(), [&](const auto& rule) {
            return fits(table, rule, placed, left[i]);
          });
      if (ok) chosen = i;
    }
    if (chosen == left.size() && options.when_stuck == WhenStuck::kDropRest) break;
    if (chosen == left.size()) chosen = 0;
    placed.push_back(left[chosen]);
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(chosen));
  }
  return table.with_rows(placed);
}

TEST(DiversifyTest, AgreesWithNaiveGreedy) {
  check_property("windows", 60, [](base::Random& random, std::size_t count, RowScratch& scratch) {
    const RowSet rows = testing::random_rows(random, count, scratch);
    const std::vector<std::string> names = {"g", "b", "i", "f", "s"};
    std::vector<WindowRule> rules(1 + random.below(2));
    for (WindowRule& rule : rules) {
      rule = {.column = names[random.below(names.size())],
              .count_max = static_cast<std::int64_t>(1 + random.below(3)),
              .window = static_cast<std::int64_t>(1 + random.below(6))};
    }
    const DiversifyOptions options{
        .rules = rules,
        .when_stuck = random.chance(0.5) ? WhenStuck::kBreakRule : WhenStuck::kDropRest,
        .lookahead = static_cast<std::int64_t>(1 + random.below(random.chance(0.5) ? 5 : 100))};
    const RowSet diverse = diversify(rows, options, scratch).value();
    RC_ASSERT(diverse.batch() == rows.batch());
    RC_ASSERT(to_table(diverse) == naive_diversify(to_table(rows), options));
  });
}

const Table kAuthored{.names = {"id", "author"},
                      .types = {ColumnType::kInt64, ColumnType::kString},
                      .rows = {{1, "x"}, {2, "x"}, {3, "x"}, {4, "y"}, {5, kNull}, {6, kNull}}};

TEST(DiversifyTest, BreaksTheRuleOnlyWhenNothingFits) {
  RowScratch scratch;
  const std::vector<WindowRule> rules = {{.column = "author", .count_max = 1, .window = 3}};
  const RowSet rows = to_rows(kAuthored, scratch);
  EXPECT_THAT(ids_of(diversify(rows, {.rules = rules}, scratch).value()),
              ElementsAre(1, 4, 5, 2, 3, 6));
  const DiversifyOptions strict{.rules = rules, .when_stuck = WhenStuck::kDropRest};
  EXPECT_THAT(ids_of(diversify(rows, strict, scratch).value()), ElementsAre(1, 4, 5, 2));
}

TEST(DiversifyTest, RefusesRulesThatSayNothing) {
  RowScratch scratch;
  const RowSet rows = to_rows(kAuthored, scratch);
  const auto where = [&](const WindowRule& rule, std::int64_t lookahead = 1) {
    const std::vector<WindowRule> rules = {rule};
    return diversify(rows, {.rules = rules, .lookahead = lookahead}, scratch).error().where();
  };
  EXPECT_EQ(where({.column = "author", .count_max = 0, .window = 3}), "diversify.rules[0]");
  EXPECT_EQ(where({.column = "author", .count_max = 1, .window = 0}), "diversify.rules[0]");
  EXPECT_EQ(where({.column = "autor", .count_max = 1, .window = 2}), "diversify.rules[0].column");
  EXPECT_EQ(where({.column = "author", .count_max = 1, .window = 2}, 0), "diversify.lookahead");
  EXPECT_EQ(diversify(rows, {.rules = {}}, scratch).error().where(), "diversify.rules");
}

}  // namespace
}  // namespace millrace::rows
