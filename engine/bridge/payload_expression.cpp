#include "bridge/payload_expression.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "base/format.h"
#include "base/result.h"
#include "expr/bound_expr.h"
#include "expr/compiled_expr.h"
#include "expr/evaluate.h"
#include "expr/machine/evaluation.h"
#include "expr/syntax/diagnostic.h"
#include "expr/syntax/limits.h"
#include "expr/syntax/parser.h"
#include "expr/syntax/scope.h"
#include "expr/syntax/tree.h"
#include "graph/payload.h"
#include "rows/batch.h"
#include "rows/column.h"
#include "rows/column_builder.h"
#include "rows/row_scratch.h"
#include "rows/row_set.h"
#include "rows/value.h"

namespace millrace::bridge {
namespace {

using graph::Payload;
using graph::PayloadKind;
using rows::ColumnType;

/// Combinations of types for which compiled code is kept.
constexpr std::size_t kCompiledMax = 64;
/// The name of a message that is no object.
constexpr std::string_view kWhole = "value";

/// The fields of messages and their types.
class FieldScope final : public expr::Scope {
 public:
  FieldScope(std::span<const std::string_view> names, std::span<const ColumnType> types)
      : names_(names), types_(types) {}

  [[nodiscard]] std::optional<expr::NameInfo> find_name(expr::NameSource source,
                                                        std::string_view name) const override {
    if (source != expr::NameSource::kKey) return std::nullopt;
    const auto found = std::ranges::find(names_, name);
    if (found == names_.end()) return std::nullopt;
    return expr::NameInfo{.type = types_[static_cast<std::size_t>(found - names_.begin())]};
  }
  [[nodiscard]] std::vector<std::string_view> names(expr::NameSource source) const override {
    if (source != expr::NameSource::kKey) return {};
    return {names_.begin(), names_.end()};
  }

