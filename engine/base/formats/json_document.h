#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text_place.h"

// A document as two arrays: nodes in the order of the text, each knowing where its subtree ends,
// and all strings one after the other. Reading one again reuses both. TOML files are read into the
// same form, so that whoever reads objects needs to know one kind of document only.

namespace millrace::base {

enum class JsonKind : std::uint8_t {
  kNull,  ///< in TOML, which has no null: a date or time, which no setting of ours uses
  kBool,
  kInt,       ///< fits int64, written without fraction and exponent
  kUnsigned,  ///< the same, above int64 but within uint64
  kFloat,     ///< any other number
  kString,
  kArray,
  kObject,
};

/// The language that the text of a document is written in.
enum class DocumentSyntax : std::uint8_t { kJson, kToml };

/// Gives the name people see: `null`, `bool`, `int`, `number`, `string`, `array`, `object`; in TOML
/// `date`, `float` and `table` instead of `null`, `number` and `object`.
[[nodiscard]] std::string_view to_string(JsonKind kind,
                                         DocumentSyntax syntax = DocumentSyntax::kJson);

class JsonDocument;

/// One value of a document.
/// Lifetime: borrows its document, and so does the text it gives.
class JsonValue {
 public:
  /// Walks the items of an array or the members of an object; empty for anything else.
  class Iterator;
  struct Range;

  JsonValue(const JsonDocument* document, std::uint32_t index)
      : document_(document), index_(index) {}

  [[nodiscard]] JsonKind kind() const;
  [[nodiscard]] bool is(JsonKind kind) const { return this->kind() == kind; }
  /// Number of values that stand before this one in the document.
  [[nodiscard]] std::uint32_t index() const { return index_; }
  /// Index after the last value below this one.
  [[nodiscard]] std::uint32_t end_index() const;
  /// Number of items or members; 0 for a scalar.
  [[nodiscard]] std::uint32_t size() const;
  /// Name of this member, when it is one of an object.
  [[nodiscard]] std::string_view key() const;
  /// Byte at which the member's name, or else the value, begins.
  [[nodiscard]] std::uint32_t key_offset() const;
  [[nodiscard]] std::uint32_t offset() const;

  [[nodiscard]] std::optional<bool> find_bool() const;
  [[nodiscard]] std::optional<std::int64_t> find_int() const;
  [[nodiscard]] std::optional<std::uint64_t> find_unsigned() const;
  /// Any number; integers beyond 2^53 are rounded.
  [[nodiscard]] std::optional<double> find_number() const;
  [[nodiscard]] std::optional<std::string_view> find_string() const;
  [[nodiscard]] std::optional<JsonValue> find_member(std::string_view name) const;
  [[nodiscard]] Range children() const;

 private:
  const JsonDocument* document_;
  std::uint32_t index_;
};

/// Threading: any thread once read; not while a reader writes it.
class JsonDocument {
 public:
  /// Must not be called on a document that was never read.
  [[nodiscard]] JsonValue root() const { return {this, 0}; }
  [[nodiscard]] TextPlace place(std::size_t offset) const { return locate(text_, offset); }
  [[nodiscard]] std::string_view text() const { return text_; }
  [[nodiscard]] DocumentSyntax syntax() const { return syntax_; }

 private:
  friend class JsonValue;
  friend class JsonValueBuilder;
  friend class JsonReader;
  friend class JsonBuilder;
  friend class TomlConverter;

  struct Slice {
    std::uint32_t offset = 0;
    std::uint32_t size = 0;
  };
  union Payload {
    std::int64_t integer;
    std::uint64_t natural;
    double number;
    Slice text;
    std::uint32_t child_count;
    bool flag;
  };
  struct Node {
    JsonKind kind = JsonKind::kNull;
    std::uint32_t offset = 0;
    std::uint32_t key_offset = 0;
    std::uint32_t end = 0;  // index after the last node of the subtree
    Slice key{};
    Payload payload{};
  };
  [[nodiscard]] std::string_view slice(Slice part) const {
    return std::string_view(strings_).substr(part.offset, part.size);
  }

  std::string text_;
  std::string strings_;
  std::vector<Node> nodes_;
  DocumentSyntax syntax_ = DocumentSyntax::kJson;
};

class JsonValue::Iterator {
 public:
  using value_type = JsonValue;
  using difference_type = std::ptrdiff_t;
  Iterator() = default;
  Iterator(const JsonDocument* document, std::uint32_t index)
      : document_(document), index_(index) {}
  JsonValue operator*() const { return {document_, index_}; }
  Iterator& operator++();
  Iterator operator++(int) {
    const Iterator old = *this;
    ++*this;
    return old;
  }
  friend bool operator==(const Iterator& left, const Iterator& right) {
    return left.index_ == right.index_;
  }

 private:
  const JsonDocument* document_ = nullptr;
  std::uint32_t index_ = 0;
};

struct JsonValue::Range {
  Iterator first;
  Iterator last;
  [[nodiscard]] Iterator begin() const { return first; }
  [[nodiscard]] Iterator end() const { return last; }
};

}  // namespace millrace::base
