#include "graph/format/object_reader.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/did_you_mean.h"
#include "base/format.h"
#include "base/formats/json_document.h"
#include "graph/format/diagnostic.h"
#include "graph/format/duration_text.h"
#include "graph/format/field_visitor.h"
#include "graph/format/limits.h"
#include "graph/format/reporter.h"

namespace millrace::graph {
namespace {

using base::JsonKind;
using base::JsonValue;

constexpr std::size_t kQuotedMax = 60;

bool is_id_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || c == '.' || c == '/' || c == ':';
}

std::string join(std::span<const std::string_view> words) {
  std::string text;
  for (const std::string_view word : words) {
    if (!text.empty()) text += ", ";
    text += word;
  }
  return text;
}

std::string fix_for(std::string_view given, std::span<const std::string_view> known) {
  const auto nearest = base::find_nearest(given, known);
  return nearest ? base::format("write '{}'", *nearest) : std::string();
}

}  // namespace

ObjectReader::ObjectReader(JsonValue object, const GraphLimits& limits, Reporter& reporter)
    : object_(object),
      limits_(limits),
      reporter_(reporter),
      unread_before_(reporter.unread_count()) {}

void ObjectReader::finish() {
  std::vector<std::string> in_milliseconds;
  std::vector<std::string_view> names;
  for (const Known& known : known_) {
    if (known.is_duration) in_milliseconds.push_back(std::string(known.name) + "_ms");
    names.push_back(known.name);
  }
  names.insert(names.end(), in_milliseconds.begin(), in_milliseconds.end());
  for (const JsonValue member : object_.children()) {
    if (std::ranges::find(names, member.key()) != names.end()) continue;
    reporter_.at_key(DiagnosticCode::kUnknownField,
                     member,
                     base::format("Unknown field '{}'", member.key().substr(0, kQuotedMax)),
                     fix_for(member.key(), names));
  }
  if (readable_ != nullptr && reporter_.unread_count() != unread_before_) *readable_ = false;
}

std::optional<JsonValue> ObjectReader::take_any(std::string_view name, const FieldRule& rule) {
  known_.push_back({.name = name, .is_duration = false});
  const auto value = object_.find_member(name);
  if (!value && rule.required) {
    reporter_.at_value(DiagnosticCode::kMissingField,
                       object_,
                       base::format("Field '{}' is missing: {}", name, rule.about));
  }
  return value;
}

std::optional<JsonValue> ObjectReader::take(std::string_view name,
                                            JsonKind kind,
                                            const FieldRule& rule) {
  const auto value = take_any(name, rule);
  if (!value || value->is(kind)) return value;
  wrong_type(*value, to_string(kind));
  return std::nullopt;
}

void ObjectReader::wrong_type(JsonValue value, std::string_view expected) {
  reporter_.at_value(
      DiagnosticCode::kWrongType,
      value,
      base::format("Expected {}, found {}", expected, base::to_string(value.kind())));
}

void ObjectReader::text(std::string_view name, std::string& value, const FieldRule& rule) {
  if (const auto given = take(name, JsonKind::kString, rule)) value = *given->find_string();
}

void ObjectReader::id(std::string_view name, std::string& value, const FieldRule& rule) {
  const auto given = take(name, JsonKind::kString, rule);
  if (given && check_id(*given, *given->find_string(), false)) value = *given->find_string();
}

bool ObjectReader::check_id(JsonValue place, std::string_view id, bool is_key) {
  const auto report = [&](DiagnosticCode code, std::string message) {
    if (is_key) {
      reporter_.at_key(code, place, std::move(message));
    } else {
      reporter_.at_value(code, place, std::move(message));
    }
    return false;
  };
  if (id.size() > limits_.id_bytes_max) {
    return report(DiagnosticCode::kTooLarge,
                  base::format("Id longer than {} bytes (--max-id-bytes)", limits_.id_bytes_max));
  }
  if (id.empty() || !std::ranges::all_of(id, is_id_character)) {
    return report(DiagnosticCode::kBadValue,
                  "An id consists of letters, digits and the characters _ - . / :");
  }
  return true;
}

