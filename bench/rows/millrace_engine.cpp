#include "bench/rows/millrace_engine.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/rows/dataset.h"
#include "expr/bound_expr.h"
#include "expr/compiled_expr.h"
#include "expr/evaluate.h"
#include "expr/syntax/scope.h"
#include "rows/batch.h"
#include "rows/column.h"
#include "rows/column_builder.h"
#include "rows/row_scratch.h"
#include "rows/row_set.h"
#include "rows/sort_key.h"
#include "rows/top_k.h"
#include "rows/value.h"

namespace millrace::bench {

namespace {

using K = PipelineConstants;
using rows::ColumnType;

template <class Builder, class Values>
rows::ColumnRef to_column(const Values& values, rows::RowScratch& scratch) {
  Builder builder(scratch, values.size());
  for (const auto& value : values) builder.append(value);
  return builder.finish();
}

// The names the benchmark's expressions use.
class BenchScope final : public expr::Scope {
 public:
  [[nodiscard]] std::optional<expr::NameInfo> find_name(expr::NameSource source,
                                                        std::string_view name) const override {
    if (source == expr::NameSource::kKey) {
      const ColumnType type = name == "tag" ? ColumnType::kString : ColumnType::kFloat64;
      return expr::NameInfo{.type = type, .nullable = true};
    }
    for (std::uint32_t i = 0; i < kParams.size(); ++i) {
      if (source == expr::NameSource::kParam && kParams[i] == name) {
        return expr::NameInfo{.type = ColumnType::kFloat64, .nullable = false, .index = i};
      }
    }
    return std::nullopt;
  }
  [[nodiscard]] std::vector<std::string_view> names(expr::NameSource) const override { return {}; }

 private:
  static constexpr std::array<std::string_view, 4> kParams = {"w1", "w2", "w3", "t"};
};

constexpr std::array<rows::Value, 4> kParamValues = {
    K::kWeightA, K::kWeightB, K::kWeightAge, K::kThreshold};

expr::BoundExpr bind_params(const expr::CompiledExprRef& compiled) {
  return expr::BoundExpr::bind(compiled, {.params = kParamValues}).value();
}

}  // namespace

rows::RowSet to_row_set(const PipelineData& data, rows::RowScratch& scratch) {
  return rows::RowSet(
      rows::Batch::make({{"id", to_column<rows::Int64ColumnBuilder>(data.id, scratch)},
                         {"a", to_column<rows::Float64ColumnBuilder>(data.a, scratch)},
                         {"b", to_column<rows::Float64ColumnBuilder>(data.b, scratch)},
                         {"age", to_column<rows::Float64ColumnBuilder>(data.age, scratch)},
                         {"score", to_column<rows::Float64ColumnBuilder>(data.score, scratch)}})
          .value());
}

rows::RowSet to_row_set(const TaggedData& data, rows::RowScratch& scratch) {
  return rows::RowSet(
      rows::Batch::make({{"id", to_column<rows::Int64ColumnBuilder>(data.id, scratch)},
                         {"author", to_column<rows::Int64ColumnBuilder>(data.author, scratch)},
                         {"weight", to_column<rows::Float64ColumnBuilder>(data.weight, scratch)},
                         {"tag", to_column<rows::StringColumnBuilder>(data.tag, scratch)}})
          .value());
}

MillracePipeline::MillracePipeline(const PipelineData& data)
    : input_(to_row_set(data, scratch_)), scored_(input_) {
  constexpr std::array<std::string_view, 3> kInputs = {"a", "b", "age"};
  input_ = input_.with_batch(input_.batch()->with_only(kInputs));
  const BenchScope scope;
  score_ = expr::compile("a * $w1 + b * $w2 - age * $w3", scope).value();
  predicate_ = expr::compile_predicate("score >= $t", scope).value();
}

rows::RowSet MillracePipeline::score_of(const rows::RowSet& rows) {
  return expr::evaluate_to_key(bind_params(score_), rows, "score", eval_scratch_).value().rows;
}

rows::RowSet MillracePipeline::filter_of(const rows::RowSet& rows) {
  return expr::evaluate_predicate(bind_params(predicate_), rows, eval_scratch_).value().rows;
}

rows::RowSet MillracePipeline::top_of(const rows::RowSet& rows) {
  static const rows::SortKey kByScore{.column = "score", .direction = rows::Direction::kDescending};
  return rows::top_k(rows, std::span(&kByScore, 1), K::kTopCount, scratch_).value();
}

rows::RowSet MillracePipeline::run() { return top_of(filter_of(score_of(input_))); }
rows::RowSet MillracePipeline::score() { return score_of(input_); }
rows::RowSet MillracePipeline::filter() { return filter_of(scored_); }
rows::RowSet MillracePipeline::top() { return top_of(scored_); }

MillraceFilter::MillraceFilter(std::string_view predicate, const TaggedData& data)
    : rows_(to_row_set(data, scratch_)),
      predicate_(expr::compile_predicate(predicate, BenchScope()).value()) {}

rows::RowSet MillraceFilter::run() {
  return expr::evaluate_predicate(bind_params(predicate_), rows_, eval_scratch_).value().rows;
}

}  // namespace millrace::bench
