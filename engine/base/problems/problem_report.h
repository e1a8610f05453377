#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/formats/json_writer.h"

// What is wrong with something that a person wrote (a plan, a registry file, a graph file, a
// settings file), as data that is printed as text or as JSON. Codes belong to the caller: each
// module has its own closed list, and this module knows none of them.

namespace millrace::base {

/// The documented name of a problem code, as `unknown_field`. It is made from an enumerator of the
/// caller's closed list, whose `to_string` must return text that lives as long as the program.
class CodeName {
 public:
  CodeName() = default;
  template <class Code>
    requires std::is_enum_v<Code>
  CodeName(Code code) : text_(to_string(code)) {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] std::string_view text() const { return text_; }
  friend bool operator==(CodeName, CodeName) = default;

 private:
  std::string_view text_;
};

[[nodiscard]] inline std::string_view to_string(CodeName code) { return code.text(); }

/// An error makes the input unusable; a warning does not.
enum class Severity : std::uint8_t { kError, kWarning };

/// Gives `error` or `warning`.
[[nodiscard]] std::string_view to_string(Severity severity);

/// One thing that is wrong: what, where, and what might help.
struct Problem {
  CodeName code = {};
  Severity severity = Severity::kError;
  std::string subject =
      {};  ///< what has the problem, as `node 'top' (sort)`; empty if the path says it
  std::string path = {};   ///< of the value, as `nodes[3].params.limit`; empty for the whole input
  std::string file = {};   ///< that line and column belong to; empty for the input itself
  std::uint32_t line = 0;  ///< counts from 1; 0: not known
  std::uint32_t column = 0;
  std::string message = {};
  std::string hint = {};  ///< empty when there is nothing to suggest
};

/// All problems of one input. Keeps the first `kKeptMax` and counts the others.
/// Threading: not shared.
class ProblemReport {
 public:
  static constexpr std::size_t kKeptMax = 500;

  void add(Problem problem);

  [[nodiscard]] bool empty() const { return problems_.empty(); }
  /// Says whether any error was added; warnings do not count.
  [[nodiscard]] bool has_errors() const { return error_count_ > 0; }
  /// Number of errors and of warnings, kept or not.
  [[nodiscard]] std::size_t error_count() const { return error_count_; }
  [[nodiscard]] std::size_t warning_count() const { return warning_count_; }
  /// Orders the kept problems by line and column; those of one place stay as they were added.
  void sort();
  /// Says whether the next problem will only be counted. Callers then skip what is costly to
  /// find out, such as the place and the hint.
  [[nodiscard]] bool full() const { return problems_.size() >= kKeptMax; }
  [[nodiscard]] std::span<const Problem> problems() const { return problems_; }
  /// Gives the kept problems away.
  [[nodiscard]] std::vector<Problem> release() && { return std::move(problems_); }
  /// Number of problems that were counted but not kept.
  [[nodiscard]] std::size_t dropped_count() const {
    return error_count_ + warning_count_ - problems_.size();
  }
  /// Says whether a problem with this code was kept.
  [[nodiscard]] bool has(CodeName code) const;

  /// Gives one line per problem, `file:line:column: code: message (subject, at path); hint`, and at
  /// the end `and N more` if some were only counted. A warning has `warning: ` before its code.
  /// What a terminal would obey is written out (`printable`); a line end is a space.
  [[nodiscard]] std::string to_text() const;
  /// Writes an array with an object per kept problem. Members that hold nothing are left out, and
  /// so is the severity of an error.
  void write_json(JsonWriter& json) const;

 private:
  std::vector<Problem> problems_;
  std::size_t error_count_ = 0;
  std::size_t warning_count_ = 0;
};

/// Writes an array with an object per problem, as `ProblemReport::write_json` does.
void write_json(std::span<const Problem> problems, JsonWriter& json);

}  // namespace millrace::base
