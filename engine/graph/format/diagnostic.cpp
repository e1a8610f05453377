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
    {kBadSyntax,
     "bad_syntax",
     kError,
     "The text is neither YAML 1.2 nor JSON.",
     "make the text valid YAML 1.2 or JSON"},
    {kBadEncoding,
     "bad_encoding",
     kError,
     "The file is not UTF-8, or contains NUL.",
     "save the file as UTF-8"},
    {kTooLarge,
     "too_large",
     kError,
     "The file, a text in it, its depth, or the number of components, edges or aliases is over a "
     "limit.",
     "make it smaller, or raise the limit with its --max flag"},
    {kUnsupportedVersion,
     "unsupported_version",
     kError,
     "`schema_version` is not one that this program reads.",
     "write schema_version: 1"},
    {kDuplicateKey,
     "duplicate_key",
     kError,
     "A mapping has the same key twice, so one of the two would be lost.",
     "keep one of the two"},
    {kUnknownField,
     "unknown_field",
     kError,
     "A field that nothing reads; usually a spelling mistake.",
     "remove it; 'topoexec schema dump' lists the fields"},
    {kMissingField,
     "missing_field",
     kError,
     "A field that must be there is absent.",
     "add the field"},
    {kWrongType,
     "wrong_type",
     kError,
     "A field holds a value of another type than it must have.",
     "write a value of the type that is asked for"},
    {kBadValue,
     "bad_value",
     kError,
     "The type is right, the value is not one that is allowed.",
     "write one of the values that are allowed"},
    {kDurationGivenTwice,
     "duration_given_twice",
     kError,
     "The same duration is given with a unit and in milliseconds.",
     "keep the form with a unit or the one in milliseconds"},
    {kDuplicateId,
     "duplicate_id",
     kError,
     "Two lanes, components, edges or loops have the same id.",
     "give one of the two another id"},
    {kBadEndpoint,
     "bad_endpoint",
     kError,
     "An edge begins or ends at something that is not `component.port`.",
     "write component.port"},
    {kUnknownLane,
     "unknown_lane",
     kError,
     "A component runs on a lane that the file does not declare.",
     "declare the lane or name one that is declared"},
    {kUnknownComponent,
     "unknown_component",
     kError,
     "An edge, a dependency or a loop names a component that the file does not declare.",
     "name a component that is declared"},
    {kUnknownPort,
     "unknown_port",
     kError,
     "The type of the component has no port of that name.",
     "use a port that the component's type has"},
    {kUnknownType,
     "unknown_type",
     kError,
     "No component type of that name is registered; one of a plugin needs `--plugin`.",
     "use a registered type; 'topoexec doctor' lists them"},
    {kUnknownTemplate,
     "unknown_template",
     kError,
     "A component is made from a template that the file does not declare.",
     "name a template that is declared"},
    {kTemplateParameter,
     "template_parameter",
     kError,
     "A placeholder of a template has no value, a value too many, or one that is no scalar.",
     "give each placeholder of the template exactly one scalar"},
    {kBadConfig,
     "bad_config",
     kError,
     "The config does not fit what the component's type says about it.",
     "write the config as the component's type says"},
    {kPayloadTypeMismatch,
     "payload_type_mismatch",
     kError,
     "An edge connects an output with an input of another payload type.",
     "connect ports whose types fit, or put a component between them"},
    {kMissingRequiredInput,
     "missing_required_input",
     kError,
     "An input that the type needs has no edge.",
     "add an edge to the input"},
    {kPortMultiplicity,
     "port_multiplicity",
     kError,
     "Several edges end at a port that takes one.",
     "keep one edge to this port"},
    {kBoundaryRoleMismatch,
     "boundary_role_mismatch",
     kError,
     "`boundary.role` says something else than the type of the component.",
     "remove boundary.role: it comes from the type"},
    {kMissingBoundary,
     "missing_boundary",
     kError,
     "The graph has no component through which something comes in or goes out.",
     "add the boundary, or write kind: internal_test"},
    {kDependsOnCycle,
     "depends_on_cycle",
     kError,
     "Components wait for each other through `depends_on`, so none could start first.",
     "remove one of these dependencies"},
    {kImmediateCycleWithoutLoop,
     "immediate_cycle_without_loop",
     kError,
     "Immediate edges lead back to where they began: within one epoch no order exists.",
     "make one edge of the cycle a delay edge, or declare a composite loop of these members"},
    {kPartialCompositeLoop,
     "partial_composite_loop",
     kError,
     "A composite loop names only a part of a cycle.",
     "list all members of the cycle in the loop"},
    {kDecorativeCompositeLoop,
     "decorative_composite_loop",
     kError,
     "A composite loop names a component that is on no cycle with the others.",
     "remove from the loop what is not on its cycle"},
    {kOverlappingCompositeLoops,
     "overlapping_composite_loops",
     kError,
     "A component is in two composite loops.",
     "list each component in one loop only"},
    {kLoopCrossesDomain,
     "loop_crosses_domain",
     kError,
     "Members of a composite loop run in different domains, which share no epoch.",
     "put all members of the loop on lanes of one domain"},
    {kImmediateEdgeCrossesDomain,
     "immediate_edge_crosses_domain",
     kError,
     "An immediate edge connects two domains, which share no epoch.",
     "use kind: async or kind: delay between domains"},
    {kMultiStateWriter,
     "multi_state_writer",
     kError,
     "Two components write the same state, so its value would depend on their order.",
     "let one component write this state"},
    {kInvalidMoveOnlyMultireader,
     "invalid_move_only_multireader",
     kError,
     "A payload that can only be moved has several readers.",
     "use copy_policy: shared_view, or keep one reader"},
    {kInvalidChannelPolicy,
     "invalid_channel_policy",
     kError,
     "The policy of an edge contradicts itself, as a capacity above 1 without a queue.",
     "use mode: queue for more than one value"},
    {kMaxInflightNeedsAsync,
     "max_inflight_needs_async",
     kError,
     "`max_inflight` stands on an edge that is not async.",
     "remove max_inflight or write kind: async"},
    {kTimerWithInputs,
     "timer_with_inputs",
     kError,
     "A trigger has a timer and inputs, which answer different questions.",
     "trigger by the timer or by inputs; split the component for both"},
    {kTriggerMissingInput,
     "trigger_missing_input",
     kError,
     "A trigger waits for an input that no edge feeds.",
     "add an edge to the input"},
    {kTriggerNeverReady,
     "trigger_never_ready",
     kError,
     "A trigger needs more messages at once than its edges can hold.",
     "raise the capacity of the edges, or give the trigger another rule"},
    {kPeriodNeeded,
     "period_needed",
     kError,
     "A timer or a `fixed_rate` lane has no period.",
     "give a period above 0"},
    {kIndependentNeedsWallClock,
     "independent_needs_wall_clock",
     kError,
     "A lane is `independent`, but the graph has no wall clock to pace it by.",
     "write wall_clock_enabled: true, or remove independent"},
    {kAbandonNeedsWorker,
     "abandon_needs_worker",
     kError,
     "A component that may be given up runs on a thread that others need.",
     "move the component to a thread_pool or isolated_thread lane"},
    {kBlockingCycle,
     "blocking_cycle",
     kError,
     "Edges that block form a cycle: each would wait for the next, for ever.",
     "let one edge of the cycle drop or refuse instead of block"},
    {kAdvisoryLaneFieldIgnored,
     "advisory_lane_field_ignored",
     kWarning,
     "A setting of the operating system is only advice as long as `enforce` is not given.",
     "write enforce: best_effort or enforce: require to have it applied"},
    {kFieldNotApplicable,
     "field_not_applicable",
     kWarning,
     "The field means nothing for this type of lane, trigger or edge.",
     "remove the field"},
    {kRatesShareOneLoop,
     "rates_share_one_loop",
     kWarning,
     "Several rates run on one loop: a slow one delays the others.",
     "write independent: true on the lanes that need a rate of their own"},
    {kPoolAdmitsActiveWidthOnly,
     "pool_admits_active_width_only",
     kWarning,
     "With this `queue_capacity` the pool refuses what is ready beyond its threads.",
     "omit queue_capacity to run all that is ready"},
    {kBlockWithoutIsolatedLane,
     "block_without_isolated_lane",
     kWarning,
     "A publisher that blocks holds up everything else on its lane.",
     "put the publisher on an isolated_thread lane, or write overflow: reject"},
    {kOptionalInputUnconnected,
     "optional_input_unconnected",
     kWarning,
     "An input that may be used has no edge.",
     "add an edge to the input if it is meant to be used"},
    {kFreeRunningComponent,
     "free_running_component",
     kWarning,
     "Without trigger, timer or input the component runs in every epoch.",
     "give it a trigger_policy or a timer, or put it on a fixed_rate lane"},
    {kSlowReaderDropRisk,
     "slow_reader_drop_risk",
     kWarning,
     "The reader is slower than the writer, and the edge drops what does not fit.",
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

std::string diagnostic_reference() {
  std::string page =
      "<!-- Generated from engine/graph/format/diagnostic.cpp by graph_errors_page; do not edit. "
      "-->\n"
      "# Problems of graph files\n\n"
      "`topoexec graph validate` reports everything that is wrong with a file at once. Each "
      "problem has one of\n"
      "these codes, a path, a line and column, a message and a fix. A file with warnings only is "
      "accepted, unless\n"
      "`graph lint --strict` asks. The list is closed.\n";
  for (const DiagnosticEntry& entry : kDiagnosticTable) {
    base::format_to(std::back_inserter(page),
                    "\n## `{}`\n\n{}{}\n\n**What to do.** {}{}.\n",
                    entry.name,
                    entry.severity == kWarning ? "A warning. " : "",
                    entry.meaning,
                    static_cast<char>(entry.fix.front() - 'a' + 'A'),
                    entry.fix.substr(1));
  }
  return page;
}

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
