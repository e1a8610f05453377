#include "plan/check/expr_scope.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "plan/membership.h"
#include "rows/column.h"

namespace millrace::plan {

namespace {

expr::NameInfo number(std::vector<ExternalName>& names,
                      std::string_view name,
                      rows::ColumnType type,
                      bool nullable) {
  const auto found = std::ranges::find(names, name, &ExternalName::name);
  const auto index = static_cast<std::uint32_t>(found - names.begin());
  if (found == names.end()) {
    names.push_back({.name = std::string(name), .type = type, .nullable = nullable});
  }
  return {.type = type, .nullable = nullable, .index = index};
}

}  // namespace

std::optional<expr::NameInfo> PlanScope::find_name(expr::NameSource source,
                                                   std::string_view name) const {
  switch (source) {
    case expr::NameSource::kKey:
      return find_key(name);
    case expr::NameSource::kParam: {
      const FieldInfo* param = registry_.find_param(name);
      if (param == nullptr || param->lifecycle == Lifecycle::kBlocked) {
        note(param == nullptr ? ProblemCode::kUnknownName : ProblemCode::kBlockedKey, name);
        if (param == nullptr) return std::nullopt;
      }
      const bool has_default = !std::holds_alternative<std::monostate>(param->fallback);
      return number(externals_.params, name, param->type, param->nullable || !has_default);
    }
    case expr::NameSource::kRequest: {
      const std::optional<rows::ColumnType> type = find_request_field(registry_, name);
      if (!type) {
        note(ProblemCode::kUnknownRequestField, name);
        return std::nullopt;
      }
      return number(externals_.request_fields, name, *type, true);
    }
    case expr::NameSource::kViewer: {
      const FieldInfo* key = usable_key(name);
      if (key == nullptr) return std::nullopt;
      return number(externals_.viewer_fields, name, key->type, true);
    }
  }
  return std::nullopt;
}

std::optional<expr::NameInfo> PlanScope::find_key(std::string_view name) const {
  const FieldInfo* key = usable_key(name);
  if (key == nullptr) return std::nullopt;
  const auto index = static_cast<std::size_t>(key - registry_.keys().data());
  const bool is_blocked = key->lifecycle == Lifecycle::kBlocked;
  if (available_ != nullptr && !is_blocked && !available_->contains(index)) {
    note(ProblemCode::kKeyNotAvailable, name);
  }
  return expr::NameInfo{.type = key->type, .nullable = key->name != "id"};
}

/// Gives a blocked key too, after noting it: with its type known, that it is blocked is the only
/// problem reported.
const FieldInfo* PlanScope::usable_key(std::string_view name) const {
  const FieldInfo* key = registry_.find_key(name);
  if (key == nullptr) note(ProblemCode::kUnknownKey, name);
  if (key != nullptr && key->lifecycle == Lifecycle::kBlocked) {
    note(ProblemCode::kBlockedKey, name);
  }
  return key;
}

std::vector<std::string_view> PlanScope::names(expr::NameSource source) const {
  std::vector<std::string_view> names;
  if (!suggests_names_) return names;
  switch (source) {
    case expr::NameSource::kKey:
      for (std::size_t i = 0; i < registry_.keys().size(); ++i) {
        if (available_ == nullptr || available_->contains(i)) {
          names.emplace_back(registry_.keys()[i].name);
        }
      }
      return names;
    case expr::NameSource::kViewer:
      for (const FieldInfo& key : registry_.keys()) names.emplace_back(key.name);
      return names;
    case expr::NameSource::kParam:
      for (const FieldInfo& param : registry_.params()) names.emplace_back(param.name);
      return names;
    case expr::NameSource::kRequest:
      return request_field_names(registry_);
  }
  return names;
}

void PlanScope::note(ProblemCode code, std::string_view name) const {
  const auto is_same = [&](const NameProblem& problem) {
    return problem.code == code && problem.name == name;
  };
  if (std::ranges::any_of(problems_, is_same)) return;
  problems_.push_back({.code = code, .name = std::string(name)});
}

}  // namespace millrace::plan
