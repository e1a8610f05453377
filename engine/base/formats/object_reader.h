#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/clock.h"
#include "base/formats/document_reporter.h"
#include "base/formats/json_document.h"
#include "base/formats/value_reader.h"

namespace millrace::base {

/// Reads the members of one object by name and type, strictly: a member of another type, one that
/// is missing and one that nobody reads are added to the report. Goes on after a problem, so that
/// one report holds them all. A `find_` method gives nothing for a member that is absent, and after
/// a problem.
/// Threading: not shared. Lifetime: borrows the document and the reporter.
class ObjectReader {
 public:
  ObjectReader(JsonValue object, ValuePlace place, DocumentReporter& reporter)
      : object_(object), place_(std::move(place)), reporter_(reporter), values_(reporter) {}

  /// Reports a value that is no object; every other method then finds nothing.
  [[nodiscard]] bool is_object() { return values_.is_object(object_, place_); }
  /// Reports every member that is not in `names`, with the name that was probably meant.
  void allow_only(std::span<const std::string_view> names);
  void allow_only(std::initializer_list<std::string_view> names) {
    allow_only(std::span(names.begin(), names.size()));
  }

  [[nodiscard]] bool has(std::string_view name) const { return find(name).has_value(); }
  [[nodiscard]] std::optional<JsonValue> find(std::string_view name) const {
    return object_.find_member(name);
  }
  /// Finds a member that must be there. `about` says in the message what it is.
  std::optional<JsonValue> require(std::string_view name, std::string_view about = {});
  /// Finds a required member that has two names; both at once is a problem.
  [[nodiscard]] std::optional<JsonValue> require_either(std::string_view name,
                                                        std::string_view other_name);
  [[nodiscard]] std::optional<bool> find_bool(std::string_view name);
  [[nodiscard]] std::optional<std::int64_t> find_int(std::string_view name,
                                                     const Range<std::int64_t>& range = {});
  [[nodiscard]] std::optional<double> find_number(std::string_view name,
                                                  const Range<double>& range = {});
  /// Lifetime: the text borrows the document.
  [[nodiscard]] std::optional<std::string_view> find_string(std::string_view name,
                                                            std::size_t bytes_max = kUnlimited);
  /// Finds a member that is one of `words`, and gives its index among them.
  [[nodiscard]] std::optional<std::size_t> find_choice(
      std::string_view name, std::initializer_list<std::string_view> words) {
    return find_choice(name, std::span(words.begin(), words.size()));
  }
  [[nodiscard]] std::optional<std::size_t> find_choice(std::string_view name,
                                                       std::span<const std::string_view> words);
  /// Finds text such as `50ms`; see `parse_duration`.
  [[nodiscard]] std::optional<Duration> find_duration(std::string_view name);
  /// Finds a whole number of milliseconds from 1 to one hour.
  [[nodiscard]] std::optional<Duration> find_milliseconds(std::string_view name);
  [[nodiscard]] std::optional<JsonValue> find_array(std::string_view name);
  [[nodiscard]] std::optional<ObjectReader> find_object(std::string_view name);

  /// Adds a problem of the caller's own about a member; places it at the object when the member is
  /// absent.
  void add(CodeName code, std::string_view name, std::string message, std::string hint = {});

  [[nodiscard]] JsonValue value() const { return object_; }
  [[nodiscard]] const ValuePlace& place() const { return place_; }
  [[nodiscard]] ValuePlace place_of(JsonValue member) const { return place_.child(member); }

 private:
  JsonValue object_;
  ValuePlace place_;
  DocumentReporter& reporter_;
  ValueReader values_;
};

}  // namespace millrace::base
