// Compares the machine with the oracle on random expressions and data.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "base/random.h"
#include "expr/bound_expr.h"
#include "expr/compiled_expr.h"
#include "expr/evaluate.h"
#include "expr/oracle/expression_generator.h"
#include "expr/oracle/oracle.h"
#include "expr/syntax/parser.h"
#include "expr/syntax/printer.h"
#include "expr/syntax/scope_fixture.h"
#include "rows/rows_fixture.h"

namespace millrace::expr {
namespace {

using oracle::Outcome;
using rows::ColumnType;
using rows::testing::Cell;
using rows::testing::CellMaker;

constexpr std::int64_t kNowMs = 1'700'000'000'123;

MapScope random_scope() {
  using enum ColumnType;
  MapScope scope;
  scope.add(NameSource::kKey, "id", kInt64, false)
      .add(NameSource::kKey, "i", kInt64)
      .add(NameSource::kKey, "f", kFloat64)
      .add(NameSource::kKey, "b", kBool)
      .add(NameSource::kKey, "s", kString)
      .add(NameSource::kKey, "g", kString);
  const std::vector<std::pair<NameSource, std::string>> sources{
      {NameSource::kParam, "p"}, {NameSource::kRequest, "r"}, {NameSource::kViewer, "v"}};
  for (const auto& [source, prefix] : sources) {
    scope.add(source, prefix + "i", kInt64)
        .add(source, prefix + "f", kFloat64)
        .add(source, prefix + "b", kBool)
        .add(source, prefix + "s", kString);
  }
  return scope;
}

// The values of one request: one cell per type for each source.
struct Request {
  std::vector<Cell> cells;

  explicit Request(base::Random& random) {
    for (std::size_t i = 0; i < 12; ++i) {
      cells.push_back(CellMaker(random, static_cast<ColumnType>(i % 4), 5).make());
    }
  }

  static std::size_t place(NameSource source, std::string_view name) {
    const std::size_t type = std::string_view("ifbs").find(name.back());
    return (static_cast<std::size_t>(source) - 1) * 4 + type;
  }

  std::vector<rows::Value> values(NameSource source) const {
    std::vector<rows::Value> out;
    for (std::size_t i = 0; i < 4; ++i) {
      const Cell& cell = cells[(static_cast<std::size_t>(source) - 1) * 4 + i];
      out.push_back(std::visit(
          [](const auto& v) -> rows::Value {
            if constexpr (std::is_same_v<std::decay_t<decltype(v)>, std::string>) {
              return std::string_view(v);
            } else {
              return v;
            }
          },
          cell.value));
    }
    return out;
  }
};

// A scope numbers names in the order of adding, which is the order of Request::values.
base::Result<BoundExpr> bind_request(const CompiledExprRef& compiled, const Request& request) {
  const std::vector<rows::Value> params = request.values(NameSource::kParam);
  const std::vector<rows::Value> fields = request.values(NameSource::kRequest);
  const std::vector<rows::Value> viewer = request.values(NameSource::kViewer);
  return BoundExpr::bind(
      compiled,
      {.params = params,
       .request = fields,
       .viewer = viewer,
       .now = std::chrono::sys_time<std::chrono::milliseconds>(std::chrono::milliseconds(kNowMs))});
}

std::vector<Outcome> expected_outcomes(const CompiledExpr& compiled,
                                       const rows::RowSet& rows,
                                       const Request& request) {
  std::vector<Outcome> out;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto lookup = [&](NameSource source, std::string_view name) -> Cell {
      if (source != NameSource::kKey) return request.cells[Request::place(source, name)];
      return rows::testing::to_cell(rows.batch()->find_column(name)->value_at(rows.row_at(i)));
    };
    Outcome outcome = oracle::evaluate_row(compiled.tree(), lookup, kNowMs);
    if (compiled.type() == ColumnType::kFloat64) outcome = oracle::as_float(std::move(outcome));
    out.push_back(std::move(outcome));
  }
  return out;
}

struct Case {
  std::string text;
  CompiledExprRef compiled;
  std::optional<BoundExpr> bound;
  std::vector<Outcome> expected;
  std::size_t error_count = 0;
  std::size_t first_error = 0;
};

Case make_case(ColumnType type, const rows::RowSet& rows, base::Random& random) {
  static const MapScope scope = random_scope();
  Case out;
  out.text = oracle::ExpressionGenerator(random).make(type, random.below(6));
  const Request request(random);
  base::Result<CompiledExprRef> compiled = compile(out.text, scope, {.result = type});
  if (!compiled) RC_FAIL(compiled.error().to_string());
  out.compiled = *compiled;
  base::Result<BoundExpr> bound = bind_request(out.compiled, request);
  if (!bound) RC_FAIL(bound.error().to_string());
  out.bound = *std::move(bound);
  out.expected = expected_outcomes(*out.compiled, rows, request);
  for (std::size_t i = out.expected.size(); i-- > 0;) {
    if (!out.expected[i].is_error) continue;
    ++out.error_count;
    out.first_error = i;
  }
  RC_LOG() << out.text << '\n';
  return out;
}

void check_errors(const Case& c, const RowErrors& errors) {
  RC_ASSERT(errors.count == c.error_count);
  RC_ASSERT(errors.first.has_value() == (c.error_count > 0));
  if (c.error_count > 0) RC_ASSERT(errors.first->position == c.first_error);
}

void check_column(ColumnType type,
                  base::Random& random,
                  std::size_t row_count,
                  EvalScratch& scratch) {
  const rows::RowSet rows = rows::testing::random_rows(random, row_count, scratch.rows());
  const Case c = make_case(type, rows, random);
  const base::Result<Evaluated> got = evaluate(*c.bound, rows, scratch);
  if (!got) RC_FAIL(got.error().to_string());
  RC_ASSERT(got->column->type() == type);
  RC_ASSERT(got->column->size() == rows.batch()->row_count());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Cell cell = rows::testing::to_cell(got->column->value_at(rows.row_at(i)));
    if (!(cell == c.expected[i].value)) {
      RC_LOG() << "row " << i << ": got " << cell << ", expected " << c.expected[i].value << '\n';
      RC_FAIL("machine and oracle differ");
    }
  }
  check_errors(c, got->errors);
}

