#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "bench/rows/dataset.h"
#include "expr/bound_expr.h"
#include "expr/compiled_expr.h"
#include "expr/machine/evaluation.h"
#include "rows/row_scratch.h"
#include "rows/row_set.h"
#include "rows/value.h"

namespace millrace::bench {

[[nodiscard]] rows::RowSet to_row_set(const PipelineData& data, rows::RowScratch& scratch);
[[nodiscard]] rows::RowSet to_row_set(const TaggedData& data, rows::RowScratch& scratch);

/// The pipeline as a plan runs it: expressions compiled at load, bound for each request, one
/// operator after another.
class MillracePipeline {
 public:
  explicit MillracePipeline(const PipelineData& data);

  [[nodiscard]] rows::RowSet run();
  /// The parts; filter and top read the score that is in the data.
  [[nodiscard]] rows::RowSet score();
  [[nodiscard]] rows::RowSet filter();
  [[nodiscard]] rows::RowSet top();

 private:
  [[nodiscard]] rows::RowSet score_of(const rows::RowSet& rows);
  [[nodiscard]] rows::RowSet filter_of(const rows::RowSet& rows);
  [[nodiscard]] rows::RowSet top_of(const rows::RowSet& rows);

  rows::RowScratch scratch_;
  expr::EvalScratch eval_scratch_{scratch_};
  rows::RowSet input_;   // id, a, b, age
  rows::RowSet scored_;  // the same and score
  expr::CompiledExprRef score_;
  expr::CompiledExprRef predicate_;
};

/// One predicate over rows.
class MillraceFilter {
 public:
  MillraceFilter(std::string_view predicate, const TaggedData& data);

  [[nodiscard]] rows::RowSet run();

 private:
  rows::RowScratch scratch_;
  expr::EvalScratch eval_scratch_{scratch_};
  rows::RowSet rows_;
  expr::CompiledExprRef predicate_;
};

}  // namespace millrace::bench