 private:
  std::span<const std::string_view> names_;
  std::span<const ColumnType> types_;
};

/// The value that a name means; nullptr if the message has none.
const Payload* find_field(const Payload& message, std::string_view name) {
  if (message.kind() == PayloadKind::kObject) return message.find_member(name);
  return name == kWhole ? &message : nullptr;
}

rows::ColumnRef make_column(ColumnType type, const Payload* value, rows::RowScratch& scratch) {
  const auto fill = [](auto builder, auto content) {
    if (content) {
      builder.append(*content);
    } else {
      builder.append_null();
    }
    return builder.finish();
  };
  const Payload nothing;
  const Payload& given = value == nullptr ? nothing : *value;
  switch (type) {
    case ColumnType::kInt64:
      return fill(rows::Int64ColumnBuilder(scratch), given.find_int());
    case ColumnType::kFloat64:
      return fill(rows::Float64ColumnBuilder(scratch), given.find_number());
    case ColumnType::kBool: {
      const auto flag = given.find_bool();
      const auto byte = flag ? std::optional<std::uint8_t>(*flag ? 1 : 0) : std::nullopt;
      return fill(rows::BoolColumnBuilder(scratch), byte);
    }
    case ColumnType::kString:
      break;
  }
  return fill(rows::StringColumnBuilder(scratch), given.find_text());
}

Payload to_payload(const rows::Value& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return Payload(*number);
  if (const auto* number = std::get_if<double>(&value)) return Payload(*number);
  if (const auto* flag = std::get_if<bool>(&value)) return Payload(*flag);
  if (const auto* text = std::get_if<std::string_view>(&value)) return Payload(std::string(*text));
  return {};
}

}  // namespace

base::Result<PayloadExpression> PayloadExpression::make(std::string_view text,
                                                        std::optional<ColumnType> result) {
  const auto tree = expr::parse(text, expr::Limits{});
  if (!tree) return std::unexpected(expr::to_error(text, std::span(&tree.error(), 1)));
  PayloadExpression expression;
  expression.text_ = std::string(text);
  expression.result_ = result;
  for (const expr::Node& node : tree->nodes()) {
    const bool is_other = node.op == expr::Op::kParam || node.op == expr::Op::kRequest ||
                          node.op == expr::Op::kViewer;
    if (is_other) {
      const expr::Diagnostic fault{.span = node.span,
                                   .message = "Graphs have no params, requests and viewers",
                                   .hint = "name a field of the message"};
      return std::unexpected(expr::to_error(text, std::span(&fault, 1)));
    }
    if (node.op != expr::Op::kKey) continue;
    const std::string& name = tree->text(node.text_index);
    if (std::ranges::find(expression.fields_, name, &Field::name) == expression.fields_.end()) {
      expression.fields_.push_back({.name = name});
    }
  }
  if (expression.fields_.empty()) {
    // Nothing depends on messages, so that all mistakes can be told now.
    MR_TRY(const expr::CompiledExprRef compiled, expression.compile_with({}));
    static_cast<void>(compiled);
  }
  return expression;
}

base::Result<std::vector<std::optional<ColumnType>>> PayloadExpression::types_of(
    const Payload& message) const {
  std::vector<std::optional<ColumnType>> types;
  for (const Field& field : fields_) {
    const Payload* value = find_field(message, field.name);
    const PayloadKind kind = value == nullptr ? PayloadKind::kNull : value->kind();
    switch (kind) {
      case PayloadKind::kNull:
        types.emplace_back();
        break;
      case PayloadKind::kBool:
        types.emplace_back(ColumnType::kBool);
        break;
      case PayloadKind::kInt:
        types.emplace_back(ColumnType::kInt64);
        break;
      case PayloadKind::kFloat:
        types.emplace_back(ColumnType::kFloat64);
        break;
      case PayloadKind::kText:
        types.emplace_back(ColumnType::kString);
        break;
      case PayloadKind::kArray:
      case PayloadKind::kObject:
        return base::fail(base::ErrorCode::kInvalidArgument,
                          base::format("'{}' is a list or an object; expressions take numbers, "
                                       "texts and booleans",
                                       field.name));
    }
  }
  return types;
}

base::Result<expr::CompiledExprRef> PayloadExpression::compile_with(
    const std::vector<ColumnType>& types) {
  const auto known = compiled_.find(types);
  if (known != compiled_.end()) return known->second;
  std::vector<std::string_view> names;
  for (const Field& field : fields_) names.push_back(field.name);
  MR_TRY(expr::CompiledExprRef compiled,
         expr::compile(text_, FieldScope(names, types), {.result = result_}));
  if (compiled_.size() == kCompiledMax) compiled_.clear();
  compiled_.emplace(types, compiled);
  return compiled;
}

base::Result<expr::CompiledExprRef> PayloadExpression::compile_for(
    const std::vector<std::optional<ColumnType>>& given) {
  // A field that is null now has the type that it had before; one that never had a value gets the
  // first type that fits.
  constexpr std::array kGuesses{
      ColumnType::kFloat64, ColumnType::kString, ColumnType::kBool, ColumnType::kInt64};
  base::Result<expr::CompiledExprRef> first = base::fail(base::ErrorCode::kInternal, "");
  for (std::size_t guess = 0; guess < kGuesses.size(); ++guess) {
    std::vector<ColumnType> types;
    bool is_guessed = false;
    for (std::size_t i = 0; i < fields_.size(); ++i) {
      const auto known = given[i] ? given[i] : fields_[i].last_type;
      is_guessed = is_guessed || !known;
      types.push_back(known.value_or(kGuesses[guess]));
    }
    auto compiled = compile_with(types);
    if (compiled) return compiled;
    if (guess == 0) first = std::move(compiled);
    if (!is_guessed) break;
  }
  return first;
}

base::Result<Payload> PayloadExpression::evaluate(const Payload& message, base::Duration now) {
  MR_TRY(const auto types, types_of(message));
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    // Rows are known by their id, so that it cannot be anything else.
    if (fields_[i].name != rows::kIdColumn || types[i] == ColumnType::kInt64) continue;
    return base::fail(base::ErrorCode::kInvalidArgument,
                      "'id' must be an integer in expressions; give the field another name");
  }
  MR_TRY(expr::CompiledExprRef compiled, compile_for(types));
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    if (types[i]) fields_[i].last_type = types[i];
  }
  rows::RowScratch scratch;
  rows::NamedColumns columns;
  bool has_id = false;
  for (const expr::NameUse& use : compiled->names()) {
    const std::size_t i = static_cast<std::size_t>(
        std::ranges::find(fields_, use.name, &Field::name) - fields_.begin());
    has_id = has_id || use.name == rows::kIdColumn;
    columns.push_back(
        {.name = std::string(use.name),
         .column = make_column(use.info.type, find_field(message, fields_[i].name), scratch)});
  }
  if (!has_id) {
    const Payload one(std::int64_t{1});
    columns.push_back({.name = std::string(rows::kIdColumn),
                       .column = make_column(ColumnType::kInt64, &one, scratch)});
  }
  MR_TRY(rows::BatchRef batch, rows::Batch::make(std::move(columns)));
  const auto time = std::chrono::duration_cast<std::chrono::milliseconds>(now);
  MR_TRY(const expr::BoundExpr bound,
         expr::BoundExpr::bind(std::move(compiled),
                               {.now = std::chrono::sys_time<std::chrono::milliseconds>(time)}));
  expr::EvalScratch evaluation(scratch);
  MR_TRY(const expr::Evaluated result,
         expr::evaluate(bound,
                        rows::RowSet(std::move(batch)),
                        evaluation,
                        {.on_row_error = expr::OnRowError::kFail}));
  return to_payload(result.column->value_at(0));
}

std::string find_expression_fault(std::string_view text) {
  const auto expression = PayloadExpression::make(text);
  return expression ? std::string() : expression.error().message();
}

}  // namespace millrace::bridge
