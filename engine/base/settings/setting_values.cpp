#include "base/settings/setting_values.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/check.h"
#include "base/did_you_mean.h"
#include "base/format.h"
#include "base/formats/toml_reader.h"
#include "base/problems/message_text.h"
#include "base/text_place.h"

namespace millrace::base {

std::string_view to_string(SettingSource source) {
  switch (source) {
    case SettingSource::kDefault:
      return "default";
    case SettingSource::kFile:
      return "file";
    case SettingSource::kEnvironment:
      return "environment";
    case SettingSource::kFlag:
      return "flag";
  }
  return "default";
}

std::string_view to_string(SettingProblemCode code) {
  switch (code) {
    case SettingProblemCode::kBadToml:
      return "bad_toml";
    case SettingProblemCode::kUnknownSetting:
      return "unknown_setting";
    case SettingProblemCode::kBadSetting:
      return "bad_setting";
    case SettingProblemCode::kUnknownVariable:
      return "unknown_variable";
  }
  return "bad_setting";
}

/// One value as some input gives it, with its place for messages.
struct SettingValues::Given {
  std::size_t index = 0;
  std::string text;
  SettingSource source = SettingSource::kFlag;
  std::string origin = {};
  std::string file = {};
  TextPlace place{.line = 0, .column = 0};
};

namespace {

constexpr std::string_view kVariablePrefix = "RANKD_";

std::vector<std::string_view> names_of(std::span<const SettingSpec> table) {
  std::vector<std::string_view> names;
  for (const SettingSpec& spec : table) names.push_back(spec.name);
  return names;
}

/// The text of a value of the settings file, as the command line would have it.
std::string text_of(JsonValue value) {
  if (const auto text = value.find_string()) return std::string(*text);
  if (const auto flag = value.find_bool()) return *flag ? "true" : "false";
  if (const auto number = value.find_int()) return std::to_string(*number);
  if (const auto number = value.find_number()) return format("{}", *number);
  std::string list;
  for (const JsonValue item : value.children()) {
    if (!list.empty()) list += ',';
    list += text_of(item);
  }
  return list;
}

}  // namespace

SettingValues::SettingValues(std::span<const SettingSpec> table) : table_(table) {
  for (const SettingSpec& spec : table) {
    auto value = read_setting(spec, spec.initial);
    MR_CHECK(std::holds_alternative<SettingValue>(value), spec.name);
    entries_.push_back(
        {.value = std::get<SettingValue>(std::move(value)), .text = std::string(spec.initial)});
  }
}

SettingValues SettingValues::read(std::span<const SettingSpec> table,
                                  const SettingInputs& inputs,
                                  ProblemReport& report) {
  SettingValues values(table);
  values.read_file(inputs, report);
  values.read_environment(inputs, report);
  values.read_flags(inputs, report);
  return values;
}

void SettingValues::take(const Given& given, ProblemReport& report) {
  const SettingSpec& spec = table_[given.index];
  auto value = read_setting(spec, given.text);
  if (auto* const problem = std::get_if<SettingProblem>(&value)) {
    std::string message = std::move(problem->message);
    if (given.file.empty()) message += format(" ({})", given.origin);
    report.add({.code = SettingProblemCode::kBadSetting,
                .file = given.file,
                .line = given.place.line,
                .column = given.place.column,
                .message = std::move(message),
                .hint = std::move(problem->hint)});
    return;
  }
  entries_[given.index] = {.value = std::get<SettingValue>(std::move(value)),
                           .text = given.text,
                           .source = given.source,
                           .origin = given.origin};
}

void SettingValues::read_file(const SettingInputs& inputs, ProblemReport& report) {
  if (inputs.file_name.empty()) return;
  const std::string file(inputs.file_name);
  const auto document = read_toml(inputs.file_text);
  if (!document) {
    report.add({.code = SettingProblemCode::kBadToml,
                .file = file,
                .line = document.error().place.line,
                .column = document.error().place.column,
                .message = document.error().message});
    return;
  }
  const auto unknown = [&](JsonValue value, const std::string& name) {
    const TextPlace place = document->place(value.key_offset());
    report.add({.code = SettingProblemCode::kUnknownSetting,
                .file = file,
                .line = place.line,
                .column = place.column,
                .message = format("There is no setting '{}'", shortened(name)),
                .hint = suggestion(name, names_of(table_))});
  };
  for (const JsonValue section : document->root().children()) {
    if (!section.is(JsonKind::kObject)) {
      unknown(section, std::string(section.key()));
      continue;
    }
    for (const JsonValue member : section.children()) {
      const std::string name = format("{}.{}", section.key(), member.key());
      const std::size_t index = find_index(name);
      if (index == table_.size()) {
        unknown(member, name);
        continue;
      }
      const TextPlace place = document->place(member.key_offset());
      take({.index = index,
            .text = text_of(member),
            .source = SettingSource::kFile,
            .origin = format("{}:{}:{}", file, place.line, place.column),
            .file = file,
            .place = place},
           report);
    }
  }
}

void SettingValues::read_environment(const SettingInputs& inputs, ProblemReport& report) {
  std::vector<std::string> variables;
  for (const SettingSpec& spec : table_) variables.push_back(variable_of(spec));
  const std::vector<std::string_view> names(variables.begin(), variables.end());
  for (const auto& [name, value] : inputs.environment) {
    if (!name.starts_with(kVariablePrefix)) continue;
    const auto found = std::ranges::find(variables, name);
    if (found == variables.end()) {
      report.add(
          {.code = SettingProblemCode::kUnknownVariable,
           .severity = Severity::kWarning,
           .message = format("No setting has the variable {}; it is ignored", shortened(name)),
           .hint = suggestion(name, names)});
      continue;
    }
    take({.index = static_cast<std::size_t>(found - variables.begin()),
          .text = value,
          .source = SettingSource::kEnvironment,
          .origin = name},
         report);
  }
}

void SettingValues::read_flags(const SettingInputs& inputs, ProblemReport& report) {
  for (const auto& [name, value] : inputs.flags) {
    const std::size_t index = find_index(name);
    if (index == table_.size()) {
      report.add({.code = SettingProblemCode::kUnknownSetting,
                  .message = format("There is no setting '{}' (command line)", shortened(name)),
                  .hint = suggestion(name, names_of(table_))});
      continue;
    }
    if (table_[index].is_secret) {
      report.add(
          {.code = SettingProblemCode::kBadSetting,
           .message = format("'{}' is a secret, and other users see command lines", name),
           .hint = format("set the variable {} or use the file", variable_of(table_[index]))});
      continue;
    }
    take({.index = index, .text = value, .source = SettingSource::kFlag, .origin = "command line"},
         report);
  }
}

std::size_t SettingValues::find_index(std::string_view name) const {
  const auto found = std::ranges::find(table_, name, &SettingSpec::name);
  return static_cast<std::size_t>(found - table_.begin());
}

std::size_t SettingValues::index_of(std::string_view name) const {
  const std::size_t index = find_index(name);
  MR_CHECK(index < table_.size(), name);
  return index;
}

const std::string& SettingValues::text(std::string_view name) const {
  return std::get<std::string>(entries_[index_of(name)].value);
}

const std::vector<std::string>& SettingValues::list(std::string_view name) const {
  return std::get<std::vector<std::string>>(entries_[index_of(name)].value);
}

bool SettingValues::flag(std::string_view name) const {
  return std::get<bool>(entries_[index_of(name)].value);
}

std::int64_t SettingValues::integer(std::string_view name) const {
  return std::get<std::int64_t>(entries_[index_of(name)].value);
}

Duration SettingValues::duration(std::string_view name) const {
  return std::get<Duration>(entries_[index_of(name)].value);
}

SettingSource SettingValues::source(std::string_view name) const {
  return entries_[index_of(name)].source;
}

std::string SettingValues::shown(std::size_t index) const {
  if (!table_[index].is_secret) return entries_[index].text;
  return entries_[index].text.empty() ? "" : "***";
}

std::string SettingValues::to_text() const {
  std::string out;
  for (std::size_t index = 0; index < table_.size(); ++index) {
    const Entry& entry = entries_[index];
    out += format("{} = {}  # {}{}\n",
                  table_[index].name,
                  shown(index),
                  entry.source == SettingSource::kDefault ? "default" : entry.origin,
                  table_[index].is_hot ? ", changed by a reload" : "");
  }
  return out;
}

void SettingValues::write_json(JsonWriter& json) const {
  json.begin_array();
  for (std::size_t index = 0; index < table_.size(); ++index) {
    const Entry& entry = entries_[index];
    json.begin_object();
    json.member("name", table_[index].name);
    json.member("value", shown(index));
    json.member("source", to_string(entry.source));
    if (!entry.origin.empty()) json.member("origin", entry.origin);
    json.member("reload", table_[index].is_hot);
    json.end_object();
  }
  json.end_array();
}

std::string settings_reference(std::span<const SettingSpec> table) {
  std::string out =
      "| Setting | Type | Default | Reload? | Meaning |\n"
      "|---|---|---|---|---|\n";
  for (const SettingSpec& spec : table) {
    std::string type(to_string(spec.kind));
    if (spec.kind == SettingKind::kChoice) {
      type.clear();
      for (const std::string_view choice : spec.choices)
        type += format("{}`{}`", type.empty() ? "" : ", ", choice);
    }
    out += format("| `{}` | {} | {} | {} | {}{} |\n",
                  spec.name,
                  type,
                  spec.initial.empty() ? "–" : format("`{}`", spec.initial),
                  spec.is_hot ? "yes" : "no",
                  spec.help,
                  spec.flag.empty() ? "" : format("; `{}`", spec.flag));
  }
  return out;
}

}  // namespace millrace::base
