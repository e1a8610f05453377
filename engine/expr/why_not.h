#pragma once

#include <string>

#include "expr/bound_expr.h"
#include "expr/compiled_expr.h"
#include "rows/row_set.h"
#include "rows/value.h"

// Says in words what an expression made of one row. For explanations only: it compiles and
// evaluates parts of the expression one by one.

namespace millrace::expr {

/// What a predicate, or another expression, has against a row.
struct WhyNot {
  bool is_error = false;  ///< the evaluation fails for this row, as an integer overflow
  /// "score 0.32 is not >= 0.5"; empty if the expression has nothing against the row.
  std::string text = {};
};

/// Names the part of a predicate that a row does not meet, with the values that it read. `row` is a
/// row set of exactly that row. For an expression that is no predicate, only errors are told.
[[nodiscard]] WhyNot why_not(const CompiledExpr& expr,
                             const Bindings& bindings,
                             const rows::RowSet& row);

/// A value as it stands in a sentence: numbers as people write them, texts in quotes and cut.
[[nodiscard]] std::string value_text(const rows::Value& value);
/// The same with every digit of a float, for a sentence that is about a small difference.
[[nodiscard]] std::string exact_text(const rows::Value& value);
/// Whether `value_text` would hide that two numbers differ, or where.
[[nodiscard]] bool look_alike(const rows::Value& left, const rows::Value& right);

}  // namespace millrace::expr
