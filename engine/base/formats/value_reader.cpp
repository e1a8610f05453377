#include "base/formats/value_reader.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/format.h"
#include "base/formats/duration_text.h"
#include "base/problems/message_text.h"

namespace millrace::base {

std::optional<bool> ValueReader::read_bool(JsonValue value, const ValuePlace& place) {
  const std::optional<bool> flag = value.find_bool();
  if (!flag) return wrong_type(JsonKind::kBool, value, place);
  return flag;
}

std::optional<std::int64_t> ValueReader::read_int(JsonValue value, const ValuePlace& place) {
  const std::optional<std::int64_t> number = value.find_int();
  if (!number) return wrong_type(JsonKind::kInt, value, place);
  return number;
}

std::optional<std::int64_t> ValueReader::read_int_within(JsonValue value,
                                                         const ValuePlace& place,
                                                         std::string_view name,
                                                         const Range<std::int64_t>& range) {
  if (value.is(JsonKind::kUnsigned)) {
    const std::int64_t maximum = range.maximum.value_or(std::numeric_limits<std::int64_t>::max());
    reporter_.add(reporter_.codes().out_of_range,
                  place,
                  format("{} is above {}: {}", name, maximum, *value.find_unsigned()));
    return std::nullopt;
  }
  const std::optional<std::int64_t> number = read_int(value, place);
  if (!number || !is_within(*number, range, place, name)) return std::nullopt;
  return number;
}

std::optional<double> ValueReader::read_number(JsonValue value, const ValuePlace& place) {
  const std::optional<double> number = value.find_number();
  if (!number) return wrong_type("number", value, place);
  return number;
}

std::optional<std::string_view> ValueReader::read_string(JsonValue value,
                                                         const ValuePlace& place,
                                                         std::size_t bytes_max) {
  const std::optional<std::string_view> text = value.find_string();
  if (!text) return wrong_type(JsonKind::kString, value, place);
  if (text->size() <= bytes_max) return text;
  too_large(place, bytes_max, "bytes");
  return std::nullopt;
}

std::optional<std::size_t> ValueReader::read_choice(JsonValue value,
                                                    const ValuePlace& place,
                                                    std::string_view name,
                                                    std::span<const std::string_view> words) {
  const std::optional<std::string_view> text = read_string(value, place);
  if (!text) return std::nullopt;
  const auto found = std::ranges::find(words, *text);
  if (found == words.end()) return unknown_word(*text, place, name, words);
  return static_cast<std::size_t>(found - words.begin());
}

std::optional<Duration> ValueReader::read_duration(JsonValue value, const ValuePlace& place) {
  const std::optional<std::string_view> text = read_string(value, place);
  if (!text) return std::nullopt;
  const std::optional<Duration> duration = parse_duration(*text);
  if (!duration) {
    reporter_.add(reporter_.codes().bad_duration,
                  place,
                  "Not a duration: " + shortened(*text),
                  std::string(kDurationHint));
  }
  return duration;
}

std::optional<Duration> ValueReader::read_milliseconds(JsonValue value, const ValuePlace& place) {
  using std::chrono::milliseconds;
  if (!value.find_number()) return wrong_type(JsonKind::kInt, value, place);
  const std::optional<std::int64_t> count = value.find_int();
  if (count && *count >= 1 && *count <= std::chrono::hours(1) / milliseconds(1)) {
    return milliseconds(*count);
  }
  reporter_.add(reporter_.codes().bad_duration,
                place,
                "Not a duration",
                "a whole number of milliseconds from 1 to one hour");
  return std::nullopt;
}

bool ValueReader::is_object(JsonValue value, const ValuePlace& place) {
  if (value.is(JsonKind::kObject)) return true;
  wrong_type(JsonKind::kObject, value, place);
  return false;
}

bool ValueReader::is_array(JsonValue value,
                           const ValuePlace& place,
                           std::size_t count_max,
                           std::string_view items) {
  if (!value.is(JsonKind::kArray)) {
    wrong_type(JsonKind::kArray, value, place);
    return false;
  }
  if (value.size() <= count_max) return true;
  too_large(place, count_max, items);
  return false;
}

std::nullopt_t ValueReader::wrong_type(std::string_view expected,
                                       JsonValue value,
                                       const ValuePlace& place) {
  const std::string_view found = to_string(value.kind(), reporter_.document().syntax());
  reporter_.add(
      reporter_.codes().wrong_type, place, format("Expected {}, found {}", expected, found));
  return std::nullopt;
}

std::nullopt_t ValueReader::wrong_type(JsonKind expected,
                                       JsonValue value,
                                       const ValuePlace& place) {
  return wrong_type(to_string(expected, reporter_.document().syntax()), value, place);
}

std::nullopt_t ValueReader::unknown_word(std::string_view text,
                                         const ValuePlace& place,
                                         std::string_view name,
                                         std::span<const std::string_view> words) {
  reporter_.add(reporter_.codes().bad_value,
                place,
                format("Unknown {}: {}", name, shortened(text)),
                one_of(words));
  return std::nullopt;
}

void ValueReader::too_large(const ValuePlace& place,
                            std::size_t count_max,
                            std::string_view items) {
  reporter_.add(reporter_.codes().too_large, place, format("More than {} {}", count_max, items));
}

}  // namespace millrace::base
