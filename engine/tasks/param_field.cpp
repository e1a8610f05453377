#include "tasks/param_field.h"

#include <cstddef>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.h"
#include "base/result.h"
#include "expr/compiled_expr.h"
#include "plan/param_value.h"
#include "rows/column.h"
#include "rows/sort_key.h"
#include "tasks/endpoint_client.h"

namespace millrace::tasks {

using base::ErrorCode;
using base::fail;
using base::Result;
using plan::ParamValue;

namespace {

std::string place_of(const FieldSource& source) {
  return source.node->id + ".params." + source.node->task->params[source.param_index].name;
}

std::string name_of(plan::EndpointId endpoint, const FieldSource& source) {
  return source.load->endpoint_name ? source.load->endpoint_name(endpoint) : std::string();
}

Result<plan::EndpointId> endpoint_of(const ParamValue& value,
                                     const FieldSource& source,
                                     ClientKind wanted) {
  const auto* id = std::get_if<plan::EndpointId>(&value);
  if (id == nullptr) return wrong_value(source);
  const std::span<const ClientKind> kinds = source.load->endpoints;
  if (!kinds.empty() && (id->index >= kinds.size() || kinds[id->index] != wanted)) {
    return fail(
        ErrorCode::kInvalidPlan,
        "The endpoint is of another kind than the task needs: " + std::string(to_string(wanted)),
        place_of(source));
  }
  return *id;
}

}  // namespace

std::unexpected<base::Error> wrong_value(const FieldSource& source) {
  return fail(
      ErrorCode::kInternal, "A checked param has a value of another type", place_of(source));
}

Result<ExprParam> ParamField<ExprParam>::from_value(const ParamValue& value,
                                                    const FieldSource& source) {
  if (!std::holds_alternative<expr::CompiledExprRef>(value)) return wrong_value(source);
  return ExprParam{.param_index = source.param_index};
}

Result<PredicateParam> ParamField<PredicateParam>::from_value(const ParamValue& value,
                                                              const FieldSource& source) {
  if (!std::holds_alternative<expr::CompiledExprRef>(value)) return wrong_value(source);
  return PredicateParam{.param_index = source.param_index};
}

Result<NamedKey> key_of(const ParamValue& value, const FieldSource& source) {
  const auto* name = std::get_if<std::string>(&value);
  if (name == nullptr) return wrong_value(source);
  NamedKey key{.name = *name};
  if (source.load->key_type) {
    const std::optional<rows::ColumnType> type = source.load->key_type(*name);
    if (!type) return fail(ErrorCode::kNotFound, "No such key: " + *name, place_of(source));
    key.type = *type;
  }
  return key;
}

Result<NodeParam> ParamField<NodeParam>::from_value(const ParamValue& value,
                                                    const FieldSource& source) {
  const auto* input = std::get_if<plan::InputIndex>(&value);
  if (input == nullptr) return wrong_value(source);
  return NodeParam{.input = *input};
}

Result<StoreEndpoint> ParamField<StoreEndpoint>::from_value(const ParamValue& value,
                                                            const FieldSource& source) {
  MR_TRY(const plan::EndpointId id, endpoint_of(value, source, ClientKind::kStore));
  return StoreEndpoint{.id = id, .name = name_of(id, source)};
}

Result<HttpEndpoint> ParamField<HttpEndpoint>::from_value(const ParamValue& value,
                                                          const FieldSource& source) {
  MR_TRY(const plan::EndpointId id, endpoint_of(value, source, ClientKind::kHttp));
  return HttpEndpoint{.id = id, .name = name_of(id, source)};
}

ParamValue ParamField<OrderParam>::to_value(const OrderParam& order) {
  std::vector<plan::OrderKey> keys;
  keys.reserve(order.keys.size());
  for (const rows::SortKey& key : order.keys) {
    keys.push_back(
        {.key = key.column, .descending = key.direction == rows::Direction::kDescending});
  }
  return keys;
}

Result<OrderParam> ParamField<OrderParam>::from_value(const ParamValue& value,
                                                      const FieldSource& source) {
  const auto* keys = std::get_if<std::vector<plan::OrderKey>>(&value);
  if (keys == nullptr) return wrong_value(source);
  OrderParam order;
  order.keys.reserve(keys->size());
  for (const plan::OrderKey& key : *keys) {
    order.keys.push_back(
        {.column = key.key,
         .direction = key.descending ? rows::Direction::kDescending : rows::Direction::kAscending});
  }
  return order;
}

Result<KeyPatternParam> ParamField<KeyPatternParam>::from_value(const ParamValue& value,
                                                                const FieldSource& source) {
  const auto* text = std::get_if<std::string>(&value);
  if (text == nullptr) return wrong_value(source);
  return plan::parse_key_pattern(*text);
}

}  // namespace millrace::tasks
