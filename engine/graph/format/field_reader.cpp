#include "graph/format/field_reader.h"

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

#include "base/format.h"
#include "base/formats/document_reporter.h"
#include "base/formats/json_document.h"
#include "base/formats/object_reader.h"
#include "base/formats/value_reader.h"
#include "base/problems/message_text.h"
#include "graph/format/diagnostic.h"
#include "graph/format/duration_text.h"
#include "graph/format/field_visitor.h"
#include "graph/format/limits.h"
#include "graph/format/reporter.h"

namespace millrace::graph {
namespace {

using base::JsonKind;
using base::JsonValue;

bool is_id_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || c == '.' || c == '/' || c == ':';
}

base::Range<std::int64_t> range_of(const FieldRule& rule) {
  return {.minimum = rule.min, .maximum = rule.max};
}

}  // namespace

FieldReader::FieldReader(JsonValue object, const GraphLimits& limits, Reporter& reporter)
    : object_(object, base::ValuePlace{}.child(object), reporter.problems()),
      values_(reporter.problems()),
      limits_(limits),
      reporter_(reporter),
      unread_before_(reporter.problems().unread_count()) {}

void FieldReader::finish() {
  const std::vector<std::string_view> names(known_.begin(), known_.end());
  object_.allow_only(names);
  const bool is_unread = reporter_.problems().unread_count() != unread_before_;
  if (readable_ != nullptr && is_unread) *readable_ = false;
}

void FieldReader::expect(std::string_view name, const FieldRule& rule) {
  known_.emplace_back(name);
  if (rule.required) object_.require(name, rule.about);
}

void FieldReader::text(std::string_view name, std::string& value, const FieldRule& rule) {
  expect(name, rule);
  if (const auto given = object_.find_string(name)) value = *given;
}

void FieldReader::id(std::string_view name, std::string& value, const FieldRule& rule) {
  expect(name, rule);
  const auto given = object_.find_string(name);
  if (given && check_id(*object_.find(name), *given, false)) value = *given;
}

bool FieldReader::check_id(JsonValue place, std::string_view id, bool is_key) {
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

void FieldReader::flag(std::string_view name, bool& value, const FieldRule& rule) {
  expect(name, rule);
  if (const auto given = object_.find_bool(name)) value = *given;
}

void FieldReader::integer(std::string_view name, std::int64_t& value, const FieldRule& rule) {
  expect(name, rule);
  if (const auto given = object_.find_int(name, range_of(rule))) value = *given;
}

void FieldReader::number(std::string_view name, double& value, const FieldRule& rule) {
  expect(name, rule);
  const auto given = object_.find_number(name, {.minimum = static_cast<double>(rule.min)});
  if (given) value = *given;
}

void FieldReader::duration(std::string_view name, Duration& value, const FieldRule& rule) {
  const std::string in_milliseconds = std::string(name) + "_ms";
  const auto count = object_.find(in_milliseconds);
  FieldRule either = rule;
  either.required = rule.required && !count;
  expect(name, either);
  known_.push_back(in_milliseconds);
  const auto given = object_.find(name);
  if (given && count) {
    return reporter_.at_key(DiagnosticCode::kDurationGivenTwice,
                            given->index() < count->index() ? *count : *given,
                            base::format("Both '{}' and '{}' are given", name, in_milliseconds));
  }
  if (count) {
    constexpr auto kMax = std::chrono::floor<std::chrono::milliseconds>(kDurationMax);
    const auto number = object_.find_int(in_milliseconds, {.minimum = 0, .maximum = kMax.count()});
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
                     "Not a duration: " + base::shortened(*text),
                     "write a number with one of the units ns, us, ms, s, m, as 20ms");
}

void FieldReader::texts(std::string_view name,
                        std::vector<std::string>& values,
                        const FieldRule& rule) {
  expect(name, rule);
  const auto given = object_.find_array(name);
  if (!given) return;
  for (const JsonValue item : given->children()) {
    if (const auto text = values_.read_string(item, object_.place_of(item))) {
      values.emplace_back(*text);
    }
  }
}

void FieldReader::integers(std::string_view name,
                           std::vector<std::int64_t>& values,
                           const FieldRule& rule) {
  expect(name, rule);
  const auto given = object_.find_array(name);
  if (!given) return;
  for (const JsonValue item : given->children()) {
    const auto number = values_.read_int_within(item, object_.place_of(item), name, range_of(rule));
    if (number) values.push_back(*number);
  }
}

void FieldReader::config(std::string_view name,
                         std::optional<JsonValue>& value,
                         const FieldRule& rule) {
  expect(name, rule);
  const auto given = object_.find_object(name);
  if (!given) return;
  if (nesting_depth(given->value()) > limits_.config_depth_max) {
    return reporter_.at_value(DiagnosticCode::kTooLarge,
                              given->value(),
                              base::format("Nested deeper than {} levels (--max-config-depth)",
                                           limits_.config_depth_max));
  }
  value = given->value();
}

void FieldReader::array(std::string_view name,
                        std::optional<JsonValue>& value,
                        const FieldRule& rule) {
  expect(name, rule);
  if (const auto given = object_.find_array(name)) value = given;
}

void FieldReader::read_nested(JsonValue value, const Members& members) {
  if (!values_.is_object(value, object_.place_of(value))) return;
  FieldReader nested(value, limits_, reporter_);
  members(nested);
  nested.finish();
}

void FieldReader::object(std::string_view name, const Members& members, const FieldRule& rule) {
  expect(name, rule);
  if (const auto given = object_.find(name)) read_nested(*given, members);
}

bool FieldReader::check_count(JsonValue value) {
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

void FieldReader::list(std::string_view name, const Members& members, const FieldRule& rule) {
  expect(name, rule);
  const auto given = object_.find_array(name);
  if (!given || !check_count(*given)) return;
  for (const JsonValue item : given->children()) read_nested(item, members);
}

void FieldReader::map(std::string_view name, const NamedMembers& members, const FieldRule& rule) {
  expect(name, rule);
  const auto given = object_.find_object(name);
  if (!given || !check_count(given->value())) return;
  for (const JsonValue member : given->value().children()) {
    if (!check_id(member, member.key(), true)) continue;
    read_nested(member, [&](FieldVisitor& visitor) { members(visitor, member.key()); });
  }
}

void FieldReader::word_or_object(std::string_view name,
                                 std::uint8_t& value,
                                 std::span<const std::string_view> words,
                                 const Members& members,
                                 const FieldRule& rule) {
  const auto given = object_.find(name);
  if (!given || !given->is(JsonKind::kObject)) {
    return word(name, value, words.first(words.size() - 1), rule);
  }
  expect(name, rule);
  FieldReader outer(*given, limits_, reporter_);
  outer.object(words.back(), members, {.about = rule.about, .required = true});
  outer.finish();
  value = static_cast<std::uint8_t>(words.size() - 1);
}

void FieldReader::word(std::string_view name,
                       std::uint8_t& value,
                       std::span<const std::string_view> words,
                       const FieldRule& rule) {
  expect(name, rule);
  if (const auto index = object_.find_choice(name, words)) {
    value = static_cast<std::uint8_t>(*index);
  }
}

std::size_t nesting_depth(JsonValue value) {
  if (!value.is(JsonKind::kObject) && !value.is(JsonKind::kArray)) return 0;
  std::size_t depth = 0;
  for (const JsonValue child : value.children()) depth = std::max(depth, nesting_depth(child));
  return depth + 1;
}

}  // namespace millrace::graph
