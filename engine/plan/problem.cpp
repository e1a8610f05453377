#include "plan/problem.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <span>
#include <string>
#include <string_view>

#include "base/format.h"

namespace millrace::plan {

namespace {

using enum ProblemCode;

constexpr std::array<ProblemEntry, kProblemCodeCount> kTable{{
    {kBadJson, "bad_json", "The artifact is not JSON, or its root is not an object."},
    {kBadEncoding, "bad_encoding", "The artifact is not UTF-8."},
    {kBadToml, "bad_toml", "A registry file is not TOML."},
    {kDuplicateKey, "duplicate_key", "An object names a field twice, or by both its spellings."},
    {kNumberRange, "number_range", "A number does not fit 64 bits, or a double."},
    {kTooDeep, "too_deep", "Objects and arrays are nested deeper than the limit."},
    {kTooLarge, "too_large", "A size is over its limit: bytes, nodes, inputs, text."},
    {kUnsupportedVersion, "unsupported_version", "`schema_version` is not one this engine reads."},
    {kMissingField, "missing_field", "A required field is absent."},
    {kUnknownField, "unknown_field", "A field that nothing reads; usually a spelling mistake."},
    {kWrongType, "wrong_type", "A field or param holds a value of another type than declared."},
    {kBadValue, "bad_value", "A field or param holds a value that is not one of those allowed."},
    {kBadName, "bad_name", "A name is empty, too long, or has characters that names may not have."},
    {kDuplicateId, "duplicate_id", "Two nodes have the same id."},
    {kDuplicateSlot, "duplicate_slot", "Two nodes give the same slot."},
    {kUnknownOp, "unknown_op", "No task has this op."},
    {kUnknownInput, "unknown_input", "An input names a slot that no node gives."},
    {kUnknownRequestField,
     "unknown_request_field",
     "`$req.x` names neither a field of the request nor a registered param or key."},
    {kInputCount, "input_count", "The task takes another number of inputs."},
    {kCycle, "cycle", "Nodes wait for each other in a circle."},
    {kNoOutput, "no_output", "The plan names no output."},
    {kUnknownOutput, "unknown_output", "An output names a node that is not there, or one twice."},
    {kMissingParam, "missing_param", "A required param of the task is absent."},
    {kUnknownParam, "unknown_param", "The task has no param of this name."},
    {kParamRange, "param_range", "A param is below its minimum or above its maximum."},
    {kBadPattern, "bad_pattern", "A key pattern is empty, or its braces do not enclose names."},
    {kUnknownEndpoint, "unknown_endpoint", "The registry has no endpoint of this name."},
    {kUnknownKey, "unknown_key", "The registry has no key of this name."},
    {kKeyNotAvailable,
     "key_not_available",
     "A key is read that the rows do not have: nothing wrote it, or it was another entity's."},
    {kBlockedKey, "blocked_key", "A blocked key, param or endpoint is used."},
    {kKeyNotWritable, "key_not_writable", "A plan writes a key that plans may not write."},
    {kNullIntoKey,
     "null_into_key",
     "An expression that may be null is written to a key that may not."},
    {kBadExpression, "bad_expression", "An expression does not parse or type-check."},
    {kUnknownName, "unknown_name", "An expression reads a `$param` that is not registered."},
    {kMissingViewer, "missing_viewer", "An expression reads `viewer.x`; no node has op `viewer`."},
    {kAmbiguousViewer, "ambiguous_viewer", "`viewer.x` is read, but several nodes are viewers."},
    {kBadFallback,
     "bad_fallback",
     "`on_failure` names an unusable node: unknown, itself, waiting for this one, or none."},
    {kBadCost, "bad_cost", "`cost_estimate_us` is negative, fractional or above one hour."},
    {kBadTimeout, "bad_timeout", "A duration is not a whole number from 1 ms to one hour."},
    {kMissingEndpoint, "missing_endpoint", "An environment lacks an endpoint that another has."},
    {kBadReplacement, "bad_replacement", "`replaced_by` names nothing, or leads in a circle."},
    {kWrongKeyType, "wrong_key_type", "A param names a key of a type that the task cannot use."},
    {kKeyClash, "key_clash", "Both sides of a join have a column of the same name."},
    {kDuplicatePlan, "duplicate_plan", "Another plan file has a plan of the same name."},
    {kDeprecatedName,
     "deprecated_name",
     "Warning: a key, param or endpoint is used that should not be used any more."},
    {kExpressionWarning,
     "expression_warning",
     "Warning: an expression is valid but cannot mean what was intended."},
    {kUnusedNode, "unused_node", "Warning: no output needs the node."},
    {kKeyReplaced,
     "key_replaced",
     "Warning: a node replaces a column that nothing has read since another node wrote it."},
    {kKeyMissingInSome,
     "key_missing_in_some",
     "Warning: rows are ordered or scored by a key that only some inputs of a `concat` have."},
}};

static_assert(std::ranges::is_sorted(kTable, {}, &ProblemEntry::code));

}  // namespace

std::span<const ProblemEntry> problem_table() { return kTable; }

std::string_view to_string(ProblemCode code) { return kTable[static_cast<std::size_t>(code)].name; }

std::string problem_reference() {
  std::string page =
      "<!-- Generated from engine/plan/problem.cpp by plan_errors_page; do not edit. -->\n"
      "# Problems of plans and registries\n\n"
      "A plan that is refused comes with a report of everything that is wrong with it. Each "
      "problem\n"
      "has one of these codes, a path, a line and column, a message and, where there is one, a "
      "hint.\n"
      "A plan with warnings only is accepted. The list is closed.\n\n"
      "| Code | Meaning |\n|---|---|\n";
  for (const ProblemEntry& entry : kTable) {
    base::format_to(std::back_inserter(page), "| `{}` | {} |\n", entry.name, entry.meaning);
  }
  return page;
}

const base::ReaderCodes& reader_codes() {
  static const base::ReaderCodes codes{.wrong_type = kWrongType,
                                       .unknown_field = kUnknownField,
                                       .missing_field = kMissingField,
                                       .duplicate_key = kDuplicateKey,
                                       .bad_value = kBadValue,
                                       .out_of_range = kParamRange,
                                       .bad_duration = kBadTimeout,
                                       .too_large = kTooLarge};
  return codes;
}

}  // namespace millrace::plan
