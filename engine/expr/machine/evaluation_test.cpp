#include "expr/machine/evaluation.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

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
using testing::kIntMax;

TEST(EvaluationTest, FollowsAnErrorToWhereItArose) {
  Bench bench(Table{
      .names = {"id", "n", "on", "x"},
      .types = {ColumnType::kInt64, ColumnType::kInt64, ColumnType::kBool, ColumnType::kFloat64},
      .rows = {{1, 2, true, 0.5}, {2, kIntMax, false, 0.5}}});
  const auto offset = [&](std::string_view text) -> std::int64_t {
    const Answer answer = bench.run(text);
    EXPECT_EQ(answer.problem, "");
    return answer.errors.first ? answer.errors.first->span.offset : -1;
  };
  EXPECT_EQ(offset("n + 1"), 2);
  EXPECT_EQ(offset("(n + 1) * (n + 2)"), 3);
  EXPECT_EQ(offset("if(on, n + 1, n * 2)"), 16);
  EXPECT_EQ(offset("if(not on, n + 1, n * 2)"), 13);
  EXPECT_EQ(offset("on and n > 0 or n * 2 > 0"), 18);
  EXPECT_EQ(offset("coalesce(n % 0, n * 2)"), 18);
  EXPECT_EQ(offset("(n * 2) * x + (n + 1)"), 3);
  EXPECT_EQ(offset("(n + 1) + x * (n * 2)"), 3);
  EXPECT_EQ(offset("(n + 1) - 0.5 * (n * 2)"), 3);
  EXPECT_EQ(offset("n in [1, n + 1, n * 2]"), 11);
  EXPECT_EQ(offset("if(n > 0, 9223372036854775807 + 1, 0)"), 30);
  EXPECT_EQ(offset("on and 9223372036854775807 + 1 > 0"), 27);
  EXPECT_EQ(offset("not on and abs(-9223372036854775807 - n) > 0"), 36);
}

TEST(EvaluationTest, ScratchServesExpressionsOfAllSizesInTurn) {
  Bench bench(Table{.names = {"id", "n", "s"},
                    .types = {ColumnType::kInt64, ColumnType::kInt64, ColumnType::kString},
                    .rows = {{1, 2, "A"}, {2, kNull, "b"}, {3, 4, kNull}}});
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(bench.cells("lower(s)"), (std::vector<Cell>{"a", "b", kNull}));
    EXPECT_EQ(bench.cells("n"), (std::vector<Cell>{2, kNull, 4}));
    EXPECT_EQ(bench.cells("coalesce(s, if(n > 3, 'big', lower(s)), 'x')"),
              (std::vector<Cell>{"A", "b", "big"}));
    EXPECT_EQ(bench.cells("s ~ /a/i"), (std::vector<Cell>{true, false, false}));
    EXPECT_EQ(bench.cells("s ~ /b/i"), (std::vector<Cell>{false, true, false}));
    EXPECT_EQ(bench.cells("7"), (std::vector<Cell>{7, 7, 7}));
  }
}

TEST(EvaluationTest, WindowsCoverTheRowsOnce) {
  rows::RowScratch memory;
  EvalScratch scratch(memory);
  Table table{.names = {"id"}, .types = {ColumnType::kInt64}, .rows = {}};
  for (std::int64_t i = 0; i < 1300; ++i) table.rows.push_back({i});
  const rows::RowSet rows = rows::testing::to_rows(table, memory).window(100, 1200);
  MapScope scope;
  scope.add(NameSource::kKey, "id", ColumnType::kInt64, false);
  const BoundExpr bound = BoundExpr::bind(compile("id + 1", scope).value(), {}).value();
  Evaluation evaluation = Evaluation::start(bound, rows, scratch).value();
  EXPECT_FALSE(evaluation.is_uniform());
  std::size_t covered = 0;
  for (std::size_t position = 0; position < rows.size(); position += kChunkRows) {
    const RowWindow window = evaluation.window_at(position);
    EXPECT_EQ(window.first, 100 + covered);
    const Vector& result = evaluation.run(window);
    EXPECT_EQ(static_cast<const std::int64_t*>(result.data)[0],
              static_cast<std::int64_t>(window.first) + 1);
    covered += window.count;
  }
  EXPECT_EQ(covered, rows.size());
}

}  // namespace
}  // namespace millrace::expr
