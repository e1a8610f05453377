#include "graph/format/diagnostic.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <span>
#include <string>
#include <string_view>

#include "base/format.h"
#include "base/formats/document_reporter.h"
#include "base/formats/json_writer.h"
#include "base/problems/problem_report.h"

namespace millrace::graph {
namespace {

using enum DiagnosticCode;
constexpr base::Severity kError = base::Severity::kError;
constexpr base::Severity kWarning = base::Severity::kWarning;

constexpr DiagnosticEntry kDiagnosticTable[] = {
    {kBadSyntax, "bad_syntax", kError, "make the text valid YAML 1.2 or JSON"},
    {kBadEncoding, "bad_encoding", kError, "save the file as UTF-8"},
    {kTooLarge, "too_large", kError, "make it smaller, or raise the limit with its --max flag"},
    {kUnsupportedVersion, "unsupported_version", kError, "write schema_version: 1"},
    {kDuplicateKey, "duplicate_key", kError, "keep one of the two"},
    {kUnknownField, "unknown_field", kError, "remove it; 'topoexec schema dump' lists the fields"},
    {kMissingField, "missing_field", kError, "add the field"},
    {kWrongType, "wrong_type", kError, "write a value of the type that is asked for"},
    {kBadValue, "bad_value", kError, "write one of the values that are allowed"},
    {kDurationGivenTwice,
     "duration_given_twice",
     kError,
     "keep the form with a unit or the one in milliseconds"},
    {kDuplicateId, "duplicate_id", kError, "give one of the two another id"},
    {kBadEndpoint, "bad_endpoint", kError, "write component.port"},
    {kUnknownLane, "unknown_lane", kError, "declare the lane or name one that is declared"},
    {kUnknownComponent, "unknown_component", kError, "name a component that is declared"},
    {kUnknownPort, "unknown_port", kError, "use a port that the component's type has"},
    {kUnknownType, "unknown_type", kError, "use a registered type; 'topoexec doctor' lists them"},
    {kUnknownTemplate, "unknown_template", kError, "name a template that is declared"},
    {kTemplateParameter,
     "template_parameter",
     kError,
     "give each placeholder of the template exactly one scalar"},
    {kBadConfig, "bad_config", kError, "write the config as the component's type says"},
    {kPayloadTypeMismatch,
     "payload_type_mismatch",
     kError,
     "connect ports whose types fit, or put a component between them"},
    {kMissingRequiredInput, "missing_required_input", kError, "add an edge to the input"},
    {kPortMultiplicity, "port_multiplicity", kError, "keep one edge to this port"},
    {kBoundaryRoleMismatch,
     "boundary_role_mismatch",
     kError,
     "remove boundary.role: it comes from the type"},
    {kMissingBoundary,
     "missing_boundary",
     kError,
     "add the boundary, or write kind: internal_test"},
    {kDependsOnCycle, "depends_on_cycle", kError, "remove one of these dependencies"},
    {kImmediateCycleWithoutLoop,
     "immediate_cycle_without_loop",
     kError,
     "make one edge of the cycle a delay edge, or declare a composite loop of these members"},
    {kPartialCompositeLoop,
     "partial_composite_loop",
     kError,
     "list all members of the cycle in the loop"},
    {kDecorativeCompositeLoop,
     "decorative_composite_loop",
     kError,
     "remove from the loop what is not on its cycle"},
    {kOverlappingCompositeLoops,
     "overlapping_composite_loops",
     kError,
     "list each component in one loop only"},
    {kLoopCrossesDomain,
     "loop_crosses_domain",
     kError,
     "put all members of the loop on lanes of one domain"},
    {kImmediateEdgeCrossesDomain,
     "immediate_edge_crosses_domain",
     kError,
     "use kind: async or kind: delay between domains"},
    {kMultiStateWriter, "multi_state_writer", kError, "let one component write this state"},
    {kInvalidMoveOnlyMultireader,
     "invalid_move_only_multireader",
     kError,
     "use copy_policy: shared_view, or keep one reader"},
    {kInvalidChannelPolicy,
     "invalid_channel_policy",
     kError,
     "use mode: queue for more than one value"},
    {kMaxInflightNeedsAsync,
     "max_inflight_needs_async",
     kError,
     "remove max_inflight or write kind: async"},
    {kTimerWithInputs,
     "timer_with_inputs",
     kError,
     "trigger by the timer or by inputs; split the component for both"},
    {kTriggerMissingInput, "trigger_missing_input", kError, "add an edge to the input"},
    {kTriggerNeverReady,
     "trigger_never_ready",
     kError,
     "raise the capacity of the edges, or give the trigger another rule"},
    {kPeriodNeeded, "period_needed", kError, "give a period above 0"},
    {kIndependentNeedsWallClock,
     "independent_needs_wall_clock",
     kError,
     "write wall_clock_enabled: true, or remove independent"},
    {kAbandonNeedsWorker,
     "abandon_needs_worker",
     kError,
     "move the component to a thread_pool or isolated_thread lane"},
    {kBlockingCycle,
     "blocking_cycle",
     kError,
     "let one edge of the cycle drop or refuse instead of block"},
    {kAdvisoryLaneFieldIgnored,
     "advisory_lane_field_ignored",
     kWarning,
     "write enforce: best_effort or enforce: require to have it applied"},
    {kFieldNotApplicable, "field_not_applicable", kWarning, "remove the field"},
    {kRatesShareOneLoop,
     "rates_share_one_loop",
     kWarning,
     "write independent: true on the lanes that need a rate of their own"},
    {kPoolAdmitsActiveWidthOnly,
     "pool_admits_active_width_only",
     kWarning,
     "omit queue_capacity to run all that is ready"},
    {kBlockWithoutIsolatedLane,
     "block_without_isolated_lane",
     kWarning,
     "put the publisher on an isolated_thread lane, or write overflow: reject"},
    {kOptionalInputUnconnected,
     "optional_input_unconnected",
     kWarning,
     "add an edge to the input if it is meant to be used"},
    {kFreeRunningComponent,
     "free_running_component",
     kWarning,
     "give it a trigger_policy or a timer, or put it on a fixed_rate lane"},
    {kSlowReaderDropRisk,
     "slow_reader_drop_risk",
     kWarning,
     "raise the capacity, or use overflow: reject"},
};

std::string_view fix_of(const base::Problem& problem) {
  if (!problem.hint.empty()) return problem.hint;
  const auto* const entry =
      std::ranges::find(kDiagnosticTable, problem.code.text(), &DiagnosticEntry::name);
  return entry == std::end(kDiagnosticTable) ? std::string_view() : entry->fix;
}

}  // namespace

std::span<const DiagnosticEntry> diagnostic_table() { return kDiagnosticTable; }

std::string_view to_string(DiagnosticCode code) {
  return kDiagnosticTable[static_cast<std::size_t>(code)].name;
}

base::Severity severity_of(DiagnosticCode code) {
  return kDiagnosticTable[static_cast<std::size_t>(code)].severity;
}

const base::ReaderCodes& reader_codes() {
  static const base::ReaderCodes kCodes{.wrong_type = kWrongType,
                                        .unknown_field = kUnknownField,
                                        .missing_field = kMissingField,
                                        .duplicate_key = kDuplicateKey,
                                        .bad_value = kBadValue,
                                        .out_of_range = kBadValue,
                                        .bad_duration = kBadValue,
                                        .too_large = kTooLarge};
  return kCodes;
}

std::string DiagnosticReport::to_text(std::string_view file) const {
  std::string text;
  for (const base::Problem& problem : problems()) {
    text += base::format("{}:{}:{}: {}: {}: {}",
                         file,
                         problem.line,
                         problem.column,
                         to_string(problem.severity),
                         to_string(problem.code),
                         problem.message);
    if (!problem.path.empty()) text += base::format(" (at {})", problem.path);
    text += base::format("\n  fix: {}\n", fix_of(problem));
  }
  if (dropped_count() > 0)
    text += base::format("{}: {} more are not shown\n", file, dropped_count());
  return text;
}

void DiagnosticReport::write_json(base::JsonWriter& json) const {
  json.begin_array();
  for (const base::Problem& problem : problems()) {
    json.begin_object();
    json.member("code", to_string(problem.code));
    json.member("severity", to_string(problem.severity));
    json.member("path", problem.path);
    json.member("line", problem.line);
    json.member("column", problem.column);
    json.member("message", problem.message);
    json.member("suggested_fix", fix_of(problem));
    json.end_object();
  }
  json.end_array();
}

}  // namespace millrace::graph
