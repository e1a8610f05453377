#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/formats/document_reporter.h"
#include "base/formats/json_writer.h"
#include "base/problems/problem_report.h"

namespace millrace::graph {

/// What can be wrong with a graph file. The list is closed; `diagnostic_table` documents it.
enum class DiagnosticCode : std::uint8_t {
  kBadSyntax,
  kBadEncoding,
  kTooLarge,
  kUnsupportedVersion,
  kDuplicateKey,
  kUnknownField,
  kMissingField,
  kWrongType,
  kBadValue,
  kDurationGivenTwice,
  kDuplicateId,
  kBadEndpoint,
  kUnknownLane,
  kUnknownComponent,
  kUnknownPort,
  kUnknownType,
  kUnknownTemplate,
  kTemplateParameter,
  kBadConfig,
  kPayloadTypeMismatch,
  kMissingRequiredInput,
  kPortMultiplicity,
  kBoundaryRoleMismatch,
  kMissingBoundary,
  kDependsOnCycle,
  kImmediateCycleWithoutLoop,
  kPartialCompositeLoop,
  kDecorativeCompositeLoop,
  kOverlappingCompositeLoops,
  kLoopCrossesDomain,
  kImmediateEdgeCrossesDomain,
  kMultiStateWriter,
  kInvalidMoveOnlyMultireader,
  kInvalidChannelPolicy,
  kMaxInflightNeedsAsync,
  kTimerWithInputs,
  kTriggerMissingInput,
  kTriggerNeverReady,
  kPeriodNeeded,
  kIndependentNeedsWallClock,
  kAbandonNeedsWorker,
  kBlockingCycle,
  // Warnings.
  kAdvisoryLaneFieldIgnored,
  kFieldNotApplicable,
  kRatesShareOneLoop,
  kPoolAdmitsActiveWidthOnly,
  kBlockWithoutIsolatedLane,
  kOptionalInputUnconnected,
  kFreeRunningComponent,
  kSlowReaderDropRisk,
};

/// One line of the documentation of codes.
struct DiagnosticEntry {
  DiagnosticCode code;
  std::string_view name;
  base::Severity severity;
  std::string_view meaning;
  std::string_view fix;  ///< what usually helps
};

/// All codes, in order.
[[nodiscard]] std::span<const DiagnosticEntry> diagnostic_table();
/// Gives the reference page of all codes, in Markdown.
[[nodiscard]] std::string diagnostic_reference();
/// Gives the documented name, as `unknown_lane`.
[[nodiscard]] std::string_view to_string(DiagnosticCode code);
[[nodiscard]] base::Severity severity_of(DiagnosticCode code);
/// The codes for what the reader of objects finds itself.
[[nodiscard]] const base::ReaderCodes& reader_codes();

/// Everything that is wrong with one file, printed as diagnostics. One without a hint of its own
/// shows the usual fix of its code.
/// Threading: not shared.
class DiagnosticReport : public base::ProblemReport {
 public:
  /// Two lines per diagnostic: `file:line:column: severity: code: message (at path)` and the fix.
  [[nodiscard]] std::string to_text(std::string_view file) const;
  /// Writes an array of objects.
  void write_json(base::JsonWriter& json) const;
};

}  // namespace millrace::graph