void ObjectReader::flag(std::string_view name, bool& value, const FieldRule& rule) {
  if (const auto given = take(name, JsonKind::kBool, rule)) value = *given->find_bool();
}

std::optional<std::int64_t> ObjectReader::checked_integer(JsonValue value, const FieldRule& rule) {
  if (!value.is(JsonKind::kInt) && !value.is(JsonKind::kUnsigned)) {
    wrong_type(value, "int");
    return std::nullopt;
  }
  const auto number = value.find_int();
  if (number && *number >= rule.min && *number <= rule.max) return number;
  reporter_.at_value(DiagnosticCode::kBadValue,
                     value,
                     base::format("The value must lie between {} and {}", rule.min, rule.max));
  return std::nullopt;
}

void ObjectReader::integer(std::string_view name, std::int64_t& value, const FieldRule& rule) {
  const auto given = take_any(name, rule);
  if (!given) return;
  if (const auto number = checked_integer(*given, rule)) value = *number;
}

void ObjectReader::number(std::string_view name, double& value, const FieldRule& rule) {
  const auto given = take_any(name, rule);
  if (!given) return;
  const auto number = given->find_number();
  if (!number) return wrong_type(*given, "number");
  if (*number < static_cast<double>(rule.min)) {
    return reporter_.at_value(
        DiagnosticCode::kBadValue, *given, base::format("The value must be at least {}", rule.min));
  }
  value = *number;
}

void ObjectReader::duration(std::string_view name, Duration& value, const FieldRule& rule) {
  const std::string in_milliseconds = std::string(name) + "_ms";
  const auto count = object_.find_member(in_milliseconds);
  FieldRule not_twice = rule;
  not_twice.required = rule.required && !count;
  const auto given = take_any(name, not_twice);
  known_.back().is_duration = true;
  if (given && count) {
    return reporter_.at_key(DiagnosticCode::kDurationGivenTwice,
                            given->index() < count->index() ? *count : *given,
                            base::format("Both '{}' and '{}' are given", name, in_milliseconds));
  }
  if (count) {
    constexpr std::int64_t kMillisecondsMax = 9'000'000'000'000;
    const auto number = checked_integer(*count, {.about = rule.about, .max = kMillisecondsMax});
    if (number) value = std::chrono::milliseconds(*number);
    return;
  }
  if (!given) return;
  const auto text = given->find_string();
  if (!text) {
    return reporter_.at_value(
        DiagnosticCode::kWrongType,
        *given,
        base::format("Expected a duration with a unit, found {}", base::to_string(given->kind())),
        base::format("write '{}: 20ms' or '{}: 20'", name, in_milliseconds));
  }
  if (const auto read = find_duration(*text)) {
    value = *read;
    return;
  }
  reporter_.at_value(DiagnosticCode::kBadValue,
                     *given,
                     base::format("Not a duration: '{}'", text->substr(0, kQuotedMax)),
                     "write a number with one of the units ns, us, ms, s, m, as 20ms");
}

void ObjectReader::texts(std::string_view name,
                         std::vector<std::string>& values,
                         const FieldRule& rule) {
  const auto given = take(name, JsonKind::kArray, rule);
  if (!given) return;
  for (const JsonValue item : given->children()) {
    if (const auto text = item.find_string()) {
      values.emplace_back(*text);
    } else {
      wrong_type(item, "string");
    }
  }
}

void ObjectReader::integers(std::string_view name,
                            std::vector<std::int64_t>& values,
                            const FieldRule& rule) {
  const auto given = take(name, JsonKind::kArray, rule);
  if (!given) return;
  for (const JsonValue item : given->children()) {
    if (const auto number = checked_integer(item, rule)) values.push_back(*number);
  }
}

void ObjectReader::config(std::string_view name,
                          std::optional<JsonValue>& value,
                          const FieldRule& rule) {
  const auto given = take(name, JsonKind::kObject, rule);
  if (!given) return;
  if (nesting_depth(*given) > limits_.config_depth_max) {
    return reporter_.at_value(DiagnosticCode::kTooLarge,
                              *given,
                              base::format("Nested deeper than {} levels (--max-config-depth)",
                                           limits_.config_depth_max));
  }
  value = given;
}