void check_policies(base::Random& random, std::size_t row_count, EvalScratch& scratch) {
  const rows::RowSet rows = rows::testing::random_rows(random, row_count, scratch.rows());
  const Case c = make_case(ColumnType::kInt64, rows, random);
  const base::Result<Evaluated> dropped =
      evaluate(*c.bound, rows, scratch, {.on_row_error = OnRowError::kDrop});
  RC_ASSERT(dropped.has_value());
  RC_ASSERT(dropped->rows.size() == rows.size() - c.error_count);
  std::size_t at = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!c.expected[i].is_error) RC_ASSERT(dropped->rows.row_at(at++) == rows.row_at(i));
  }
  check_errors(c, dropped->errors);
  const base::Result<Evaluated> failed =
      evaluate(*c.bound, rows, scratch, {.on_row_error = OnRowError::kFail});
  RC_ASSERT(failed.has_value() == (c.error_count == 0));
}

void check_predicate(base::Random& random, std::size_t row_count, EvalScratch& scratch) {
  const rows::RowSet rows = rows::testing::random_rows(random, row_count, scratch.rows());
  const Case c = make_case(ColumnType::kBool, rows, random);
  const base::Result<Filtered> got = evaluate_predicate(*c.bound, rows, scratch);
  if (!got) RC_FAIL(got.error().to_string());
  std::vector<rows::RowIndex> expected;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (c.expected[i].value == Cell(true)) expected.push_back(rows.row_at(i));
  }
  RC_ASSERT(got->rows.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    RC_ASSERT(got->rows.row_at(i) == expected[i]);
  }
  check_errors(c, got->errors);
}

// Rows for three chunks and a part of one.
constexpr std::size_t kRowCountMax = 3 * kChunkRows + 100;

template <class F>
void check_with_scratch(const std::string& name, F body) {
  rows::testing::check_property(
      name, kRowCountMax, [&](base::Random& random, std::size_t count, rows::RowScratch& memory) {
        EvalScratch scratch(memory);
        // Several evaluations with one scratch: the state of one must not affect the next.
        for (int i = 0; i < 4; ++i) body(random, count, scratch);
      });
}

TEST(MachinePropertyTest, ColumnsAgreeWithTheOracle) {
  check_with_scratch("columns", [](base::Random& random, std::size_t count, EvalScratch& scratch) {
    check_column(static_cast<ColumnType>(random.below(4)), random, count, scratch);
  });
}

TEST(MachinePropertyTest, PredicatesAgreeWithTheOracle) {
  check_with_scratch("predicates", check_predicate);
}

TEST(MachinePropertyTest, RowErrorPoliciesAgreeWithTheOracle) {
  check_with_scratch("policies", check_policies);
}

TEST(MachinePropertyTest, ART5_CanonicalTextParsesToTheSameTree) {
  static const MapScope scope = random_scope();
  rows::testing::check_property(
      "canonical text", 1, [](base::Random& random, std::size_t, rows::RowScratch&) {
        const auto type = static_cast<ColumnType>(random.below(4));
        const std::string text = oracle::ExpressionGenerator(random).make(type, random.below(7));
        RC_LOG() << text << '\n';
        const CompiledExprRef compiled = compile(text, scope, {.result = type}).value();
        const std::string canonical = compiled->canonical_text();
        RC_LOG() << canonical << '\n';
        const CompiledExprRef again = compile(canonical, scope, {.result = type}).value();
        RC_ASSERT(same_tree(compiled->tree(), again->tree()));
        RC_ASSERT(again->canonical_text() == canonical);
      });
}

}  // namespace
}  // namespace millrace::expr
