#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/formats/document_reporter.h"
#include "base/problems/problem_report.h"

namespace millrace::plan {

using base::Problem;
using base::ProblemReport;

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
  kWrongKeyType,
  kKeyClash,
  kDuplicatePlan,
  kUnreadableFile,
  kDeprecatedName,
  kExpressionWarning,
  kUnusedNode,
  kKeyReplaced,
  kKeyMissingInSome,
};

inline constexpr std::size_t kProblemCodeCount =
    static_cast<std::size_t>(ProblemCode::kKeyMissingInSome) + 1;

/// One line of the documentation of codes.
struct ProblemEntry {
  ProblemCode code;
  std::string_view name;
  std::string_view meaning;
  std::string_view cure;  ///< what to do about it
};

/// All codes, in order.
[[nodiscard]] std::span<const ProblemEntry> problem_table();
/// Gives the documented name, as `unknown_op`.
[[nodiscard]] std::string_view to_string(ProblemCode code);
/// Gives the reference page, in Markdown.
[[nodiscard]] std::string problem_reference();

/// The codes for what `base::ObjectReader` finds wrong with a plan or a registry.
[[nodiscard]] const base::ReaderCodes& reader_codes();

}  // namespace millrace::plan
