#include "expr/evaluate.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "base/error.h"
#include "base/result.h"
#include "base/text_place.h"
#include "expr/kernels/byte_loops.h"
#include "expr/machine/column_writer.h"
#include "expr/syntax/diagnostic.h"
#include "rows/batch.h"
#include "rows/column.h"
#include "rows/dictionary.h"
#include "rows/row_scratch.h"
#include "rows/select.h"

namespace millrace::expr {

namespace {

using base::ErrorCode;
using base::Result;
using base::Status;
using rows::ColumnType;

// Counts row errors and applies the caller's policy to them.
class ErrorKeeper {
 public:
  ErrorKeeper(const BoundExpr& bound,
              const rows::RowSet& rows,
              EvalScratch& scratch,
              EvalOptions options)
      : bound_(bound), rows_(rows), scratch_(scratch), options_(options) {}

  // Records the errors of the chunk at `position`. Fails if the policy is to fail on the first
  // error.
  Status note(const Evaluation& evaluation,
              const std::uint8_t* errors,
              std::size_t position,
              std::size_t count) {
    const std::size_t error_count = errors == nullptr ? 0 : count_bytes(errors, count);
    if (error_count == 0) return {};
    if (errors_.count == 0) {
      const auto* first = static_cast<const std::uint8_t*>(std::memchr(errors, 1, count));
      errors_.first = evaluation.explain(position + static_cast<std::size_t>(first - errors));
      if (options_.on_row_error == OnRowError::kFail) return std::unexpected(to_error());
    }
    errors_.count += error_count;
    if (options_.on_row_error != OnRowError::kDrop) return {};
    if (keep_.empty()) {
      keep_ = scratch_.rows().make_array<std::uint8_t>(rows_.size());
      std::memset(keep_.data(), 1, keep_.size());
    }
    and_not_bytes(errors, keep_.data() + position, count);
    return {};
  }

  // The same for a result that is one value for all rows and is an error: every row has that error.
  Status note_all(const Evaluation& evaluation) {
    if (rows_.empty()) return {};
    errors_ = {.count = rows_.size(), .first = evaluation.explain(0)};
    if (options_.on_row_error == OnRowError::kFail) return std::unexpected(to_error());
    if (options_.on_row_error != OnRowError::kDrop) return {};
    keep_ = scratch_.rows().make_array<std::uint8_t>(rows_.size());
    std::memset(keep_.data(), 0, keep_.size());
    return {};
  }

  Result<rows::RowSet> kept_rows() const {
    if (keep_.empty()) return rows_;
    return rows::filter(rows_, keep_.span(), scratch_.rows());
  }

  RowErrors take_errors() { return std::move(errors_); }

 private:
  base::Error to_error() const {
    const RowError& first = *errors_.first;
    const std::string& text = bound_.compiled().text();
    const Diagnostic diagnostic{.span = first.span,
                                .message = first.message + ": row " +
                                           std::to_string(first.position) + ", id " +
                                           std::to_string(first.id),
                                .hint = "set `on_row_error` to `null` or `drop` to go on"};
    return {ErrorCode::kNodeFailed,
            render(text, diagnostic),
            to_string(base::locate(text, first.span.offset))};
  }

