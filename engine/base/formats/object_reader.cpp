#include "base/formats/object_reader.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/did_you_mean.h"
#include "base/format.h"
#include "base/problems/message_text.h"

namespace millrace::base {

void ObjectReader::allow_only(std::span<const std::string_view> names) {
  for (const JsonValue member : object_.children()) {
    if (std::ranges::find(names, member.key()) != names.end()) continue;
    reporter_.add(reporter_.codes().unknown_field,
                  place_.key(member),
                  "Unknown field: " + shortened(member.key()),
                  [&] { return suggestion(member.key(), names); });
  }
}

std::optional<JsonValue> ObjectReader::require(std::string_view name, std::string_view about) {
  const std::optional<JsonValue> member = find(name);
  if (!member) {
    std::string message = format("Missing field: {}", name);
    if (!about.empty()) message += format(", {}", about);
    reporter_.add(reporter_.codes().missing_field, place_, std::move(message));
  }
  return member;
}

std::optional<JsonValue> ObjectReader::require_either(std::string_view name,
                                                      std::string_view other_name) {
  const std::optional<JsonValue> other = find(other_name);
  if (!other) return require(name);
  const std::optional<JsonValue> first = find(name);
  if (!first) return other;
  reporter_.add(reporter_.codes().duplicate_key,
                place_of(*other),
                format("'{}' and '{}' are two spellings of one field", name, other_name));
  return first;
}

std::optional<bool> ObjectReader::find_bool(std::string_view name) {
  const std::optional<JsonValue> member = find(name);
  if (!member) return std::nullopt;
  return values_.read_bool(*member, place_of(*member));
}

std::optional<std::int64_t> ObjectReader::find_int(std::string_view name,
                                                   const Range<std::int64_t>& range) {
  const std::optional<JsonValue> member = find(name);
  if (!member) return std::nullopt;
  return values_.read_int_within(*member, place_of(*member), name, range);
}

std::optional<double> ObjectReader::find_number(std::string_view name, const Range<double>& range) {
  const std::optional<JsonValue> member = find(name);
  if (!member) return std::nullopt;
  const ValuePlace place = place_of(*member);
  const std::optional<double> number = values_.read_number(*member, place);
  if (!number || !values_.is_within(*number, range, place, name)) return std::nullopt;
  return number;
}

std::optional<std::string_view> ObjectReader::find_string(std::string_view name,
                                                          std::size_t bytes_max) {
  const std::optional<JsonValue> member = find(name);
  if (!member) return std::nullopt;
  return values_.read_string(*member, place_of(*member), bytes_max);
}

std::optional<std::size_t> ObjectReader::find_choice(std::string_view name,
                                                     std::span<const std::string_view> words) {
  const std::optional<JsonValue> member = find(name);
  if (!member) return std::nullopt;
  return values_.read_choice(*member, place_of(*member), name, words);
}

std::optional<Duration> ObjectReader::find_duration(std::string_view name) {
  const std::optional<JsonValue> member = find(name);
  if (!member) return std::nullopt;
  return values_.read_duration(*member, place_of(*member));
}

std::optional<Duration> ObjectReader::find_milliseconds(std::string_view name) {
  const std::optional<JsonValue> member = find(name);
  if (!member) return std::nullopt;
  return values_.read_milliseconds(*member, place_of(*member));
}

std::optional<JsonValue> ObjectReader::find_array(std::string_view name) {
  const std::optional<JsonValue> member = find(name);
  if (!member || !values_.is_array(*member, place_of(*member))) return std::nullopt;
  return member;
}

std::optional<ObjectReader> ObjectReader::find_object(std::string_view name) {
  const std::optional<JsonValue> member = find(name);
  if (!member || !values_.is_object(*member, place_of(*member))) return std::nullopt;
  return ObjectReader(*member, place_of(*member), reporter_);
}

void ObjectReader::add(CodeName code,
                       std::string_view name,
                       std::string message,
                       std::string hint) {
  const std::optional<JsonValue> member = find(name);
  ValuePlace place = member ? place_of(*member) : place_;
  if (!member) place.absent_member = name;
  reporter_.add(code, place, std::move(message), std::move(hint));
}

}  // namespace millrace::base
