#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "expr/bound_expr.h"
#include "expr/compiled_expr.h"
#include "expr/evaluate.h"
#include "expr/syntax/scope_fixture.h"
#include "rows/rows_fixture.h"

namespace millrace::expr::testing {

using rows::testing::Cell;

/// What an expression gives for some rows, or the text of the error.
struct Answer {
  std::vector<Cell> cells;
  RowErrors errors;
  std::string problem;
};

/// A table, the values of a request and a scratch to evaluate expressions with. Every column of the
/// table is a key of its type.
class Bench {
 public:
  explicit Bench(rows::testing::Table table) : table_(std::move(table)) {
    for (std::size_t i = 0; i < table_.names.size(); ++i) {
      scope_.add(NameSource::kKey, table_.names[i], table_.types[i], table_.names[i] != "id");
    }
    rows_ = rows::testing::to_rows(table_, memory_);
  }

  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  /// Adds a named value of the request; it is null if the cell is null.
  Bench& with(NameSource source, std::string name, rows::ColumnType type, Cell cell) {
    scope_.add(source, std::move(name), type);
    cells_.push_back(std::make_unique<Cell>(std::move(cell)));
    bindings_[static_cast<std::size_t>(source)].push_back(value_of(*cells_.back()));
    return *this;
  }

  Bench& at_time(std::int64_t ms) {
    now_ms_ = ms;
    return *this;
  }

  Bench& with_rows(rows::RowSet rows) {
    rows_ = std::move(rows);
    return *this;
  }

  [[nodiscard]] const MapScope& scope() const { return scope_; }
  [[nodiscard]] const rows::RowSet& rows() const { return *rows_; }
  [[nodiscard]] EvalScratch& scratch() { return scratch_; }

  [[nodiscard]] base::Result<BoundExpr> bind(std::string_view text, CompileOptions options = {}) {
    MR_TRY(CompiledExprRef compiled, compile(text, scope_, options));
    return BoundExpr::bind(std::move(compiled), bindings());
  }

  [[nodiscard]] Bindings bindings() const {
    return {.params = bindings_[1],
            .request = bindings_[2],
            .viewer = bindings_[3],
            .now = std::chrono::sys_time<std::chrono::milliseconds>(
                std::chrono::milliseconds(now_ms_))};
  }

  [[nodiscard]] Answer run(std::string_view text, EvalOptions options = {}) {
    const base::Result<BoundExpr> bound = bind(text);
    if (!bound) return {.cells = {}, .errors = {}, .problem = bound.error().to_string()};
    base::Result<Evaluated> result = evaluate(*bound, *rows_, scratch_, options);
    if (!result) return {.cells = {}, .errors = {}, .problem = result.error().to_string()};
    Answer answer;
    for (std::size_t i = 0; i < result->rows.size(); ++i) {
      answer.cells.push_back(
          rows::testing::to_cell(result->column->value_at(result->rows.row_at(i))));
    }
    answer.errors = std::move(result->errors);
    return answer;
  }

  /// The cells, or one cell that holds the error.
  [[nodiscard]] std::vector<Cell> cells(std::string_view text) {
    Answer answer = run(text);
    if (!answer.problem.empty()) return {Cell(answer.problem)};
    return answer.cells;
  }

  /// Ids of the rows for which the predicate is true.
  [[nodiscard]] std::vector<std::int64_t> kept(std::string_view text) {
    const base::Result<BoundExpr> bound = bind(text, {.result = rows::ColumnType::kBool});
    if (!bound) {
      ADD_FAILURE() << bound.error().to_string();
      return {};
    }
    const base::Result<Filtered> result = evaluate_predicate(*bound, *rows_, scratch_);
    if (!result) {
      ADD_FAILURE() << result.error().to_string();
      return {};
    }
    return rows::testing::ids_of(result->rows);
  }

 private:
  static rows::Value value_of(const Cell& cell) {
    return std::visit(
        [](const auto& v) -> rows::Value {
          if constexpr (std::is_same_v<std::decay_t<decltype(v)>, std::string>) {
            return std::string_view(v);
          } else {
            return v;
          }
        },
        cell.value);
  }

  rows::testing::Table table_;
  MapScope scope_;
  rows::RowScratch memory_;
  EvalScratch scratch_{memory_};
  std::optional<rows::RowSet> rows_;
  std::vector<std::unique_ptr<Cell>> cells_;  // own the texts of bindings_
  std::vector<rows::Value> bindings_[kNameSourceCount];
  std::int64_t now_ms_ = 0;
};

/// One row: `n`, `x`, `t`, `s` hold null; `five`, `half`, `yes`, `no`, `word` hold values.
[[nodiscard]] inline Bench one_row() {
  using enum rows::ColumnType;
  const Cell null;
  return Bench(
      {.names = {"id", "n", "x", "t", "s", "five", "half", "yes", "no", "word"},
       .types = {kInt64, kInt64, kFloat64, kBool, kString, kInt64, kFloat64, kBool, kBool, kString},
       .rows = {{1, null, null, null, null, 5, 0.5, true, false, "Word"}}});
}

struct Case {
  std::string_view text;
  Cell expected;
};

/// Checks what each expression gives for the only row.
inline void check_all(Bench& bench, const std::vector<Case>& cases) {
  for (const Case& c : cases)
    EXPECT_EQ(bench.cells(c.text), std::vector<Cell>{c.expected}) << c.text;
}

}  // namespace millrace::expr::testing
