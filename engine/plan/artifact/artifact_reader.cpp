#include "plan/artifact/artifact_reader.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/format.h"
#include "base/formats/json_reader.h"
#include "plan/artifact/artifact_fields.h"

namespace millrace::plan {

namespace {

using base::JsonKind;
using base::JsonValue;

constexpr std::int64_t kSchemaVersion = 1;
constexpr std::string_view kRequestPrefix = "$req.";
constexpr std::chrono::hours kDurationMax{1};

ProblemCode to_problem_code(base::JsonProblemCode code) {
  switch (code) {
    case base::JsonProblemCode::kSyntax:
      return ProblemCode::kBadJson;
    case base::JsonProblemCode::kNotUtf8:
      return ProblemCode::kBadEncoding;
    case base::JsonProblemCode::kDuplicateKey:
      return ProblemCode::kDuplicateKey;
    case base::JsonProblemCode::kNumberRange:
      return ProblemCode::kNumberRange;
    case base::JsonProblemCode::kTooDeep:
      return ProblemCode::kTooDeep;
    case base::JsonProblemCode::kTooLarge:
      return ProblemCode::kTooLarge;
  }
  return ProblemCode::kBadJson;
}

/// Reads one artifact; each method reads one kind of object.
class ArtifactReader {
 public:
  ArtifactReader(const ArtifactLimits& limits, Reporter& reporter)
      : limits_(limits), reporter_(reporter) {}

  Artifact read(JsonValue root) {
    Artifact artifact;
    ObjectFields fields(root, {}, reporter_);
    if (!root.is(JsonKind::kObject)) {
      reporter_.add(ProblemCode::kBadJson, {}, "A plan is a JSON object");
      return artifact;
    }
    fields.allow_only({"schema_version",
                       "name",
                       "plan_name",
                       "version",
                       "fragments",
                       "variant_of",
                       "nodes",
                       "outputs",
                       "output_keys",
                       "reserve_ms",
                       "sources"});
    // First, so that all other problems are placed in the source.
    if (const std::optional<JsonValue> sources = fields.find("sources")) read_sources(*sources);
    read_version(fields);
    read_name(fields, artifact);
    read_fragments(fields, artifact);
    read_nodes(fields, artifact);
    check_spans(artifact);
    if (fields.find("outputs")) {
      if (const std::optional<JsonValue> outputs = fields.find_array("outputs")) {
        if (outputs->size() == 0) {
          reporter_.add(
              ProblemCode::kNoOutput, fields.where_of(*outputs), "The plan has no output");
        }
        artifact.outputs = read_names(*outputs, {.path = "outputs"}, limits_.output_count_max);
      }
    } else {
      fields.missing("outputs");
    }
    if (const std::optional<JsonValue> keys = fields.find_array("output_keys")) {
      artifact.output_keys = read_names(*keys, {.path = "output_keys"}, limits_.string_bytes_max);
    }
    if (const std::optional<JsonValue> reserve = fields.find("reserve_ms")) {
      artifact.reserve = read_milliseconds(*reserve, fields.where_of(*reserve), reporter_);
    }
    return artifact;
  }

 private:
  void read_version(ObjectFields& fields) {
    const std::optional<JsonValue> version = fields.find("schema_version");
    if (!version) return fields.missing("schema_version");
    if (version->find_int() == kSchemaVersion) return;
    reporter_.add(ProblemCode::kUnsupportedVersion,
                  fields.where_of(*version),
                  "Unsupported schema_version",
                  base::format("this engine reads version {}", kSchemaVersion));
  }

  void read_name(ObjectFields& fields, Artifact& artifact) {
    if (const std::optional<JsonValue> name = fields.find_either("name", "plan_name")) {
      artifact.name = read_artifact_name(*name, fields.where_of(*name));
    } else {
      fields.missing("name");
    }
    const std::optional<JsonValue> version = fields.find("version");
    if (!version) return;
    if (const std::optional<std::int64_t> number = version->find_int()) {
      artifact.version = std::to_string(*number);
    } else if (const std::optional<std::string_view> text = version->find_string()) {
      artifact.version = read_artifact_name(*version, fields.where_of(*version)).text;
    } else {
      fields.wrong_type("string or int", *version, fields.where_of(*version));
    }
  }

  void read_fragments(ObjectFields& fields, Artifact& artifact) {
    if (const auto name = fields.find_string("variant_of")) artifact.variant_of = *name;
    const std::optional<JsonValue> fragments = fields.find("fragments");
    if (!fragments) return;
    const Where where = fields.where_of(*fragments);
    if (!fragments->is(JsonKind::kObject)) return fields.wrong_type("object", *fragments, where);
    for (const JsonValue version : fragments->children()) {
      artifact.fragments[std::string(version.key())] =
          read_artifact_name(version, where.member(version.key(), version)).text;
    }
  }

