#include "plan/registry/registry.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plan/membership.h"
#include "rows/column.h"

namespace millrace::plan {

namespace {

using enum rows::ColumnType;

struct RequestField {
  std::string_view name;
  rows::ColumnType type;
};

constexpr std::array<RequestField, 5> kRequestFields{{{"user_id", kInt64},
                                                      {"request_id", kString},
                                                      {"limit", kInt64},
                                                      {"seed", kInt64},
                                                      {"deadline_ms", kInt64}}};

constexpr std::array<std::string_view, 3> kBuiltInKeys{"id", "parent_id", "source"};

const FieldInfo* find_field(std::span<const FieldInfo> fields, std::string_view name) {
  const auto found = std::ranges::lower_bound(fields, name, {}, &FieldInfo::name);
  return found != fields.end() && found->name == name ? &*found : nullptr;
}

void add_built_in(std::vector<FieldInfo>& keys, FieldInfo info) {
  if (!contains(keys, info.name, &FieldInfo::name)) keys.push_back(std::move(info));
}

}  // namespace

std::string_view to_string(Environment environment) {
  static constexpr std::array<std::string_view, kEnvironmentCount> kNames{"dev", "test", "prod"};
  return kNames[static_cast<std::size_t>(environment)];
}

std::optional<Environment> find_environment(std::string_view name) {
  for (const Environment environment :
       {Environment::kDev, Environment::kTest, Environment::kProd}) {
    if (name == to_string(environment)) return environment;
  }
  return std::nullopt;
}

std::string_view to_string(EndpointKind kind) {
  static constexpr std::array<std::string_view, 4> kNames{"redis", "embedded", "http", "graph"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string_view to_string(Lifecycle lifecycle) {
  static constexpr std::array<std::string_view, 3> kNames{"active", "deprecated", "blocked"};
  return kNames[static_cast<std::size_t>(lifecycle)];
}

bool is_built_in_key(std::string_view name) { return contains(kBuiltInKeys, name); }

Registry::Registry(std::vector<FieldInfo> keys,
                   std::vector<FieldInfo> params,
                   std::vector<EndpointInfo> endpoints)
    : keys_(std::move(keys)), params_(std::move(params)), endpoints_(std::move(endpoints)) {
  add_built_in(keys_, {.name = "id", .type = kInt64, .nullable = false, .allow_write = false});
  add_built_in(keys_, {.name = "parent_id", .type = kInt64, .allow_write = false});
  add_built_in(keys_, {.name = "source", .type = kString, .allow_write = false});
  std::ranges::sort(keys_, {}, &FieldInfo::name);
  std::ranges::sort(params_, {}, &FieldInfo::name);
  std::ranges::sort(endpoints_, {}, &EndpointInfo::name);
}

const FieldInfo* Registry::find_key(std::string_view name) const { return find_field(keys_, name); }

const FieldInfo* Registry::find_param(std::string_view name) const {
  return find_field(params_, name);
}

std::optional<EndpointId> Registry::find_endpoint(std::string_view name) const {
  const auto found = std::ranges::lower_bound(endpoints_, name, {}, &EndpointInfo::name);
  if (found == endpoints_.end() || found->name != name) return std::nullopt;
  return EndpointId{.index = static_cast<std::uint32_t>(found - endpoints_.begin())};
}

std::optional<rows::ColumnType> find_request_field(const Registry& registry,
                                                   std::string_view name) {
  const auto built_in = std::ranges::find(kRequestFields, name, &RequestField::name);
  if (built_in != kRequestFields.end()) return built_in->type;
  if (const FieldInfo* param = registry.find_param(name)) return param->type;
  if (const FieldInfo* key = registry.find_key(name)) return key->type;
  return std::nullopt;
}

std::vector<std::string_view> request_field_names(const Registry& registry) {
  std::vector<std::string_view> names;
  for (const RequestField& field : kRequestFields) names.push_back(field.name);
  for (const FieldInfo& param : registry.params()) names.emplace_back(param.name);
  for (const FieldInfo& key : registry.keys()) names.emplace_back(key.name);
  return names;
}

}  // namespace millrace::plan
