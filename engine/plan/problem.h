#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/formats/json_writer.h"
#include "base/result.h"
#include "base/text_place.h"

namespace millrace::plan {

/// What can be wrong with a plan or a registry. The list is closed; `problem_table` documents it
/// and docs/reference/plan-errors.md is printed from it.
enum class ProblemCode : std::uint8_t {
  kBadJson,
  kBadEncoding,
  kBadToml,
  kDuplicateKey,
  kNumberRange,
  kTooDeep,
  kTooLarge,
  kUnsupportedVersion,
  kMissingField,
  kUnknownField,
  kWrongType,
  kBadValue,
  kBadName,
  kDuplicateId,
  kDuplicateSlot,
  kUnknownOp,
  kUnknownInput,
  kUnknownRequestField,
  kInputCount,
  kCycle,
  kNoOutput,
  kUnknownOutput,
  kMissingParam,
  kUnknownParam,
  kParamRange,
  kBadPattern,
  kUnknownEndpoint,
  kUnknownKey,
  kKeyNotAvailable,
  kBlockedKey,
  kKeyNotWritable,
  kNullIntoKey,
  kBadExpression,
  kUnknownName,
  kMissingViewer,
  kAmbiguousViewer,
  kBadFallback,
  kBadCost,
  kBadTimeout,
  kMissingEndpoint,
  kBadReplacement,
};

inline constexpr std::size_t kProblemCodeCount =
    static_cast<std::size_t>(ProblemCode::kBadReplacement) + 1;

/// One line of the documentation of codes.
struct ProblemEntry {
  ProblemCode code;
  std::string_view name;
  std::string_view meaning;
};

/// All codes, in order.
[[nodiscard]] std::span<const ProblemEntry> problem_table();
/// Gives the documented name, as `unknown_op`.
[[nodiscard]] std::string_view to_string(ProblemCode code);
/// Gives the reference page, in Markdown.
[[nodiscard]] std::string problem_reference();

/// One thing that is wrong, where, and what might help.
struct Problem {
  ProblemCode code = ProblemCode::kBadJson;
  /// JSON path, as `nodes[3].params.pred`, or path in a registry file.
  std::string path = {};
  /// File that line and column belong to: the `.plan.ts` when the artifact knows the place there,
  /// else the artifact (empty) or the registry file.
  std::string file = {};
  std::uint32_t line = 0;  ///< 0: not known
  std::uint32_t column = 0;
  std::string message = {};
  std::string hint = {};  ///< empty when there is nothing to suggest
};

/// Everything that is wrong, in one report. At most `kKeptMax` problems are kept; the rest is
/// counted.
/// Threading: not shared.
class ProblemReport {
 public:
  static constexpr std::size_t kKeptMax = 500;

  void add(Problem problem);
  /// Adds what another report holds.
  void append(const ProblemReport& other);
  [[nodiscard]] bool empty() const { return problems_.empty(); }
  /// Whether the next problem would only be counted.
  [[nodiscard]] bool full() const { return problems_.size() >= kKeptMax; }
  [[nodiscard]] std::span<const Problem> problems() const { return problems_; }
  [[nodiscard]] std::size_t dropped_count() const { return dropped_count_; }
  [[nodiscard]] bool has(ProblemCode code) const;

  /// One line per problem: `file:line:column: code: message (at path); hint`.
  [[nodiscard]] std::string to_text() const;
  /// Writes an array of objects.
  void write_json(base::JsonWriter& json) const;
  /// The first problem as an error, with the number of the others; must not be empty.
  [[nodiscard]] base::Error to_error() const;

 private:
  std::vector<Problem> problems_;
  std::size_t dropped_count_ = 0;
};

}  // namespace millrace::plan