  void read_sources(JsonValue sources) {
    ObjectFields fields(sources, {.path = "sources", .offset = sources.offset()}, reporter_);
    if (!fields.is_object()) return;
    fields.allow_only({"file", "digest", "spans"});
    if (const auto file = fields.find_string("file")) reporter_.set_source_file(std::string(*file));
    (void)fields.find_string("digest");
    const std::optional<JsonValue> spans = fields.find("spans");
    if (!spans) return;
    if (!spans->is(JsonKind::kObject)) {
      return fields.wrong_type("object", *spans, fields.where_of(*spans));
    }
    // Kept aside: a place in the source must not be used before all spans are known to be good.
    for (const JsonValue span : spans->children()) {
      const Where where = fields.where_of(*spans).member(span.key(), span);
      if (const std::optional<SourceRange> range = read_span(span, where)) {
        spans_.emplace_back(ArtifactName{.text = std::string(span.key()), .where = where}, *range);
      }
    }
    for (const auto& [name, range] : spans_) reporter_.set_span(name.text, range);
  }

  std::optional<SourceRange> read_span(JsonValue span, const Where& where) {
    std::vector<std::uint32_t> numbers;
    for (const JsonValue item : span.children()) {
      const std::optional<std::int64_t> number = item.find_int();
      if (number && *number >= 1 && *number <= INT32_MAX) {
        numbers.push_back(static_cast<std::uint32_t>(*number));
      }
    }
    if (!span.is(JsonKind::kArray) || span.size() != 4 || numbers.size() != 4) {
      reporter_.add(ProblemCode::kWrongType,
                    where,
                    "A span is four whole numbers from 1: line, column, end line, end column");
      return std::nullopt;
    }
    return SourceRange{
        .line = numbers[0], .column = numbers[1], .end_line = numbers[2], .end_column = numbers[3]};
  }

  void check_spans(const Artifact& artifact) {
    std::unordered_set<std::string_view> ids;
    for (const ArtifactNode& node : artifact.nodes) ids.insert(node.id.text);
    for (const auto& [name, range] : spans_) {
      if (!ids.contains(name.text)) {
        reporter_.add(ProblemCode::kUnknownField,
                      {.path = name.where.path, .offset = name.where.offset},
                      "A span of a node that is not there: " + shortened(name.text));
      }
    }
  }

  void read_nodes(ObjectFields& fields, Artifact& artifact) {
    if (!fields.find("nodes")) return fields.missing("nodes");
    const std::optional<JsonValue> nodes = fields.find_array("nodes");
    if (!nodes) return;
    const Where where = fields.where_of(*nodes);
    if (nodes->size() > limits_.node_count_max) {
      return too_large(where, base::format("More than {} nodes", limits_.node_count_max));
    }
    artifact.nodes.reserve(nodes->size());
    std::size_t index = 0;
    for (const JsonValue node : nodes->children()) {
      read_node(node, where.item(index++, node), artifact);
    }
  }

  void read_node(JsonValue json, Where where, Artifact& artifact) {
    ObjectFields early(json, where, reporter_);
    if (!early.is_object()) return;
    const std::optional<JsonValue> id = early.find_either("id", "node_id");
    if (id) where.node = std::string(id->find_string().value_or(""));
    ObjectFields fields(json, where, reporter_);
    fields.allow_only({"id",
                       "node_id",
                       "op",
                       "kernel",
                       "inputs",
                       "outputs",
                       "params",
                       "scheduling",
                       "timeout_ms",
                       "on_failure",
                       "on_row_error",
                       "priority",
                       "trace"});
    ArtifactNode node;
    node.where = where;
    if (id) {
      node.id = read_artifact_name(*id, fields.where_of(*id));
    } else {
      fields.missing("id");
    }
    if (const std::optional<JsonValue> op = fields.find_either("op", "kernel")) {
      node.op = read_artifact_name(*op, fields.where_of(*op));
    } else {
      fields.missing("op");
    }
    read_inputs(fields, node);
    read_slots(fields, node);
    read_params(fields, node);
    read_scheduling(fields, node);
    read_failure(fields, node);
    artifact.nodes.push_back(std::move(node));
  }

  void read_inputs(ObjectFields& fields, ArtifactNode& node) {
    const std::optional<JsonValue> inputs = fields.find_array("inputs");
    if (!inputs) return;
    const Where where = fields.where_of(*inputs);
    if (inputs->size() > limits_.input_count_max) {
      return too_large(where, base::format("More than {} inputs", limits_.input_count_max));
    }
    std::size_t index = 0;
    for (const JsonValue item : inputs->children()) {
      if (auto input = read_input(item, where.item(index++, item))) {
        node.inputs.push_back(*std::move(input));
      }
    }
  }

