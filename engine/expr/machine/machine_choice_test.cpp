#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "expr/evaluate_fixture.h"
#include "rows/rows_fixture.h"

namespace millrace::expr {
namespace {

using rows::ColumnType;
using rows::testing::Cell;
using rows::testing::kNull;
using rows::testing::Table;
using testing::Answer;
using testing::Bench;

// Nine rows: `a` and `b` are 3, null or the largest int in every mix, so `a + 1` and `b + 1` are 4,
// null or an error.
Bench all_mixes() {
  Table table{.names = {"id", "a", "b"},
              .types = {ColumnType::kInt64, ColumnType::kInt64, ColumnType::kInt64},
              .rows = {}};
  const std::vector<Cell> kinds{3, kNull, std::numeric_limits<std::int64_t>::max()};
  for (const Cell& a : kinds) {
    for (const Cell& b : kinds) {
      table.rows.push_back({static_cast<std::int64_t>(table.rows.size()), a, b});
    }
  }
  return Bench(std::move(table));
}

// One letter per row, v for a value and n for null, and the number of row errors.
std::string marks(std::string_view text) {
  Bench bench = all_mixes();
  const Answer answer = bench.run(text);
  std::string out = answer.problem;
  for (const Cell& cell : answer.cells) out += cell.is_null() ? 'n' : 'v';
  return out + " " + std::to_string(answer.errors.count);
}

TEST(MachineChoiceTest, EachRowKeepsItsOwnNullsAndErrors) {
  EXPECT_EQ(marks("(a + 1) * (b + 1)"), "vnnnnnnnn 5");
  EXPECT_EQ(marks("(a + 1) > (b + 1)"), "vvnvvnnnn 5");
  EXPECT_EQ(marks("(a + 1) is null"), "vvvvvvnnn 3");
  EXPECT_EQ(marks("(a + 1) / (b + 1)"), "vnnnnnnnn 5");
  EXPECT_EQ(marks("(a + 1) in [b + 1, 9]"), "vvnvvnnnn 5");
}

TEST(MachineChoiceTest, ChoicesTakeNullsAndErrorsOfTheTakenSideOnly) {
  EXPECT_EQ(marks("coalesce(a + 1, b + 1)"), "vvvvnnnnn 4");
  EXPECT_EQ(marks("coalesce(a + 1, 7)"), "vvvvvvnnn 3");
  EXPECT_EQ(marks("coalesce(a, b + 1)"), "vvvvnnvvv 1");
  EXPECT_EQ(marks("if(a > 9, a + 1, b + 1)"), "vnnvnnnnn 5");
  EXPECT_EQ(marks("if(a > 9, 7, b + 1)"), "vnnvnnvvv 2");
  EXPECT_EQ(marks("if(a + 1 > 0, 7, 8)"), "vvvvvvnnn 3");
  EXPECT_EQ(marks("if(true, a + 1, b)"), "vvvnnnnnn 3");
}

TEST(MachineChoiceTest, LogicIgnoresErrorsOnTheRightThatTheLeftDecides) {
  EXPECT_EQ(marks("a + 1 > 0 and b + 1 > 0"), "vvnvvvnnn 4");
  EXPECT_EQ(marks("a + 1 > 0 or b + 1 > 0"), "vvvvvnnnn 4");
  EXPECT_EQ(marks("false and a + 1 > 0"), "vvvvvvvvv 0");
  EXPECT_EQ(marks("a + 1 > 0 and false"), "vvvvvvnnn 3");
}

}  // namespace
}  // namespace millrace::expr
