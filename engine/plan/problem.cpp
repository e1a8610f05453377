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
    {kBadJson,
     "bad_json",
     "The artifact is not JSON, or its root is not an object.",
     "Correct the text at the line and column given; build artifacts with `dslc build` rather than "
     "by hand."},
    {kBadEncoding, "bad_encoding", "The artifact is not UTF-8.", "Save the file as UTF-8."},
    {kBadToml,
     "bad_toml",
     "A registry file is not TOML.",
     "Correct the line given; texts stand in double quotes, tables in square brackets."},
    {kDuplicateKey,
     "duplicate_key",
     "An object names a field twice, or by both its spellings.",
     "Keep one of the two."},
    {kNumberRange,
     "number_range",
     "A number does not fit 64 bits, or a double.",
     "Write a number that fits."},
    {kTooDeep,
     "too_deep",
     "Objects and arrays are nested deeper than the limit.",
     "Flatten the value; nothing in a plan needs that depth."},
    {kTooLarge,
     "too_large",
     "A size is over its limit: bytes, nodes, inputs, text.",
     "Split the plan, or shorten the text named."},
    {kUnsupportedVersion,
     "unsupported_version",
     "`schema_version` is not one this engine reads.",
     "Write 1, or use an engine that reads the newer version."},
    {kMissingField, "missing_field", "A required field is absent.", "Add the field named."},
    {kUnknownField,
     "unknown_field",
     "A field that nothing reads; usually a spelling mistake.",
     "Take the name of the hint, or remove the field."},
    {kWrongType,
     "wrong_type",
     "A field or param holds a value of another type than declared.",
     "Give a value of the type that the message names."},
    {kBadValue,
     "bad_value",
     "A field or param holds a value that is not one of those allowed.",
     "Take one of the values that the message lists."},
    {kBadName,
     "bad_name",
     "A name is empty, too long, or has characters that names may not have.",
     "Choose a name of the form that the message gives."},
    {kDuplicateId, "duplicate_id", "Two nodes have the same id.", "Rename one of the nodes."},
    {kDuplicateSlot,
     "duplicate_slot",
     "Two nodes give the same slot.",
     "Rename one of the slots; each is given by one node."},
    {kUnknownOp,
     "unknown_op",
     "No task has this op.",
     "Take the op of the hint; if it is a plugin's, start with `--plugin`."},
    {kUnknownInput,
     "unknown_input",
     "An input names a slot that no node gives.",
     "Name the id of a node, or `$req.x`; the hint has the nearest."},
    {kUnknownRequestField,
     "unknown_request_field",
     "`$req.x` names neither a field of the request nor a registered param or key.",
     "Take a field of the request, or register a param or key of this name."},
    {kInputCount,
     "input_count",
     "The task takes another number of inputs.",
     "Give as many inputs as the message says."},
    {kCycle,
     "cycle",
     "Nodes wait for each other in a circle.",
     "Remove one of the edges that the message lists."},
    {kNoOutput, "no_output", "The plan names no output.", "Name at least one node in `outputs`."},
    {kUnknownOutput,
     "unknown_output",
     "An output names a node that is not there, or one twice.",
     "Name existing nodes, each once."},
    {kMissingParam,
     "missing_param",
     "A required param of the task is absent.",
     "Add the param; `rankd --print-task-manifest` lists those of each task."},
    {kUnknownParam,
     "unknown_param",
     "The task has no param of this name.",
     "Take the name of the hint, or remove the param."},
    {kParamRange,
     "param_range",
     "A param is below its minimum or above its maximum.",
     "Choose a value within the range that the message gives."},
    {kBadPattern,
     "bad_pattern",
     "A key pattern is empty, or its braces do not enclose names.",
     "Write names of keys in braces, as in `follow:{id}`."},
    {kUnknownEndpoint,
     "unknown_endpoint",
     "The registry has no endpoint of this name.",
     "Take the name of the hint, or add it to `endpoints.toml`."},
    {kUnknownKey,
     "unknown_key",
     "The registry has no key of this name.",
     "Take the name of the hint, or add it to `keys.toml`."},
    {kKeyNotAvailable,
     "key_not_available",
     "A key is read that the rows do not have: nothing wrote it, or it was another entity's.",
     "Fetch it (`hydrate`), write it (`vm`) or take it along (`carry`, `columns`) before it is "
     "read."},
    {kBlockedKey,
     "blocked_key",
     "A blocked key, param or endpoint is used.",
     "Use another one, or unblock it in the registry."},
    {kKeyNotWritable,
     "key_not_writable",
     "A plan writes a key that plans may not write.",
     "Write another key, or set `allow_write` in `keys.toml`."},
    {kNullIntoKey,
     "null_into_key",
     "An expression that may be null is written to a key that may not.",
     "Wrap the expression in `coalesce(…, value)`, or make the key nullable."},
    {kBadExpression,
     "bad_expression",
     "An expression does not parse or type-check.",
     "Correct the expression at the place given."},
    {kUnknownName,
     "unknown_name",
     "An expression reads a `$param` that is not registered.",
     "Take the name of the hint, or add the param to `params.toml`."},
    {kMissingViewer,
     "missing_viewer",
     "An expression reads `viewer.x`; no node has op `viewer`.",
     "Add a node with op `viewer`."},
    {kAmbiguousViewer,
     "ambiguous_viewer",
     "`viewer.x` is read, but several nodes are viewers.",
     "Keep one node with op `viewer`."},
    {kBadFallback,
     "bad_fallback",
     "`on_failure` names an unusable node: unknown, itself, waiting for this one, or none.",
     "Name another node that does not need this one, or use `empty` or `input`."},
    {kBadCost,
     "bad_cost",
     "`cost_estimate_us` is negative, fractional or above one hour.",
     "Give whole microseconds from 0 to one hour, or leave it out."},
    {kBadTimeout,
     "bad_timeout",
     "A duration is not a whole number from 1 ms to one hour.",
     "Give whole milliseconds from 1 to one hour."},
    {kMissingEndpoint,
     "missing_endpoint",
     "An environment lacks an endpoint that another has.",
     "Add the endpoint to the environment named."},
    {kBadReplacement,
     "bad_replacement",
     "`replaced_by` names nothing, or leads in a circle.",
     "Name an existing entry that is not replaced itself."},
    {kWrongKeyType,
     "wrong_key_type",
     "A param names a key of a type that the task cannot use.",
     "Name a key of one of the types listed, or convert it with `vm` first."},
    {kKeyClash,
     "key_clash",
     "Both sides of a join have a column of the same name.",
     "Rename it with `columns`, or take other columns."},
    {kDuplicatePlan,
     "duplicate_plan",
     "Another plan file has a plan of the same name.",
     "Rename one of the plans, or leave one of the files out."},
    {kUnreadableFile,
     "unreadable_file",
     "A plan file cannot be read: a folder, no rights, or more than 64 MiB.",
     "Give it to the user of the process, or remove it from the folder of plans."},
    {kDeprecatedName,
     "deprecated_name",
     "Warning: a key, param or endpoint is used that should not be used any more.",
     "Use what the hint names."},
    {kExpressionWarning,
     "expression_warning",
     "Warning: an expression is valid but cannot mean what was intended.",
     "Read the message; usually a comparison that is always true or always false."},
    {kUnusedNode,
     "unused_node",
     "Warning: no output needs the node.",
     "Read its rows somewhere, or remove it."},
    {kKeyReplaced,
     "key_replaced",
     "Warning: a node replaces a column that nothing has read since another node wrote it.",
     "Write another key, or remove the first writer."},
    {kKeyMissingInSome,
     "key_missing_in_some",
     "Warning: rows are ordered or scored by a key that only some inputs of a `concat` have.",
     "Fetch the key after the `concat`, or give the others a value with `coalesce`."},
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
      "A plan with warnings only is accepted. The list is closed.\n";
  for (const ProblemEntry& entry : kTable) {
    base::format_to(std::back_inserter(page),
                    "\n## `{}`\n\n{}\n\n**What to do.** {}\n",
                    entry.name,
                    entry.meaning,
                    entry.cure);
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