  std::optional<ArtifactInput> read_input(JsonValue json, const Where& where) {
    using enum ArtifactInput::Kind;
    if (const std::optional<std::string_view> text = json.find_string()) {
      if (text->starts_with(kRequestPrefix)) {
        return ArtifactInput{.kind = kRequest,
                             .name = std::string(text->substr(kRequestPrefix.size())),
                             .ids = {},
                             .where = where};
      }
      return ArtifactInput{
          .kind = kSlot, .name = read_artifact_name(json, where).text, .ids = {}, .where = where};
    }
    ArtifactInput input{.kind = kConstant, .name = {}, .ids = {}, .where = where};
    if (const std::optional<std::int64_t> id = json.find_int()) {
      input.ids.push_back(*id);
      return input;
    }
    if (!json.is(JsonKind::kArray)) {
      reporter_.add(ProblemCode::kWrongType,
                    where,
                    base::format("Not an input: {}", base::to_string(json.kind())),
                    "a slot, '$req.field', an id or a list of ids");
      return std::nullopt;
    }
    if (json.size() > limits_.constant_ids_max) {
      too_large(where, base::format("More than {} ids", limits_.constant_ids_max));
      return std::nullopt;
    }
    std::size_t index = 0;
    for (const JsonValue item : json.children()) {
      if (const std::optional<std::int64_t> id = item.find_int()) {
        input.ids.push_back(*id);
      } else {
        reporter_.add(
            ProblemCode::kWrongType,
            where.item(index, item),
            base::format("An id is an int of 64 bits, found {}", base::to_string(item.kind())));
      }
      ++index;
    }
    return input;
  }

  void read_slots(ObjectFields& fields, ArtifactNode& node) {
    if (const std::optional<JsonValue> outputs = fields.find_array("outputs")) {
      node.slots = read_names(*outputs, fields.where_of(*outputs), limits_.output_count_max);
      if (outputs->size() != 0) return;
      reporter_.add(ProblemCode::kBadValue,
                    fields.where_of(*outputs),
                    "A node has at least one output",
                    "leave the field out: the slot is then the id");
    }
    if (node.slots.empty()) node.slots.push_back(node.id);
  }

  void read_params(ObjectFields& fields, ArtifactNode& node) {
    const std::optional<JsonValue> params = fields.find("params");
    if (!params) return;
    const Where where = fields.where_of(*params);
    if (!params->is(JsonKind::kObject)) return fields.wrong_type("object", *params, where);
    if (params->size() > limits_.param_count_max) {
      return too_large(where, base::format("More than {} params", limits_.param_count_max));
    }
    for (const JsonValue param : params->children()) {
      node.params.push_back({.name = std::string(param.key()),
                             .value = param,
                             .where = where.member(param.key(), param)});
    }
  }

  void read_scheduling(ObjectFields& fields, ArtifactNode& node) {
    if (const auto priority =
            fields.find_choice("priority", {"high", "normal", "low", "background"})) {
      node.priority = static_cast<PlanPriority>(*priority);
    }
    node.trace = fields.find_bool("trace").value_or(true);
    if (const std::optional<JsonValue> timeout = fields.find("timeout_ms")) {
      node.timeout = read_milliseconds(*timeout, fields.where_of(*timeout), reporter_);
    }
    const std::optional<JsonValue> scheduling = fields.find("scheduling");
    if (!scheduling) return;
    ObjectFields hints(*scheduling, fields.where_of(*scheduling), reporter_);
    if (!hints.is_object()) return;
    hints.allow_only({"inline", "cost_estimate_us"});
    node.inline_hint = hints.find_bool("inline");
    if (const std::optional<JsonValue> cost = hints.find("cost_estimate_us")) {
      node.cost_estimate = read_cost(*cost, hints.where_of(*cost));
    }
  }

  base::Duration read_cost(JsonValue json, const Where& where) {
    using std::chrono::microseconds;
    if (!json.find_number()) {
      reporter_.add(ProblemCode::kWrongType,
                    where,
                    base::format("Expected int, found {}", base::to_string(json.kind())));
      return {};
    }
    const std::optional<std::int64_t> cost = json.find_int();
    if (cost && *cost >= 0 && *cost <= kDurationMax / microseconds(1)) return microseconds(*cost);
    reporter_.add(ProblemCode::kBadCost,
                  where,
                  "Not a cost",
                  "a whole number of microseconds from 0 (unknown) to one hour");
    return {};
  }