void ObjectReader::array(std::string_view name,
                         std::optional<JsonValue>& value,
                         const FieldRule& rule) {
  if (const auto given = take(name, JsonKind::kArray, rule)) value = given;
}

void ObjectReader::read_nested(JsonValue value, const Members& members) {
  if (!value.is(JsonKind::kObject)) return wrong_type(value, "object");
  ObjectReader nested(value, limits_, reporter_);
  members(nested);
  nested.finish();
}

void ObjectReader::object(std::string_view name, const Members& members, const FieldRule& rule) {
  if (const auto given = take_any(name, rule)) read_nested(*given, members);
}

bool ObjectReader::check_count(JsonValue value) {
  struct CountLimit {
    std::string_view name;
    std::size_t max;
    std::string_view flag;
  };
  const CountLimit limits[] = {{"lanes", limits_.lanes_max, "--max-lanes"},
                               {"components", limits_.components_max, "--max-components"},
                               {"edges", limits_.edges_max, "--max-edges"},
                               {"composite_loops", limits_.loops_max, "--max-loops"}};
  const auto limit = std::ranges::find(limits, value.key(), &CountLimit::name);
  if (limit == std::end(limits) || value.size() <= limit->max) return true;
  reporter_.at_value(
      DiagnosticCode::kTooLarge,
      value,
      base::format("{} {}, at most {} ({})", value.size(), limit->name, limit->max, limit->flag));
  return false;
}

void ObjectReader::list(std::string_view name, const Members& members, const FieldRule& rule) {
  const auto given = take(name, JsonKind::kArray, rule);
  if (!given || !check_count(*given)) return;
  for (const JsonValue item : given->children()) read_nested(item, members);
}

void ObjectReader::map(std::string_view name, const NamedMembers& members, const FieldRule& rule) {
  const auto given = take(name, JsonKind::kObject, rule);
  if (!given || !check_count(*given)) return;
  for (const JsonValue member : given->children()) {
    if (!check_id(member, member.key(), true)) continue;
    read_nested(member, [&](FieldVisitor& visitor) { members(visitor, member.key()); });
  }
}

void ObjectReader::read_word(JsonValue value,
                             std::uint8_t& out,
                             std::span<const std::string_view> words) {
  const auto text = value.find_string();
  if (!text) return wrong_type(value, "string");
  const auto found = std::ranges::find(words, *text);
  if (found != words.end()) {
    out = static_cast<std::uint8_t>(found - words.begin());
    return;
  }
  reporter_.at_value(
      DiagnosticCode::kBadValue,
      value,
      base::format("Unknown value '{}'; one of {}", text->substr(0, kQuotedMax), join(words)),
      fix_for(*text, words));
}

void ObjectReader::word_or_object(std::string_view name,
                                  std::uint8_t& value,
                                  std::span<const std::string_view> words,
                                  const Members& members,
                                  const FieldRule& rule) {
  const auto given = take_any(name, rule);
  if (!given) return;
  if (!given->is(JsonKind::kObject)) return read_word(*given, value, words.first(words.size() - 1));
  ObjectReader outer(*given, limits_, reporter_);
  outer.object(words.back(), members, {.about = rule.about, .required = true});
  outer.finish();
  value = static_cast<std::uint8_t>(words.size() - 1);
}

void ObjectReader::word(std::string_view name,
                        std::uint8_t& value,
                        std::span<const std::string_view> words,
                        const FieldRule& rule) {
  if (const auto given = take_any(name, rule)) read_word(*given, value, words);
}

std::size_t nesting_depth(JsonValue value) {
  if (!value.is(JsonKind::kObject) && !value.is(JsonKind::kArray)) return 0;
  std::size_t depth = 0;
  for (const JsonValue child : value.children()) depth = std::max(depth, nesting_depth(child));
  return depth + 1;
}

}  // namespace millrace::graph
