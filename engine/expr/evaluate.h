#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/result.h"
#include "expr/bound_expr.h"
#include "expr/machine/evaluation.h"
#include "rows/column.h"
#include "rows/row_set.h"

// Compile once, bind per request, evaluate per row set:
//
//   MR_TRY(CompiledExprRef compiled, compile("a * $weight - age", scope));      // at load
//   MR_TRY(BoundExpr bound, BoundExpr::bind(compiled, bindings));               // per request
//   MR_TRY(WithKey result, evaluate_to_key(bound, rows, "score", scratch));     // per row set

namespace millrace::expr {

/// What happens to a row whose evaluation fails.
enum class OnRowError : std::uint8_t {
  kNull,  ///< its result is null
  kDrop,  ///< it leaves the row set
  kFail,  ///< the evaluation fails
};

struct EvalOptions {
  OnRowError on_row_error = OnRowError::kNull;
};

struct RowErrors {
  std::size_t count = 0;
  std::optional<RowError> first{};  ///< set if there is one
};

struct Evaluated {
  /// As long as the batch. Entries of rows that are not in the row set are meaningless.
  rows::ColumnRef column;
  /// The given rows, without those dropped.
  rows::RowSet rows;
  RowErrors errors;
};

struct WithKey {
  /// The rows over a batch that has the new column.
  rows::RowSet rows;
  RowErrors errors;
};

struct Filtered {
  rows::RowSet rows;
  RowErrors errors;
};

/// Computes the expression for each row of the set, as a column of the batch.
[[nodiscard]] base::Result<Evaluated> evaluate(const BoundExpr& bound,
                                               const rows::RowSet& rows,
                                               EvalScratch& scratch,
                                               EvalOptions options = {});

/// The same, and puts the column into the batch under `key`, in place of one of that name.
[[nodiscard]] base::Result<WithKey> evaluate_to_key(const BoundExpr& bound,
                                                    const rows::RowSet& rows,
                                                    std::string_view key,
                                                    EvalScratch& scratch,
                                                    EvalOptions options = {});

/// Keeps the rows for which a bool expression is true; drops those where it is false, null or has
/// an error. Copies no column; gives the same set if all rows stay.
[[nodiscard]] base::Result<Filtered> evaluate_predicate(const BoundExpr& bound,
                                                        const rows::RowSet& rows,
                                                        EvalScratch& scratch,
                                                        EvalOptions options = {});

}  // namespace millrace::expr
