// Reads the three registry files. Every function reports what it does not like and goes on, so that
// one report has everything.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/format.h"
#include "base/formats/toml_reader.h"
#include "plan/problem.h"
#include "plan/registry/endpoint_reader.h"
#include "plan/registry/registry.h"
#include "plan/registry/registry_table.h"
#include "rows/column.h"

namespace millrace::plan {

namespace {

using base::TomlMember;
using base::TomlValue;

DefaultValue read_default(TableReader& table, rows::ColumnType type) {
  const TomlValue* raw = table.find_raw("default");
  if (raw == nullptr) return {};
  switch (type) {
    case rows::ColumnType::kBool:
      if (const auto* flag = raw->find<bool>()) return *flag;
      break;
    case rows::ColumnType::kInt64:
      if (const auto* integer = raw->find<std::int64_t>()) return *integer;
      break;
    case rows::ColumnType::kFloat64:
      if (const auto* integer = raw->find<std::int64_t>()) return static_cast<double>(*integer);
      if (const auto* number = raw->find<double>(); number != nullptr && std::isfinite(*number)) {
        return *number;
      }
      break;
    case rows::ColumnType::kString:
      if (const auto* text = raw->find<std::string>()) return *text;
      break;
  }
  table.add(ProblemCode::kWrongType,
            "default",
            base::format("The default is not of type {}", rows::to_string(type)));
  return {};
}

FieldInfo read_field(TableReader& table, const std::string& name) {
  table.allow_only(
      {"type", "nullable", "default", "doc", "lifecycle", "allow_write", "replaced_by"});
  table.require("type");
  const auto type = table.find_choice("type", {"int", "float", "bool", "string"});
  FieldInfo field{.name = name, .type = static_cast<rows::ColumnType>(type.value_or(0))};
  field.nullable = table.find<bool>("nullable", "bool").value_or(true);
  field.allow_write = table.find<bool>("allow_write", "bool").value_or(true);
  field.lifecycle = read_lifecycle(table);
  if (type) field.fallback = read_default(table, field.type);
  field.doc = table.find<std::string>("doc", "string").value_or("");
  field.replaced_by = table.find<std::string>("replaced_by", "string").value_or("");
  return field;
}

void check_built_in(TableReader& table, FieldInfo& field) {
  const bool is_text = field.name == "source";
  const auto wanted = is_text ? rows::ColumnType::kString : rows::ColumnType::kInt64;
  if (field.type != wanted) {
    table.add(
        ProblemCode::kBadValue,
        "type",
        base::format("The built-in key {} is of type {}", field.name, rows::to_string(wanted)));
  }
  if (table.find_raw("allow_write") != nullptr && field.allow_write) {
    table.add(ProblemCode::kBadValue,
              "allow_write",
              base::format("No plan writes the built-in key {}", field.name));
  }
  field.allow_write = false;
  if (field.name != "id") return;
  if (table.find_raw("nullable") != nullptr && field.nullable) {
    table.add(ProblemCode::kBadValue, "nullable", "The key id is never null");
  }
  field.nullable = false;
}

std::vector<FieldInfo> read_fields(RegistryFile& file,
                                   std::string_view text,
                                   const std::string& section) {
  std::vector<FieldInfo> fields;
  const std::optional<TomlValue> root = file.read(text);
  if (!root) return fields;
  for (const TomlMember& part : *root->find<TomlValue::Table>()) {
    if (part.name != section) {
      file.add(ProblemCode::kUnknownField,
               part.place,
               part.name,
               "Unknown section: " + part.name,
               base::format("entries stand under [{}.NAME]", section));
      continue;
    }
    if (!TableReader(file, part, section).is_table()) continue;
    for (const TomlMember& entry : *part.value.find<TomlValue::Table>()) {
      const std::string path = section + "." + entry.name;
      TableReader table(file, entry, path);
      check_name(file, entry, path);
      if (!table.is_table()) continue;
      FieldInfo field = read_field(table, entry.name);
      if (section == "keys" && is_built_in_key(field.name)) check_built_in(table, field);
      fields.push_back(std::move(field));
    }
  }
  check_replacements(file, section, fields);
  return fields;
}

}  // namespace

std::expected<Registry, ProblemReport> read_registry(const RegistryTexts& texts,
                                                     Environment environment) {
  ProblemReport report;
  RegistryFile keys_file("keys.toml", report);
  RegistryFile params_file("params.toml", report);
  RegistryFile endpoints_file("endpoints.toml", report);
  std::vector<FieldInfo> keys = read_fields(keys_file, texts.keys, "keys");
  std::vector<FieldInfo> params = read_fields(params_file, texts.params, "params");
  std::vector<EndpointInfo> endpoints =
      read_endpoints(endpoints_file, texts.endpoints, environment);
  if (!report.empty()) return std::unexpected(std::move(report));
  return Registry(std::move(keys), std::move(params), std::move(endpoints));
}

}  // namespace millrace::plan
