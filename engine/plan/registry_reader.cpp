// Reads the three registry files. Every function reports what it does not like and goes on, so that
// one report has everything.

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "base/did_you_mean.h"
#include "base/format.h"
#include "base/text_place.h"
#include "base/toml_reader.h"
#include "plan/membership.h"
#include "plan/problem.h"
#include "plan/registry.h"
#include "rows/column.h"

namespace millrace::plan {

namespace {

using base::TomlMember;
using base::TomlValue;

constexpr std::size_t kNameBytesMax = 64;

/// One file being read: where its problems go.
class RegistryFile {
 public:
  RegistryFile(std::string name, ProblemReport& report) : name_(std::move(name)), report_(report) {}

  void add(ProblemCode code,
           base::TextPlace place,
           std::string path,
           std::string message,
           std::string hint = {}) {
    report_.add({.code = code,
                 .path = std::move(path),
                 .file = name_,
                 .line = place.line,
                 .column = place.column,
                 .message = std::move(message),
                 .hint = std::move(hint)});
  }

  [[nodiscard]] std::optional<TomlValue> read(std::string_view text) {
    std::expected<TomlValue, base::TomlProblem> root = base::read_toml(text);
    if (root) return *std::move(root);
    add(ProblemCode::kBadToml, root.error().place, "", root.error().message);
    return std::nullopt;
  }

 private:
  std::string name_;
  ProblemReport& report_;
};

/// One table of a file: gives its members by type and knows which names it may have.
class TableReader {
 public:
  TableReader(RegistryFile& file, const TomlMember& member, std::string path)
      : file_(file), value_(member.value), place_(member.place), path_(std::move(path)) {}

  /// Reports a value that is no table; the reader then finds nothing.
  bool is_table() {
    if (value_.find<TomlValue::Table>() != nullptr) return true;
    wrong_type(path_, place_, "table", value_);
    return false;
  }

  void allow_only(std::initializer_list<std::string_view> names) {
    for (const TomlMember& member : *value_.find<TomlValue::Table>()) {
      if (contains(names, member.name)) continue;
      file_.add(ProblemCode::kUnknownField,
                member.place,
                path_ + "." + member.name,
                "Unknown field: " + member.name,
                suggestion(member.name, std::span(names.begin(), names.size())));
    }
  }

  template <class T>
  std::optional<T> find(std::string_view name, std::string_view kind) {
    const TomlValue* member = value_.find_member(name);
    if (member == nullptr) return std::nullopt;
    if (const T* content = member->find<T>()) return *content;
    wrong_type(path_of(name), member->place, kind, *member);
    return std::nullopt;
  }

  [[nodiscard]] const TomlValue* find_raw(std::string_view name) const {
    return value_.find_member(name);
  }

  /// One of `names`, as its place among them.
  std::optional<std::size_t> find_choice(std::string_view name,
                                         std::initializer_list<std::string_view> names) {
    const std::optional<std::string> text = find<std::string>(name, "string");
    if (!text) return std::nullopt;
    const auto* found = std::ranges::find(names, *text);
    if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
    std::string all;
    for (const std::string_view choice : names) {
      all += (all.empty() ? "one of " : ", ") + std::string(choice);
    }
    add(ProblemCode::kBadValue, name, base::format("Unknown {}: {}", name, *text), std::move(all));
    return std::nullopt;
  }

  void require(std::string_view name) {
    if (value_.find_member(name) == nullptr) {
      file_.add(ProblemCode::kMissingField, place_, path_, base::format("Missing field: {}", name));
    }
  }

  void add(ProblemCode code, std::string_view name, std::string message, std::string hint = {}) {
    const TomlValue* member = value_.find_member(name);
    file_.add(code,
              member != nullptr ? member->place : place_,
              path_of(name),
              std::move(message),
              std::move(hint));
  }

  static std::string suggestion(std::string_view name, std::span<const std::string_view> names) {
    const std::optional<std::string_view> nearest = base::find_nearest(name, names);
    return nearest ? base::format("did you mean '{}'?", *nearest) : std::string();
  }

 private:
  [[nodiscard]] std::string path_of(std::string_view name) const {
    return path_ + "." + std::string(name);
  }

  void wrong_type(std::string path,
                  base::TextPlace place,
                  std::string_view kind,
                  const TomlValue& value) {
    file_.add(ProblemCode::kWrongType,
              place,
              std::move(path),
              base::format("Expected {}, found {}", kind, kind_name(value)));
  }

