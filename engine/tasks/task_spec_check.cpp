#include "tasks/task_spec_check.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/error.h"
#include "base/result.h"
#include "plan/param_value.h"
#include "plan/task_catalog.h"

namespace millrace::tasks {

using base::ErrorCode;
using base::fail;
using base::Status;
using plan::ParamSpec;
using plan::ParamType;

namespace {

bool is_snake_case(std::string_view name) {
  if (name.empty() || name.front() < 'a' || name.front() > 'z') return false;
  return std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

bool fits(const ParamSpec& param, double value) {
  return (!param.minimum || value >= *param.minimum) && (!param.maximum || value <= *param.maximum);
}

/// True if a plan could give the default as a value of the param.
bool fallback_fits(const ParamSpec& param) {
  const plan::ParamValue& value = param.fallback;
  switch (param.type) {
    case ParamType::kBool:
      return std::holds_alternative<bool>(value);
    case ParamType::kInt:
      return std::holds_alternative<std::int64_t>(value) &&
             fits(param, static_cast<double>(std::get<std::int64_t>(value)));
    case ParamType::kFloat:
      return std::holds_alternative<double>(value) && fits(param, std::get<double>(value));
    case ParamType::kChoice:
      return std::holds_alternative<std::string>(value) &&
             std::ranges::find(param.choices, std::get<std::string>(value)) != param.choices.end();
    case ParamType::kString:
    case ParamType::kKey:
    case ParamType::kOutKey:
    case ParamType::kKeyPattern:
      return std::holds_alternative<std::string>(value);
    case ParamType::kIntList:
      return std::holds_alternative<std::vector<std::int64_t>>(value);
    case ParamType::kFloatList:
      return std::holds_alternative<std::vector<double>>(value);
    case ParamType::kStringList:
    case ParamType::kKeyList:
      return std::holds_alternative<std::vector<std::string>>(value);
    case ParamType::kKeyMap:
      return std::holds_alternative<std::vector<plan::KeyMove>>(value);
    case ParamType::kOrder:
      return std::holds_alternative<std::vector<plan::OrderKey>>(value);
    case ParamType::kExpr:
    case ParamType::kPredicate:
    case ParamType::kEndpoint:
    case ParamType::kNode:
      return false;
  }
  return false;
}

Status check_param(const ParamSpec& param, const std::string& where) {
  if (!is_snake_case(param.name)) {
    return fail(ErrorCode::kInvalidArgument, "Name is not snake_case: " + param.name, where);
  }
  if (param.doc.empty()) return fail(ErrorCode::kInvalidArgument, "Param has no doc", where);
  if (param.minimum && param.maximum && *param.minimum > *param.maximum) {
    return fail(ErrorCode::kInvalidArgument, "Minimum is above maximum", where);
  }
  if ((param.type == ParamType::kChoice) == param.choices.empty()) {
    return fail(ErrorCode::kInvalidArgument, "Choices belong to a param of type choice", where);
  }
  if (std::holds_alternative<std::monostate>(param.fallback)) return {};
  if (param.required) {
    return fail(ErrorCode::kInvalidArgument, "A required param has a default", where);
  }
  if (!fallback_fits(param)) {
    return fail(ErrorCode::kInvalidArgument, "Default does not fit the param", where);
  }
  return {};
}

bool has_param(const plan::TaskSpec& spec, const std::string& name, ParamType type) {
  return std::ranges::any_of(spec.params, [&](const ParamSpec& param) {
    return param.name == name && param.type == type;
  });
}

/// Checks that a join names params of the right types, and that keys are read from a node.
Status check_inputs_of_keys(const plan::TaskSpec& spec) {
  for (const ParamSpec& param : spec.params) {
    if (param.read_from.empty() || has_param(spec, param.read_from, ParamType::kNode)) continue;
    return fail(ErrorCode::kInvalidArgument,
                "read_from names no param of type node: " + param.read_from,
                spec.op + ".params." + param.name);
  }
  if (spec.join.has_value() != (spec.columns == plan::OutputColumns::kJoin)) {
    return fail(
        ErrorCode::kInvalidArgument, "Columns of kind join belong to a task with `join`", spec.op);
  }
  if (!spec.join) return {};
  const plan::JoinSpec& join = *spec.join;
  const bool all_there = has_param(spec, join.rhs, ParamType::kNode) &&
                         has_param(spec, join.by, ParamType::kKeyList) &&
                         has_param(spec, join.rhs_by, ParamType::kKeyList) &&
                         has_param(spec, join.columns, ParamType::kKeyMap) &&
                         has_param(spec, join.kind, ParamType::kChoice);
  if (all_there) return {};
  return fail(
      ErrorCode::kInvalidArgument, "`join` names a param that is not there", spec.op + ".join");
}

Status check_keys_param(const plan::TaskSpec& spec) {
  if (spec.keys_param.empty()) return {};
  for (const ParamSpec& param : spec.params) {
    if (param.name == spec.keys_param && param.type == ParamType::kKeyList) return {};
  }
  return fail(ErrorCode::kInvalidArgument,
              "keys_param names no list of keys: " + spec.keys_param,
              spec.op + ".keys_param");
}

}  // namespace

Status check_task_spec(const plan::TaskSpec& spec) {
  if (!is_snake_case(spec.op)) {
    return fail(ErrorCode::kInvalidArgument, "Op is not snake_case: " + spec.op, spec.op);
  }
  for (const std::string& alias : spec.aliases) {
    if (!is_snake_case(alias)) {
      return fail(ErrorCode::kInvalidArgument, "Alias is not snake_case: " + alias, spec.op);
    }
  }
  if (spec.doc.empty()) return fail(ErrorCode::kInvalidArgument, "Task has no doc", spec.op);
  if (spec.inputs_min > spec.inputs_max) {
    return fail(ErrorCode::kInvalidArgument, "inputs_min is above inputs_max", spec.op);
  }
  for (std::size_t index = 0; index < spec.params.size(); ++index) {
    const ParamSpec& param = spec.params[index];
    MR_TRY_STATUS(check_param(param, spec.op + ".params." + param.name));
    for (std::size_t earlier = 0; earlier < index; ++earlier) {
      if (spec.params[earlier].name != param.name) continue;
      return fail(
          ErrorCode::kInvalidArgument, "Two params have the same name: " + param.name, spec.op);
    }
  }
  const bool has_node_param = std::ranges::any_of(
      spec.params, [](const ParamSpec& p) { return p.type == ParamType::kNode; });
  if (spec.inputs_max == spec.inputs_min + 1 && has_node_param) {
    return fail(ErrorCode::kInvalidArgument,
                "A task whose input may be left out has a param of type node",
                spec.op);
  }
  MR_TRY_STATUS(check_inputs_of_keys(spec));
  return check_keys_param(spec);
}

}  // namespace millrace::tasks
