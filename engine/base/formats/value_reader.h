#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>

#include "base/clock.h"
#include "base/format.h"
#include "base/formats/document_reporter.h"
#include "base/formats/json_document.h"

namespace millrace::base {

/// Stands for a count that has no maximum of its own; the limits of the document still hold.
inline constexpr std::size_t kUnlimited = std::numeric_limits<std::size_t>::max();

/// Bounds of a number, both inclusive.
template <class Number>
struct Range {
  std::optional<Number> minimum = {};
  std::optional<Number> maximum = {};
};

/// Reads values of a document by type. What has another type or is out of bounds is added to the
/// report, and the method gives nothing. Messages name a value by `place`; where they need a word
/// for it, by `name`.
/// Threading: not shared. Lifetime: borrows the reporter.
class ValueReader {
 public:
  explicit ValueReader(DocumentReporter& reporter) : reporter_(reporter) {}

  [[nodiscard]] std::optional<bool> read_bool(JsonValue value, const ValuePlace& place);
  [[nodiscard]] std::optional<std::int64_t> read_int(JsonValue value, const ValuePlace& place);
  /// The same with bounds; one beyond int64 counts as out of range.
  [[nodiscard]] std::optional<std::int64_t> read_int_within(JsonValue value,
                                                            const ValuePlace& place,
                                                            std::string_view name,
                                                            const Range<std::int64_t>& range);
  /// Reads any number; an int beyond 2^53 is rounded.
  [[nodiscard]] std::optional<double> read_number(JsonValue value, const ValuePlace& place);
  /// Lifetime: the text borrows the document.
  [[nodiscard]] std::optional<std::string_view> read_string(JsonValue value,
                                                            const ValuePlace& place,
                                                            std::size_t bytes_max = kUnlimited);
  /// Reads one of `words` and gives its index among them.
  [[nodiscard]] std::optional<std::size_t> read_choice(JsonValue value,
                                                       const ValuePlace& place,
                                                       std::string_view name,
                                                       std::span<const std::string_view> words);
  /// Reads text such as `50ms`; see `parse_duration`.
  [[nodiscard]] std::optional<Duration> read_duration(JsonValue value, const ValuePlace& place);
  /// Reads a whole number of milliseconds from 1 to one hour.
  [[nodiscard]] std::optional<Duration> read_milliseconds(JsonValue value, const ValuePlace& place);

  [[nodiscard]] bool is_object(JsonValue value, const ValuePlace& place);
  /// `items` is what the message calls them, in the plural.
  [[nodiscard]] bool is_array(JsonValue value,
                              const ValuePlace& place,
                              std::size_t count_max = kUnlimited,
                              std::string_view items = "items");
  /// Says whether a number is within its bounds.
  template <class Number>
  [[nodiscard]] bool is_within(Number number,
                               const Range<Number>& range,
                               const ValuePlace& place,
                               std::string_view name) {
    const bool is_low = range.minimum && number < *range.minimum;
    const bool is_high = range.maximum && number > *range.maximum;
    if (!is_low && !is_high) return true;
    reporter_.add(reporter_.codes().out_of_range,
                  place,
                  is_low ? format("{} is below {}: {}", name, *range.minimum, number)
                         : format("{} is above {}: {}", name, *range.maximum, number));
    return false;
  }

  /// Adds `Expected …, found …`. Returns nothing, so that a caller can return it.
  std::nullopt_t wrong_type(std::string_view expected, JsonValue value, const ValuePlace& place);
  std::nullopt_t wrong_type(JsonKind expected, JsonValue value, const ValuePlace& place);
  /// Adds `Unknown NAME: TEXT` with the list of allowed words.
  std::nullopt_t unknown_word(std::string_view text,
                              const ValuePlace& place,
                              std::string_view name,
                              std::span<const std::string_view> words);
  void too_large(const ValuePlace& place, std::size_t count_max, std::string_view items);

 private:
  DocumentReporter& reporter_;
};

}  // namespace millrace::base
