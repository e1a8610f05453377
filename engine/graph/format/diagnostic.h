#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/formats/json_writer.h"
#include "base/text_place.h"

namespace millrace::graph {

enum class Severity : std::uint8_t { kError, kWarning };

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
  Severity severity;
  std::string_view fix;  ///< what usually helps
};

/// All codes, in order.
[[nodiscard]] std::span<const DiagnosticEntry> diagnostic_table();
/// Gives the documented name, as `unknown_lane`.
[[nodiscard]] std::string_view to_string(DiagnosticCode code);
[[nodiscard]] Severity severity_of(DiagnosticCode code);
[[nodiscard]] std::string_view to_string(Severity severity);

/// One thing that is wrong, where, and what helps.
struct Diagnostic {
  DiagnosticCode code = DiagnosticCode::kBadSyntax;
  std::string path = {};  ///< as `components[3].execution.lane`; empty: the whole file
  base::TextPlace place = {};
  std::string message = {};
  std::string suggested_fix = {};
};

/// Everything that is wrong with one file. At most `kKeptMax` diagnostics are kept; the rest is
/// counted.
/// Threading: not shared.
class DiagnosticReport {
 public:
  static constexpr std::size_t kKeptMax = 1000;

  /// Without a fix of its own, a diagnostic takes the usual one of its code.
  void add(Diagnostic diagnostic);
  /// Whether the next diagnostic would only be counted, whatever it says.
  [[nodiscard]] bool full() const { return diagnostics_.size() >= kKeptMax; }
  /// Orders by place; those of one place stay in the order in which they were found.
  void sort();
  [[nodiscard]] std::span<const Diagnostic> diagnostics() const { return diagnostics_; }
  [[nodiscard]] std::size_t error_count() const { return error_count_; }
  [[nodiscard]] std::size_t warning_count() const { return warning_count_; }
  [[nodiscard]] bool has(DiagnosticCode code) const;

  /// Two lines per diagnostic: `file:line:column: severity: code: message (at path)` and the fix.
  [[nodiscard]] std::string to_text(std::string_view file) const;
  /// Writes an array of objects.
  void write_json(base::JsonWriter& json) const;

 private:
  std::vector<Diagnostic> diagnostics_;
  std::size_t error_count_ = 0;
  std::size_t warning_count_ = 0;
};

}  // namespace millrace::graph