  void read_failure(ObjectFields& fields, ArtifactNode& node) {
    if (const auto rule = fields.find_choice("on_row_error", {"null", "drop", "fail"})) {
      node.on_row_error = static_cast<RowErrorRule>(*rule);
    }
    const std::optional<JsonValue> json = fields.find("on_failure");
    if (!json) return;
    node.on_failure.where = fields.where_of(*json);
    if (json->find_string() == "fail") return;
    if (json->is(JsonKind::kString)) {
      return reporter_.add(ProblemCode::kBadValue,
                           node.on_failure.where,
                           "Unknown on_failure: " + shortened(*json->find_string()),
                           R"("fail", {"use": "empty"}, {"use": "input"} or {"use": "node", …})");
    }
    ObjectFields use(*json, node.on_failure.where, reporter_);
    if (!use.is_object()) return;
    use.allow_only({"use", "id"});
    if (!use.find("use")) use.missing("use");
    const auto kind = use.find_choice("use", {"empty", "input", "node"});
    if (!kind) return;
    node.on_failure.use = static_cast<OnFailure>(*kind + 1);
    const std::optional<JsonValue> id = use.find("id");
    if (node.on_failure.use != OnFailure::kUseNode) {
      if (id) {
        reporter_.add(ProblemCode::kUnknownField,
                      use.where_of(*id),
                      "Unknown field: id",
                      R"(only {"use": "node"} names one)");
      }
      return;
    }
    if (!id) return use.missing("id");
    node.on_failure.where = use.where_of(*id);
    node.on_failure.node = read_artifact_name(*id, use.where_of(*id)).text;
  }

  std::vector<ArtifactName> read_names(JsonValue array, const Where& where, std::size_t count_max) {
    std::vector<ArtifactName> names;
    if (array.size() > count_max) {
      too_large(where, base::format("More than {} names", count_max));
      return names;
    }
    std::size_t index = 0;
    for (const JsonValue item : array.children()) {
      ArtifactName name = read_artifact_name(item, where.item(index++, item));
      if (!name.text.empty()) names.push_back(std::move(name));
    }
    return names;
  }

  /// Gives an empty text for what is no name.
  ArtifactName read_artifact_name(JsonValue json, Where where) {
    const std::optional<std::string_view> text = json.find_string();
    if (!text) {
      reporter_.add(ProblemCode::kWrongType,
                    where,
                    base::format("Expected string, found {}", base::to_string(json.kind())));
      return {.text = {}, .where = std::move(where)};
    }
    if (!is_artifact_name(*text, limits_.name_bytes_max)) {
      reporter_.add(ProblemCode::kBadName,
                    where,
                    "Not a name: " + shortened(*text),
                    base::format("1 to {} bytes, no control characters, no '$' first",
                                 limits_.name_bytes_max));
      return {.text = {}, .where = std::move(where)};
    }
    return {.text = std::string(*text), .where = std::move(where)};
  }

  void too_large(const Where& where, std::string message) {
    reporter_.add(ProblemCode::kTooLarge, where, std::move(message));
  }

  const ArtifactLimits& limits_;
  Reporter& reporter_;
  std::vector<std::pair<ArtifactName, SourceRange>> spans_;
};

}  // namespace

bool read_artifact_json(std::string_view bytes,
                        const ArtifactLimits& limits,
                        base::JsonDocument& document,
                        ProblemReport& report) {
  base::JsonReader reader(
      {.text_bytes_max = limits.text_bytes_max, .string_bytes_max = limits.string_bytes_max});
  const std::expected<void, base::JsonProblem> done = reader.read(bytes, document);
  if (done) return true;
  const base::JsonProblem& problem = done.error();
  report.add({.code = to_problem_code(problem.code),
              .path = {},
              .file = {},
              .line = problem.place.line,
              .column = problem.place.column,
              .message = problem.message,
              .hint = {}});
  return false;
}

Artifact read_artifact(const base::JsonDocument& document,
                       const ArtifactLimits& limits,
                       Reporter& reporter) {
  return ArtifactReader(limits, reporter).read(document.root());
}

std::optional<base::Duration> read_milliseconds(JsonValue value,
                                                const Where& where,
                                                Reporter& reporter) {
  using std::chrono::milliseconds;
  if (!value.find_number()) {
    reporter.add(ProblemCode::kWrongType,
                 where,
                 base::format("Expected int, found {}", base::to_string(value.kind())));
    return std::nullopt;
  }
  const std::optional<std::int64_t> count = value.find_int();
  if (count && *count >= 1 && *count <= kDurationMax / milliseconds(1)) {
    return milliseconds(*count);
  }
  reporter.add(ProblemCode::kBadTimeout,
               where,
               "Not a duration",
               "a whole number of milliseconds from 1 to one hour");
  return std::nullopt;
}

}  // namespace millrace::plan