  RegistryFile& file_;
  const TomlValue& value_;
  base::TextPlace place_;
  std::string path_;
};

bool is_name(std::string_view name) {
  const auto allowed = [](char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9') || letter == '_';
  };
  return !name.empty() && name.size() <= kNameBytesMax && std::ranges::all_of(name, allowed) &&
         (name[0] < '0' || name[0] > '9');
}

void check_name(RegistryFile& file, const TomlMember& member, const std::string& path) {
  if (is_name(member.name)) return;
  file.add(ProblemCode::kBadName,
           member.place,
           path,
           "Not a name: " + member.name,
           "lower-case letters, digits and '_', a letter first, at most 64");
}

Lifecycle read_lifecycle(TableReader& table) {
  const auto index = table.find_choice("lifecycle", {"active", "deprecated", "blocked"});
  return static_cast<Lifecycle>(index.value_or(0));
}

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

/// Follows `replaced_by` from every entry: each name must exist, and no chain may close.
template <class Info>
void check_replacements(RegistryFile& file,
                        const std::string& section,
                        const std::vector<Info>& infos) {
  for (const Info& info : infos) {
    const Info* next = &info;
    std::size_t steps = 0;
    while (next != nullptr && !next->replaced_by.empty() && steps <= infos.size()) {
      const auto found = std::ranges::find(infos, next->replaced_by, &Info::name);
      if (found == infos.end()) {
        if (next == &info) {
          file.add(ProblemCode::kBadReplacement,
                   {},
                   section + "." + info.name + ".replaced_by",
                   "No such name: " + info.replaced_by);
        }
        break;
      }
      next = &*found;
      ++steps;
    }
    if (steps > infos.size()) {
      file.add(ProblemCode::kBadReplacement,
               {},
               section + "." + info.name + ".replaced_by",
               "Replacements lead in a circle: " + info.name);
    }
  }
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

/// Reads `50ms`, `2s` or `500us`: a whole number above 0 and at most an hour.
std::optional<base::Duration> parse_duration(std::string_view text) {
  std::int64_t count = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc{} || count <= 0) return std::nullopt;
  const std::string_view unit(rest, static_cast<std::size_t>(text.data() + text.size() - rest));
  const base::Duration one = unit == "us"   ? base::Duration(std::chrono::microseconds(1))
                             : unit == "ms" ? base::Duration(std::chrono::milliseconds(1))
                             : unit == "s"  ? base::Duration(std::chrono::seconds(1))
                                            : base::Duration(0);
  if (one.count() == 0 || count > std::chrono::hours(1) / one) return std::nullopt;
  return one * count;
}

void read_duration(TableReader& table, std::string_view name, base::Duration& out) {
  const std::optional<std::string> text = table.find<std::string>(name, "string");
  if (!text) return;
  if (const std::optional<base::Duration> duration = parse_duration(*text)) {
    out = *duration;
  } else {
    table.add(ProblemCode::kBadTimeout,
              name,
              "Not a duration: " + *text,
              "a whole number with a unit, as '50ms', '2s' or '500us', at most an hour");
  }
}

void read_count(TableReader& table,
                std::string_view name,
                std::int64_t maximum,
                std::uint32_t& out) {
  const std::optional<std::int64_t> count = table.find<std::int64_t>(name, "int");
  if (!count) return;
  if (*count >= 1 && *count <= maximum) {
    out = static_cast<std::uint32_t>(*count);
  } else {
    table.add(ProblemCode::kParamRange,
              name,
              base::format("{} is not within 1 and {}: {}", name, maximum, *count));
  }
}

EndpointPolicy read_policy(RegistryFile& file, TableReader& endpoint, const std::string& path) {
  EndpointPolicy policy;
  const TomlValue* raw = endpoint.find_raw("policy");
  if (raw == nullptr) return policy;
  const TomlMember member{.name = "policy", .place = raw->place, .value = *raw};
  TableReader table(file, member, path + ".policy");
  if (!table.is_table()) return policy;
  table.allow_only({"max_inflight", "connections", "connect_timeout", "request_timeout"});
  read_count(table, "max_inflight", 1'000'000, policy.max_inflight);
  read_count(table, "connections", 1'000, policy.connections);
  read_duration(table, "connect_timeout", policy.connect_timeout);
  read_duration(table, "request_timeout", policy.request_timeout);
  return policy;
}

/// Refuses the fields of the other kinds and requires those of its own.
void check_endpoint_fields(TableReader& table, EndpointKind kind) {
  const bool is_embedded = kind == EndpointKind::kEmbedded;
  for (const std::string_view name : {"host", "port"}) {
    if (!is_embedded) table.require(name);
    if (is_embedded && table.find_raw(name) != nullptr) {
      table.add(
          ProblemCode::kUnknownField, name, base::format("An embedded endpoint has no {}", name));
    }
  }
  if (is_embedded) table.require("data_file");
  if (!is_embedded && table.find_raw("data_file") != nullptr) {
    table.add(ProblemCode::kUnknownField, "data_file", "Only an embedded endpoint has a data_file");
  }
}

EndpointInfo read_endpoint(RegistryFile& file,
                           TableReader& table,
                           const std::string& name,
                           const std::string& path) {
  table.allow_only(
      {"kind", "host", "port", "data_file", "policy", "lifecycle", "doc", "replaced_by"});
  EndpointInfo endpoint{.name = name};
  table.require("kind");
  if (const auto kind = table.find_choice("kind", {"redis", "embedded", "http"})) {
    endpoint.kind = static_cast<EndpointKind>(*kind);
    check_endpoint_fields(table, endpoint.kind);
  }
  endpoint.host = table.find<std::string>("host", "string").value_or("");
  std::uint32_t port = 0;
  read_count(table, "port", UINT16_MAX, port);
  endpoint.port = static_cast<std::uint16_t>(port);
  endpoint.data_file = table.find<std::string>("data_file", "string").value_or("");
  endpoint.policy = read_policy(file, table, path);
  endpoint.lifecycle = read_lifecycle(table);
  endpoint.doc = table.find<std::string>("doc", "string").value_or("");
  endpoint.replaced_by = table.find<std::string>("replaced_by", "string").value_or("");
  return endpoint;
}

std::vector<EndpointInfo> read_section(RegistryFile& file, const TomlMember& section) {
  std::vector<EndpointInfo> endpoints;
  if (!TableReader(file, section, section.name).is_table()) return endpoints;
  for (const TomlMember& entry : *section.value.find<TomlValue::Table>()) {
    const std::string path = section.name + "." + entry.name;
    TableReader table(file, entry, path);
    check_name(file, entry, path);
    if (table.is_table()) endpoints.push_back(read_endpoint(file, table, entry.name, path));
  }
  check_replacements(file, section.name, endpoints);
  return endpoints;
}

/// A plan must compile in every environment or in none, so each names the same endpoints.
void check_same_names(RegistryFile& file,
                      const std::array<std::vector<EndpointInfo>, kEnvironmentCount>& sections) {
  std::vector<std::string_view> names;
  for (const auto& section : sections) {
    for (const EndpointInfo& endpoint : section) names.emplace_back(endpoint.name);
  }
  std::ranges::sort(names);
  const auto [first, last] = std::ranges::unique(names);
  names.erase(first, last);
  for (std::size_t i = 0; i < sections.size(); ++i) {
    for (const std::string_view name : names) {
      if (contains(sections[i], name, &EndpointInfo::name)) continue;
      const std::string_view section = to_string(static_cast<Environment>(i));
      file.add(ProblemCode::kMissingEndpoint,
               {},
               std::string(section),
               base::format("The environment {} lacks an endpoint: {}", section, name));
    }
  }
}

std::vector<EndpointInfo> read_endpoints(RegistryFile& file,
                                         std::string_view text,
                                         Environment environment) {
  const std::optional<TomlValue> root = file.read(text);
  if (!root) return {};
  std::array<std::vector<EndpointInfo>, kEnvironmentCount> sections;
  for (const TomlMember& section : *root->find<TomlValue::Table>()) {
    if (const std::optional<Environment> found = find_environment(section.name)) {
      sections[static_cast<std::size_t>(*found)] = read_section(file, section);
    } else {
      file.add(ProblemCode::kUnknownField,
               section.place,
               section.name,
               "Unknown environment: " + section.name,
               "one of dev, test, prod");
    }
  }
  check_same_names(file, sections);
  return std::move(sections[static_cast<std::size_t>(environment)]);
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