  const BoundExpr& bound_;
  const rows::RowSet& rows_;
  EvalScratch& scratch_;
  EvalOptions options_;
  RowErrors errors_;
  rows::Array<std::uint8_t> keep_;  // for kDrop, once there is an error
};

// Evaluates an expression whose result depends on no key.
Result<Evaluated> evaluate_uniform(const Evaluation& evaluation,
                                   ErrorKeeper& keeper,
                                   ColumnWriter& writer,
                                   ColumnType type) {
  const Vector& value = evaluation.uniform_result();
  if (value.error != nullptr) MR_TRY_STATUS(keeper.note_all(evaluation));
  const bool valid = value.valid == nullptr && value.error == nullptr;
  rows::DictionaryRef dictionary;
  const std::int32_t code = 0;
  const void* entry = value.data;
  if (type == ColumnType::kString) {
    rows::DictionaryBuilder builder;
    if (valid) static_cast<void>(builder.add(*static_cast<const std::string_view*>(value.data)));
    dictionary = builder.finish();
    entry = &code;
  }
  writer.fill(entry, valid);
  MR_TRY(rows::RowSet rows, keeper.kept_rows());
  return Evaluated{writer.finish(std::move(dictionary)), std::move(rows), keeper.take_errors()};
}

// Writes the rows of a chunk whose result is true; null and errors do not count as true.
std::size_t select_true(const Vector& result,
                        const RowWindow& window,
                        std::span<std::uint8_t> marks,
                        rows::RowIndex* out) {
  const auto* keep = static_cast<const std::uint8_t*>(result.data);
  if (result.valid != nullptr || result.error != nullptr) {
    std::memcpy(marks.data(), keep, window.count);
    if (result.valid != nullptr) and_bytes(result.valid, marks.data(), window.count);
    if (result.error != nullptr) and_not_bytes(result.error, marks.data(), window.count);
    keep = marks.data();
  }
  const std::span<const std::uint8_t> bytes(keep, window.count);
  if (window.index == nullptr) return rows::compact_dense(bytes, window.first, out);
  return rows::compact_indexed(bytes, {window.index, window.count}, out);
}

Result<Filtered> filter_uniform(const Evaluation& evaluation,
                                ErrorKeeper& keeper,
                                const rows::RowSet& rows) {
  const Vector& value = evaluation.uniform_result();
  if (value.error != nullptr) MR_TRY_STATUS(keeper.note_all(evaluation));
  const bool is_true = value.error == nullptr && value.valid == nullptr &&
                       *static_cast<const std::uint8_t*>(value.data) != 0;
  return Filtered{is_true ? rows : rows.window(0, 0), keeper.take_errors()};
}

}  // namespace

Result<Evaluated> evaluate(const BoundExpr& bound,
                           const rows::RowSet& rows,
                           EvalScratch& scratch,
                           EvalOptions options) {
  const ColumnType type = bound.compiled().type();
  MR_TRY(Evaluation evaluation, Evaluation::start(bound, rows, scratch));
  ErrorKeeper keeper(bound, rows, scratch, options);
  ColumnWriter writer(type, rows, scratch.rows());
  if (evaluation.is_uniform()) return evaluate_uniform(evaluation, keeper, writer, type);

  const Vector* last = nullptr;
  for (std::size_t position = 0; position < rows.size(); position += kChunkRows) {
    MR_TRY_STATUS(scratch.rows().stop().check());
    const RowWindow window = evaluation.window_at(position);
    const Vector& result = evaluation.run(window, writer.target(window));
    if (evaluation.is_stopped()) return scratch.rows().stop().stopped();
    writer.write(result, window);
    MR_TRY_STATUS(keeper.note(evaluation, result.error, position, window.count));
    last = &result;
  }
  rows::DictionaryRef dictionary;
  if (type == ColumnType::kString) {
    dictionary = last == nullptr ? rows::make_dictionary({}) : evaluation.dictionary_of(*last);
  }
  MR_TRY(rows::RowSet kept, keeper.kept_rows());
  return Evaluated{writer.finish(std::move(dictionary)), std::move(kept), keeper.take_errors()};
}

Result<WithKey> evaluate_to_key(const BoundExpr& bound,
                                const rows::RowSet& rows,
                                std::string_view key,
                                EvalScratch& scratch,
                                EvalOptions options) {
  MR_TRY(Evaluated evaluated, evaluate(bound, rows, scratch, options));
  MR_TRY(rows::BatchRef batch, rows.batch()->with_column(key, std::move(evaluated.column)));
  return WithKey{evaluated.rows.with_batch(std::move(batch)), std::move(evaluated.errors)};
}

Result<Filtered> evaluate_predicate(const BoundExpr& bound,
                                    const rows::RowSet& rows,
                                    EvalScratch& scratch,
                                    EvalOptions options) {
  MR_CHECK(bound.compiled().type() == ColumnType::kBool);
  MR_TRY(Evaluation evaluation, Evaluation::start(bound, rows, scratch));
  ErrorKeeper keeper(bound, rows, scratch, options);
  if (evaluation.is_uniform()) return filter_uniform(evaluation, keeper, rows);

  rows::Array<rows::RowIndex> index = scratch.rows().make_array<rows::RowIndex>(rows.size());
  std::size_t kept = 0;
  for (std::size_t position = 0; position < rows.size(); position += kChunkRows) {
    MR_TRY_STATUS(scratch.rows().stop().check());
    const RowWindow window = evaluation.window_at(position);
    const Vector* result = nullptr;
    rows::RowIndex* out = index.data() + kept;
    const std::optional<std::size_t> count = evaluation.select(window, out, result);
    if (evaluation.is_stopped()) return scratch.rows().stop().stopped();
    if (count) {
      kept += *count;
      continue;
    }
    kept += select_true(*result, window, evaluation.marks(), out);
    MR_TRY_STATUS(keeper.note(evaluation, result->error, position, window.count));
  }
  if (kept == rows.size()) return Filtered{rows, keeper.take_errors()};
  index.resize_within_capacity(kept);
  return Filtered{rows::RowSet(rows.batch(), std::move(index)), keeper.take_errors()};
}

}  // namespace millrace::expr
