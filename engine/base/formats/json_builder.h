#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/formats/json_document.h"

namespace millrace::base {

/// Fills a JsonDocument value by value, in the order of the text. Every value says at which byte of
/// that text it begins, so that what was read in another format, or put together from several parts
/// of a document, still knows its place.
///
/// Between `begin_object` and `end`, each value is preceded by `key`. Names are not compared:
/// `find_repeated_key` does that for one object.
/// Threading: not shared. Lifetime: borrows the document.
class JsonBuilder {
 public:
  /// Empties `document`; `text` is what the offsets count in.
  JsonBuilder(JsonDocument& document, std::string_view text);

  /// Names the value that comes next.
  void key(std::string_view name, std::uint32_t offset);
  void null(std::uint32_t offset) { add(JsonKind::kNull, offset); }
  void boolean(bool flag, std::uint32_t offset);
  void integer(std::int64_t number, std::uint32_t offset);
  void natural(std::uint64_t number, std::uint32_t offset);
  void number(double number, std::uint32_t offset);
  void string(std::string_view text, std::uint32_t offset);
  void begin_object(std::uint32_t offset) { open(JsonKind::kObject, offset); }
  void begin_array(std::uint32_t offset) { open(JsonKind::kArray, offset); }
  /// Ends the innermost object or array and gives it.
  JsonValue end();
  /// Repeats a value that this document holds already, with all below it; no strings are copied.
  /// The copy itself begins at `offset`, what is below keeps its places.
  void repeat(JsonValue value, std::uint32_t offset);
  /// Copies a scalar of any document, with its place.
  void copy_scalar(JsonValue value);

  /// The value of that index, which must be there.
  [[nodiscard]] JsonValue value_at(std::uint32_t index) const { return {&document_, index}; }
  /// How many values the document has so far.
  [[nodiscard]] std::uint32_t value_count() const;
  /// How many objects and arrays are open.
  [[nodiscard]] std::uint32_t depth() const { return static_cast<std::uint32_t>(open_.size()); }

 private:
  JsonDocument::Node& add(JsonKind kind, std::uint32_t offset);
  void open(JsonKind kind, std::uint32_t offset);
  JsonDocument::Slice keep(std::string_view text);

  JsonDocument& document_;
  std::vector<std::uint32_t> open_;
  JsonDocument::Slice key_{};
  std::uint32_t key_offset_ = 0;
  bool has_key_ = false;
};

/// Gives the first member of an object whose name another member before it has.
[[nodiscard]] std::optional<JsonValue> find_repeated_key(JsonValue object);

}  // namespace millrace::base
