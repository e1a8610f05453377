#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/formats/json_document.h"
#include "graph/format/spec.h"
#include "graph/format/words.h"

namespace millrace::graph {

/// What the format says about one field besides its type.
struct FieldRule {
  std::string_view about;
  bool required = false;
  std::int64_t min = 0;
  std::int64_t max = std::numeric_limits<std::int64_t>::max();
};

/// Visits the fields of one object of the format, in order. The functions of `fields.h` are the
/// only list of fields; the reader fills structs through this interface and the schema is printed
/// through it, so the two cannot differ.
/// Threading: not shared.
class FieldVisitor {
 public:
  using Members = std::function<void(FieldVisitor&)>;
  using NamedMembers = std::function<void(FieldVisitor&, std::string_view name)>;

  virtual ~FieldVisitor() = default;

  /// Keeps the object itself.
  virtual void source(std::optional<base::JsonValue>& object) = 0;
  /// Sets the flag to false if a field of the object, or of one below it, cannot be read.
  virtual void readable(bool& flag) = 0;
  virtual void text(std::string_view name, std::string& value, const FieldRule& rule) = 0;
  /// A text that names something: not empty, of bounded length, of letters, digits and `_ - . / :`.
  virtual void id(std::string_view name, std::string& value, const FieldRule& rule) = 0;
  virtual void flag(std::string_view name, bool& value, const FieldRule& rule) = 0;
  virtual void integer(std::string_view name, std::int64_t& value, const FieldRule& rule) = 0;
  virtual void number(std::string_view name, double& value, const FieldRule& rule) = 0;
  /// A text with a unit under `name`, or an integer under `name` + `_ms`.
  virtual void duration(std::string_view name, Duration& value, const FieldRule& rule) = 0;
  virtual void texts(std::string_view name,
                     std::vector<std::string>& values,
                     const FieldRule& rule) = 0;
  virtual void integers(std::string_view name,
                        std::vector<std::int64_t>& values,
                        const FieldRule& rule) = 0;
  /// An object of the user's own.
  virtual void config(std::string_view name,
                      std::optional<base::JsonValue>& value,
                      const FieldRule& rule) = 0;
  /// An array that is read later.
  virtual void array(std::string_view name,
                     std::optional<base::JsonValue>& value,
                     const FieldRule& rule) = 0;
  virtual void object(std::string_view name, const Members& members, const FieldRule& rule) = 0;
  /// An array of objects; `members` is called for each.
  virtual void list(std::string_view name, const Members& members, const FieldRule& rule) = 0;
  /// An object whose keys are ids; `members` is called for each member, which is an object.
  virtual void map(std::string_view name, const NamedMembers& members, const FieldRule& rule) = 0;
  /// One of the words but the last, or an object whose only member is named by the last word and is
  /// an object with `members`.
  virtual void word_or_object(std::string_view name,
                              std::uint8_t& value,
                              std::span<const std::string_view> words,
                              const Members& members,
                              const FieldRule& rule) = 0;
  virtual void word(std::string_view name,
                    std::uint8_t& value,
                    std::span<const std::string_view> words,
                    const FieldRule& rule) = 0;

  template <class Enum>
  void choice(std::string_view name, Enum& value, const FieldRule& rule) {
    auto index = static_cast<std::uint8_t>(value);
    word(name, index, words_of(value), rule);
    value = static_cast<Enum>(index);
  }
  template <class Enum>
  void choice(std::string_view name, std::optional<Enum>& value, const FieldRule& rule) {
    constexpr std::uint8_t kNone = 255;
    std::uint8_t index = kNone;
    word(name, index, words_of(Enum{}), rule);
    if (index != kNone) value = static_cast<Enum>(index);
  }
  void integer(std::string_view name, std::optional<std::int64_t>& value, const FieldRule& rule) {
    constexpr std::int64_t kNone = -1;
    std::int64_t given = kNone;
    integer(name, given, rule);
    if (given != kNone) value = given;
  }
  void number(std::string_view name, std::optional<double>& value, const FieldRule& rule) {
    constexpr double kNone = -1;
    double given = kNone;
    number(name, given, rule);
    if (given != kNone) value = given;
  }
};

}  // namespace millrace::graph
