#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "expr/bound_expr.h"
#include "expr/machine/code_table.h"
#include "expr/machine/machine.h"
#include "expr/machine/string_pool.h"
#include "expr/syntax/diagnostic.h"
#include "rows/row_scratch.h"
#include "rows/row_set.h"

namespace millrace::expr {

/// Memory that evaluations reuse: registers, tables, and the pool from which results are taken. A
/// warm evaluation allocates a number of small objects that does not depend on the number of rows.
/// Threading: one evaluation at a time. Lifetime: borrows the row scratch.
class EvalScratch {
 public:
  explicit EvalScratch(rows::RowScratch& rows) : rows_(rows) {}

  [[nodiscard]] rows::RowScratch& rows() { return rows_; }

 private:
  friend class Evaluation;

  rows::RowScratch& rows_;
  std::vector<Vector> values_;
  std::vector<KeyColumn> keys_;
  std::vector<CodeTable> tables_;
  StringPool pool_;
  rows::Array<std::byte> registers_;
  rows::Array<std::uint8_t> marks_;
};

/// The first row error of an evaluation.
struct RowError {
  std::size_t position = 0;  ///< in the row set
  std::int64_t id = 0;
  std::string message;
  SourceSpan span;  ///< the operator
};

/// One run of a bound expression over a row set, chunk by chunk.
/// Threading: not shared. Lifetime: borrows the expression, the rows and the scratch.
class Evaluation {
 public:
  /// Finds the columns. Refuses rows that lack a key or hold it with another type.
  [[nodiscard]] static base::Result<Evaluation> start(const BoundExpr& bound,
                                                      const rows::RowSet& rows,
                                                      EvalScratch& scratch);
  ~Evaluation();
  Evaluation(Evaluation&& other) noexcept;
  Evaluation& operator=(Evaluation&&) = delete;
  Evaluation(const Evaluation&) = delete;
  Evaluation& operator=(const Evaluation&) = delete;

  /// True if the result depends on no key and is one value for all rows.
  [[nodiscard]] bool is_uniform() const;
  /// The value of a uniform result; call only if is_uniform().
  [[nodiscard]] const Vector& uniform_result() const;

  /// The rows of the chunk that starts at `position`, at most kChunkRows of them.
  [[nodiscard]] RowWindow window_at(std::size_t position) const;
  /// Computes a chunk. With `target`, the machine writes the entries of the result there, unless
  /// the result is not computed but already exists elsewhere; the returned vector says where the
  /// entries are.
  [[nodiscard]] const Vector& run(const RowWindow& window, std::byte* target = nullptr);
  /// For an expression that ends in a comparison: writes the rows of the chunk for which it is true
  /// and returns how many. Returns nothing if nulls or errors are involved; then `result` is the
  /// result.
  [[nodiscard]] std::optional<std::size_t> select(const RowWindow& window,
                                                  rows::RowIndex* out,
                                                  const Vector*& result);

  /// Whether the last chunk saw a stop inside; its result is meaningless then.
  [[nodiscard]] bool is_stopped() const { return machine_->is_stopped(); }

  /// Says what went wrong in a row whose result has an error.
  [[nodiscard]] RowError explain(std::size_t position) const;
  /// The dictionary to which the codes of a string result belong.
  [[nodiscard]] rows::DictionaryRef dictionary_of(const Vector& result) const;
  /// One byte per row of a chunk, for the caller's use between chunks.
  [[nodiscard]] std::span<std::uint8_t> marks() const { return scratch_->marks_.span(); }

 private:
  Evaluation(const BoundExpr& bound, const rows::RowSet& rows, EvalScratch& scratch);
  [[nodiscard]] base::Status find_columns();
  void prepare();
  [[nodiscard]] const Instruction* find_culprit(std::span<const Vector> values) const;

  const BoundExpr* bound_;
  const rows::RowSet* rows_;
  EvalScratch* scratch_;
  std::optional<Machine> machine_;
};

}  // namespace millrace::expr
