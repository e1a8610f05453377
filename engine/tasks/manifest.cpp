#include "tasks/manifest.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "base/formats/json_writer.h"
#include "plan/param_value.h"
#include "plan/task_catalog.h"

namespace millrace::tasks {

namespace {

using base::JsonWriter;
using plan::ParamType;

std::string_view name_of(plan::TaskKind kind) {
  switch (kind) {
    case plan::TaskKind::kAsync:
      return "async";
    case plan::TaskKind::kCpu:
      return "cpu";
    case plan::TaskKind::kCheap:
      return "cheap";
  }
  return "?";
}

std::string_view name_of(ParamType type) {
  switch (type) {
    case ParamType::kBool:
      return "bool";
    case ParamType::kInt:
      return "int";
    case ParamType::kFloat:
      return "float";
    case ParamType::kString:
      return "string";
    case ParamType::kChoice:
      return "choice";
    case ParamType::kIntList:
      return "int_list";
    case ParamType::kFloatList:
      return "float_list";
    case ParamType::kStringList:
      return "string_list";
    case ParamType::kKey:
      return "key";
    case ParamType::kKeyList:
      return "key_list";
    case ParamType::kOutKey:
      return "out_key";
    case ParamType::kOrder:
      return "order";
    case ParamType::kKeyMap:
      return "key_map";
    case ParamType::kExpr:
      return "expr";
    case ParamType::kPredicate:
      return "predicate";
    case ParamType::kEndpoint:
      return "endpoint";
    case ParamType::kKeyPattern:
      return "key_pattern";
    case ParamType::kNode:
      return "node";
  }
  return "?";
}

std::string_view name_of(plan::OutputColumns columns) {
  switch (columns) {
    case plan::OutputColumns::kSource:
      return "source";
    case plan::OutputColumns::kFirstInput:
      return "first_input";
    case plan::OutputColumns::kUnion:
      return "union";
    case plan::OutputColumns::kFanOut:
      return "fan_out";
    case plan::OutputColumns::kJoin:
      return "join";
    case plan::OutputColumns::kGroups:
      return "groups";
  }
  return "?";
}

std::string_view name_of(plan::OutputRows rows) {
  switch (rows) {
    case plan::OutputRows::kSource:
      return "source";
    case plan::OutputRows::kSame:
      return "same";
    case plan::OutputRows::kSubset:
      return "subset";
    case plan::OutputRows::kReorder:
      return "reorder";
    case plan::OutputRows::kOther:
      return "other";
  }
  return "?";
}

template <class T>
void write_list(JsonWriter& json, const std::vector<T>& items) {
  json.begin_array();
  for (const T& item : items) json.value(item);
  json.end_array();
}

void write_order(JsonWriter& json, const std::vector<plan::OrderKey>& keys) {
  json.begin_array();
  for (const plan::OrderKey& key : keys) {
    json.begin_object();
    json.member("key", key.key);
    json.member("order", key.descending ? "desc" : "asc");
    json.end_object();
  }
  json.end_array();
}

/// Writes a default. Params that refer to something of a plan (a key, a node, an endpoint) have
/// none.
void write_fallback(JsonWriter& json, const plan::ParamValue& value) {
  std::visit(
      [&json](const auto& held) {
        using T = std::decay_t<decltype(held)>;
        if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, std::int64_t> ||
                      std::is_same_v<T, double> || std::is_same_v<T, std::string>) {
          json.value(held);
        } else if constexpr (std::is_same_v<T, std::vector<std::int64_t>> ||
                             std::is_same_v<T, std::vector<double>> ||
                             std::is_same_v<T, std::vector<std::string>>) {
          write_list(json, held);
        } else if constexpr (std::is_same_v<T, std::vector<plan::OrderKey>>) {
          write_order(json, held);
        } else if constexpr (std::is_same_v<T, std::vector<plan::KeyMove>>) {
          json.begin_object();
          for (const plan::KeyMove& move : held) json.member(move.to, move.from);
          json.end_object();
        } else {
          json.null();
        }
      },
      value);
}

void write_param(JsonWriter& json, const plan::ParamSpec& param) {
  json.begin_object();
  json.member("name", param.name);
  json.member("type", name_of(param.type));
  json.member("required", param.required);
  json.key("default");
  write_fallback(json, param.fallback);
  if (param.minimum) json.member("minimum", *param.minimum);
  if (param.maximum) json.member("maximum", *param.maximum);
  if (!param.choices.empty()) {
    json.key("choices");
    write_list(json, param.choices);
  }
  if (!param.key_types.empty()) {
    json.key("key_types");
    json.begin_array();
    for (const rows::ColumnType type : param.key_types) json.value(rows::to_string(type));
    json.end_array();
  }
  if (param.is_computed) json.member("is_computed", true);
  if (param.computed_type) json.member("computed_type", rows::to_string(*param.computed_type));
  if (!param.read_from.empty()) json.member("read_from", param.read_from);
  json.member("doc", param.doc);
  json.end_object();
}

void write_join(JsonWriter& json, const plan::JoinSpec& join) {
  json.key("join");
  json.begin_object();
  json.member("rhs", join.rhs);
  json.member("by", join.by);
  json.member("rhs_by", join.rhs_by);
  json.member("columns", join.columns);
  json.member("kind", join.kind);
  json.key("kinds_without_columns");
  write_list(json, join.kinds_without_columns);
  json.end_object();
}

void write_task(JsonWriter& json, const plan::TaskSpec& spec) {
  json.begin_object();
  json.member("op", spec.op);
  json.key("aliases");
  write_list(json, spec.aliases);
  json.member("doc", spec.doc);
  json.member("kind", name_of(spec.kind));
  json.member("inputs_min", spec.inputs_min);
  json.member("inputs_max", spec.inputs_max);
  json.key("params");
  json.begin_array();
  for (const plan::ParamSpec& param : spec.params) write_param(json, param);
  json.end_array();
  json.key("output");
  json.begin_object();
  json.member("columns", name_of(spec.columns));
  json.member("rows", name_of(spec.rows));
  json.end_object();
  json.key("reads");
  write_list(json, spec.reads);
  json.key("writes");
  write_list(json, spec.writes);
  json.member("writes_on_demand", spec.writes_on_demand);
  json.member("keys_param", spec.keys_param);
  if (!spec.prefix_param.empty()) json.member("prefix_param", spec.prefix_param);
  if (spec.join) write_join(json, *spec.join);
  json.member("can_fail", spec.can_fail);
  json.member("shareable", spec.shareable);
  json.member("cost_fixed_ns", spec.cost_fixed.count());
  json.member("cost_per_row_ns", spec.cost_per_row.count());
  json.end_object();
}

}  // namespace

std::string make_manifest(const plan::TaskCatalog& catalog) {
  std::string out;
  JsonWriter json(out);
  json.begin_object();
  json.member("manifest_version", 1);
  json.key("tasks");
  json.begin_array();
  for (const plan::TaskSpec* spec : catalog.tasks()) write_task(json, *spec);
  json.end_array();
  json.end_object();
  out += '\n';
  return out;
}

}  // namespace millrace::tasks
