// Reads the three registry files. Every function adds what is wrong to the report and goes on, so
// that one report holds all problems.

#include <cmath>
#include <cstddef>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/formats/document_reporter.h"
#include "base/formats/json_document.h"
#include "base/formats/object_reader.h"
#include "base/formats/value_reader.h"
#include "base/problems/message_text.h"
#include "plan/problem.h"
#include "plan/registry/endpoint_reader.h"
#include "plan/registry/registry.h"
#include "plan/registry/registry_file.h"
#include "rows/column.h"

namespace millrace::plan {

namespace {

using base::JsonValue;
using base::ObjectReader;

DefaultValue read_default(ObjectReader& table, rows::ColumnType type) {
  const std::optional<JsonValue> value = table.find("default");
  if (!value) return {};
  switch (type) {
    case rows::ColumnType::kBool:
      if (const auto flag = value->find_bool()) return *flag;
      break;
    case rows::ColumnType::kInt64:
      if (const auto integer = value->find_int()) return *integer;
      break;
    case rows::ColumnType::kFloat64:
      if (const auto number = value->find_number(); number && std::isfinite(*number)) {
        return *number;
      }
      break;
    case rows::ColumnType::kString:
      if (const auto text = value->find_string()) return std::string(*text);
      break;
  }
  table.add(ProblemCode::kWrongType,
            "default",
            base::format("The default is not of type {}", rows::to_string(type)));
  return {};
}

/// Reads the prefixes of the hashes that have a key: `of = ["item"]`.
std::vector<std::string> read_prefixes(ObjectReader& table, base::DocumentReporter& reporter) {
  std::vector<std::string> prefixes;
  const std::optional<JsonValue> list = table.find_array("of");
  if (!list) return prefixes;
  const base::ValuePlace place = table.place_of(*list);
  base::ValueReader values(reporter);
  for (const JsonValue item : list->children()) {
    const base::ValuePlace here = place.child(item);
    const std::optional<std::string_view> text = values.read_string(item, here);
    if (text && (text->empty() || text->find_first_of("{}:") != std::string_view::npos)) {
      reporter.add(ProblemCode::kBadName,
                   here,
                   "Not the prefix of a hash: " + base::shortened(*text),
                   "`item` for hashes `item:7`");
    }
    prefixes.emplace_back(text.value_or(""));
  }
  if (prefixes.empty()) {
    table.add(ProblemCode::kBadValue, "of", "A key belongs to one hash at least", "leave it out");
  }
  return prefixes;
}

FieldInfo read_field(ObjectReader& table, bool is_key, base::DocumentReporter& reporter) {
  if (is_key) {
    table.allow_only(
        {"type", "nullable", "default", "doc", "lifecycle", "allow_write", "replaced_by", "of"});
  } else {
    table.allow_only(
        {"type", "nullable", "default", "doc", "lifecycle", "allow_write", "replaced_by"});
  }
  table.require("type");
  const auto type = table.find_choice("type", {"int", "float", "bool", "string"});
  FieldInfo field{.name = std::string(table.value().key()),
                  .type = static_cast<rows::ColumnType>(type.value_or(0))};
  field.nullable = table.find_bool("nullable").value_or(true);
  field.allow_write = table.find_bool("allow_write").value_or(true);
  field.lifecycle = read_lifecycle(table);
  if (type) field.fallback = read_default(table, field.type);
  field.doc = find_text(table, "doc");
  field.replaced_by = find_text(table, "replaced_by");
  if (is_key) field.of = read_prefixes(table, reporter);
  return field;
}

void check_built_in(ObjectReader& table, FieldInfo& field) {
  const bool is_text = field.name == "source";
  const auto wanted = is_text ? rows::ColumnType::kString : rows::ColumnType::kInt64;
  if (field.type != wanted) {
    table.add(
        ProblemCode::kBadValue,
        "type",
        base::format("The built-in key {} is of type {}", field.name, rows::to_string(wanted)));
  }
  if (table.has("allow_write") && field.allow_write) {
    table.add(ProblemCode::kBadValue,
              "allow_write",
              base::format("No plan writes the built-in key {}", field.name));
  }
  field.allow_write = false;
  if (!field.of.empty()) {
    table.add(ProblemCode::kBadValue,
              "of",
              base::format("The built-in key {} stands in no hash", field.name));
  }
  if (field.name != "id") return;
  if (table.has("nullable") && field.nullable) {
    table.add(ProblemCode::kBadValue, "nullable", "The key id is never null");
  }
  field.nullable = false;
}

/// Reads the entries of a section of keys or params.
std::vector<FieldInfo> read_field_section(const ObjectReader& section,
                                          base::DocumentReporter& reporter) {
  std::vector<FieldInfo> fields;
  const bool is_keys = section.value().key() == "keys";
  for (const JsonValue entry : section.value().children()) {
    ObjectReader table(entry, section.place_of(entry), reporter);
    check_name(table, reporter);
    if (!table.is_object()) continue;
    FieldInfo field = read_field(table, is_keys, reporter);
    if (is_keys && is_built_in_key(field.name)) check_built_in(table, field);
    fields.push_back(std::move(field));
  }
  check_replacements(section, fields, reporter);
  return fields;
}

/// Reads a file whose only section has this name.
std::vector<FieldInfo> read_fields(RegistryFile& file, std::string_view section_name) {
  std::vector<FieldInfo> fields;
  if (!file.root()) return fields;
  const ObjectReader root(*file.root(), {}, file.reporter());
  for (const JsonValue part : root.value().children()) {
    const base::ValuePlace place = root.place_of(part);
    if (part.key() != section_name) {
      file.reporter().add(ProblemCode::kUnknownField,
                          root.place().key(part),
                          "Unknown section: " + base::shortened(part.key()),
                          base::format("entries stand under [{}.NAME]", section_name));
      continue;
    }
    ObjectReader section(part, place, file.reporter());
    if (section.is_object()) fields = read_field_section(section, file.reporter());
  }
  return fields;
}

}  // namespace

std::expected<Registry, ProblemReport> read_registry(const RegistryTexts& texts,
                                                     Environment environment) {
  ProblemReport report;
  RegistryFile keys_file("keys.toml", texts.keys, report);
  std::vector<FieldInfo> keys = read_fields(keys_file, "keys");
  RegistryFile params_file("params.toml", texts.params, report);
  std::vector<FieldInfo> params = read_fields(params_file, "params");
  RegistryFile endpoints_file("endpoints.toml", texts.endpoints, report);
  std::vector<EndpointInfo> endpoints = read_endpoints(endpoints_file, environment);
  if (report.has_errors()) return std::unexpected(std::move(report));
  return Registry(std::move(keys), std::move(params), std::move(endpoints));
}

}  // namespace millrace::plan
