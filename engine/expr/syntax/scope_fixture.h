#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "expr/syntax/scope.h"

namespace millrace::expr {

/// A scope that holds what a test puts into it.
class MapScope final : public Scope {
 public:
  /// Adds a name; values of one source are numbered in order of adding.
  MapScope& add(NameSource source, std::string name, rows::ColumnType type, bool nullable = true) {
    const auto index = static_cast<std::uint32_t>(names(source).size());
    names_[{source, std::move(name)}] = {.type = type, .nullable = nullable, .index = index};
    return *this;
  }

  [[nodiscard]] std::optional<NameInfo> find_name(NameSource source,
                                                  std::string_view name) const override {
    const auto found = names_.find({source, std::string(name)});
    return found == names_.end() ? std::nullopt : std::optional(found->second);
  }

  [[nodiscard]] std::vector<std::string_view> names(NameSource source) const override {
    std::vector<std::string_view> out;
    for (const auto& [key, info] : names_) {
      if (key.first == source) out.push_back(key.second);
    }
    return out;
  }

 private:
  std::map<std::pair<NameSource, std::string>, NameInfo> names_;
};

/// Keys `id` (never null), `a`, `b` int, `x`, `y`, `score` float, `on`, `off` bool, `name`,
/// `country` string; params `$weight` float, `$limit` int, `$label` string, `$flag` bool; request
/// fields `$req.country` string, `$req.page` int; viewer fields `viewer.country` string,
/// `viewer.age` int.
[[nodiscard]] inline MapScope sample_scope() {
  using enum rows::ColumnType;
  MapScope scope;
  scope.add(NameSource::kKey, "id", kInt64, false)
      .add(NameSource::kKey, "a", kInt64)
      .add(NameSource::kKey, "b", kInt64)
      .add(NameSource::kKey, "x", kFloat64)
      .add(NameSource::kKey, "y", kFloat64)
      .add(NameSource::kKey, "score", kFloat64)
      .add(NameSource::kKey, "on", kBool)
      .add(NameSource::kKey, "off", kBool)
      .add(NameSource::kKey, "name", kString)
      .add(NameSource::kKey, "country", kString)
      .add(NameSource::kParam, "weight", kFloat64)
      .add(NameSource::kParam, "limit", kInt64)
      .add(NameSource::kParam, "label", kString)
      .add(NameSource::kParam, "flag", kBool)
      .add(NameSource::kRequest, "country", kString)
      .add(NameSource::kRequest, "page", kInt64)
      .add(NameSource::kViewer, "country", kString)
      .add(NameSource::kViewer, "age", kInt64);
  return scope;
}

}  // namespace millrace::expr
