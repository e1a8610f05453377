// Overflow, and what happens to the rows in which it occurs.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "expr/evaluate.h"
#include "expr/evaluate_fixture.h"
#include "expr/program/compile_fixture.h"
#include "rows/rows_fixture.h"

namespace millrace::expr {
namespace {

using rows::ColumnType;
using rows::testing::Cell;
using rows::testing::kNull;
using rows::testing::Table;
using testing::Answer;
using testing::Bench;
using testing::check_all;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::kIntMax;
using testing::kIntMin;
using testing::one_row;

TEST(OverflowTest, EXP5_IsARowErrorAndNull) {
  Table table{.names = {"id", "n"},
              .types = {ColumnType::kInt64, ColumnType::kInt64},
              .rows = {{1, 1}, {2, kIntMax}, {3, kIntMin}, {4, kNull}, {5, kIntMax}}};
  Bench bench(std::move(table));
  struct Expected {
    std::string_view text;
    std::vector<Cell> cells;
    std::size_t first;
    std::string_view symbol;
    std::uint32_t offset;
  };
  const std::vector<Expected> all{
      {"n + 1", {2, kNull, kIntMin + 1, kNull, kNull}, 1, "`+`", 2},
      {"n - 2", {-1, kIntMax - 2, kNull, kNull, kIntMax - 2}, 2, "`-`", 2},
      {"2 * n", {2, kNull, kNull, kNull, kNull}, 1, "`*`", 2},
      {"-n", {-1, -kIntMax, kNull, kNull, -kIntMax}, 2, "`-`", 0},
      {"abs(n)", {1, kIntMax, kNull, kNull, kIntMax}, 2, "`abs`", 0},
      {"1 + n * n", {2, kNull, kNull, kNull, kNull}, 1, "`*`", 6},
      {"coalesce(n * n, 0)", {1, kNull, kNull, 0, kNull}, 1, "`*`", 11},
      {"if(n * n > 0, 1, 2)", {1, kNull, kNull, 2, kNull}, 1, "`*`", 5},
  };
  for (const Expected& expected : all) {
    const Answer answer = bench.run(expected.text);
    EXPECT_EQ(answer.cells, expected.cells) << expected.text << answer.problem;
    ASSERT_TRUE(answer.errors.first) << expected.text;
    EXPECT_EQ(answer.errors.first->position, expected.first) << expected.text;
    EXPECT_EQ(answer.errors.first->id, static_cast<std::int64_t>(expected.first) + 1);
    EXPECT_THAT(answer.errors.first->message, HasSubstr(expected.symbol));
    EXPECT_EQ(answer.errors.first->span.offset, expected.offset) << expected.text;
  }
  EXPECT_EQ(bench.run("2 * n").errors.count, 3U);
}

TEST(OverflowTest, ModuloOfTheSmallestIntByMinusOneIsZero) {
  Bench bench = one_row();
  check_all(bench, {{"-9223372036854775808 % -1", 0}, {"-9223372036854775808 % (five - 6)", 0}});
}

TEST(OverflowTest, UntakenBranchesRaiseNothing) {
  Table table{.names = {"id", "n", "on"},
              .types = {ColumnType::kInt64, ColumnType::kInt64, ColumnType::kBool},
              .rows = {{1, kIntMax, false}, {2, 3, true}}};
  Bench bench(std::move(table));
  for (const std::string_view text : {"if(on, n * n, 0)",
                                      "if(not on, 0, n * n)",
                                      "coalesce(n, n * n)",
                                      "on and n * n > 0",
                                      "not on or n * n > 0",
                                      "n in [n, n * n]"}) {
    EXPECT_EQ(bench.run(text).errors.count, 0U) << text;
  }
  for (const std::string_view text : {"if(on, 0, n * n)",
                                      "on or n * n > 0",
                                      "n * n > 0 and on",
                                      "n in [1, n * n]",
                                      "(n * n) is null",
                                      "not (n * n > 0)"}) {
    EXPECT_EQ(bench.run(text).errors.count, 1U) << text;
  }
}

TEST(OverflowTest, OfAConstantConcernsEveryRow) {
  Table table{.names = {"id", "n"},
              .types = {ColumnType::kInt64, ColumnType::kInt64},
              .rows = {{1, 1}, {2, 2}}};
  Bench bench(std::move(table));
  for (const std::string_view text : {"9223372036854775807 + 1",
                                      "n + (9223372036854775807 + 1)",
                                      "if(n > 0, 9223372036854775807 + 1, n)"}) {
    const Answer answer = bench.run(text);
    EXPECT_THAT(answer.cells, ElementsAre(kNull, kNull)) << text;
    EXPECT_EQ(answer.errors.count, 2U) << text;
    EXPECT_EQ(answer.errors.first->position, 0U) << text;
    EXPECT_THAT(answer.errors.first->message, HasSubstr("`+`")) << text;
  }
  EXPECT_EQ(bench.run("if(n > 0, n, 9223372036854775807 + 1)").errors.count, 0U);
}

TEST(OnRowErrorTest, EXP7_DropsOrFails) {
  Table table{.names = {"id", "n"},
              .types = {ColumnType::kInt64, ColumnType::kInt64},
              .rows = {{1, 1}, {2, kIntMax}, {3, 3}}};
  Bench bench(std::move(table));
  const Answer dropped = bench.run("n * 2", {.on_row_error = OnRowError::kDrop});
  EXPECT_THAT(dropped.cells, ElementsAre(2, 6));
  EXPECT_EQ(dropped.errors.count, 1U);
  const Answer failed = bench.run("n *\n 2 * n", {.on_row_error = OnRowError::kFail});
  EXPECT_EQ(failed.problem,
            "node_failed: Integer overflow in `*`: row 1, id 2\n"
            " 1 | n *\n"
            "   |   ^\n"
            " hint: set `on_row_error` to `null` or `drop` to go on (at 1:3)");
  EXPECT_THAT(bench.run("1", {.on_row_error = OnRowError::kFail}).cells, ElementsAre(1, 1, 1));
  EXPECT_THAT(bench.run("9223372036854775807 + 1", {.on_row_error = OnRowError::kDrop}).cells,
              ElementsAre());
}

TEST(OnRowErrorTest, EXP7_PredicatesKeepNoRowWithAnError) {
  Table table{.names = {"id", "n"},
              .types = {ColumnType::kInt64, ColumnType::kInt64},
              .rows = {{1, 1}, {2, kIntMax}, {3, 3}}};
  Bench bench(std::move(table));
  EXPECT_THAT(bench.kept("n * 2 > 0"), ElementsAre(1, 3));
  EXPECT_THAT(bench.kept("not (n * 2 > 0)"), ElementsAre());
  EXPECT_THAT(bench.kept("(n * 2) is null"), ElementsAre());
  const base::Result<BoundExpr> bound = bench.bind("n * 2 > 0");
  const base::Result<Filtered> failed = evaluate_predicate(
      *bound, bench.rows(), bench.scratch(), {.on_row_error = OnRowError::kFail});
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code(), base::ErrorCode::kNodeFailed);
}
}  // namespace
}  // namespace millrace::expr
