#include "plan/artifact/artifact_reader.h"

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/formats/json_reader.h"
#include "base/formats/object_reader.h"
#include "base/formats/value_reader.h"
#include "base/problems/message_text.h"
#include "base/text_place.h"
#include "plan/artifact/artifact_names.h"
#include "plan/artifact/node_reader.h"

namespace millrace::plan {

namespace {

using base::JsonKind;
using base::JsonValue;
using base::ObjectReader;
using base::ValuePlace;

constexpr std::int64_t kSchemaVersion = 1;

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

/// Reads one artifact; each method reads one part of it.
class ArtifactReader {
 public:
  ArtifactReader(const ArtifactLimits& limits, base::DocumentReporter& reporter)
      : limits_(limits), reporter_(reporter), values_(reporter) {}

  Artifact read(JsonValue root) {
    Artifact artifact;
    if (!root.is(JsonKind::kObject)) {
      reporter_.add(ProblemCode::kBadJson, {}, "A plan is a JSON object");
      return artifact;
    }
    ObjectReader fields(root, {}, reporter_);
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
    // Sources come first: they say where in the `.plan.ts` the problems of all nodes are.
    read_sources(fields);
    read_version(fields);
    read_name(fields, artifact);
    read_fragments(fields, artifact);
    read_nodes(fields, artifact);
    check_spans(artifact);
    read_outputs(fields, artifact);
    artifact.reserve = fields.find_milliseconds("reserve_ms");
    return artifact;
  }

 private:
  void read_version(ObjectReader& fields) {
    const std::optional<JsonValue> version = fields.require("schema_version");
    if (!version || version->find_int() == kSchemaVersion) return;
    reporter_.add(ProblemCode::kUnsupportedVersion,
                  fields.place_of(*version),
                  "Unsupported schema_version",
                  base::format("this engine reads version {}", kSchemaVersion));
  }

  void read_name(ObjectReader& fields, Artifact& artifact) {
    if (const std::optional<JsonValue> name = fields.require_either("name", "plan_name")) {
      artifact.name = read_one_name(*name, fields.place_of(*name));
    }
    const std::optional<JsonValue> version = fields.find("version");
    if (!version) return;
    if (const std::optional<std::int64_t> number = version->find_int()) {
      artifact.version = std::to_string(*number);
    } else if (version->is(JsonKind::kString)) {
      artifact.version = read_one_name(*version, fields.place_of(*version)).text;
    } else {
      values_.wrong_type("string or int", *version, fields.place_of(*version));
    }
  }

  void read_fragments(ObjectReader& fields, Artifact& artifact) {
    if (const auto name = fields.find_string("variant_of")) artifact.variant_of = *name;
    const std::optional<ObjectReader> fragments = fields.find_object("fragments");
    if (!fragments) return;
    for (const JsonValue version : fragments->value().children()) {
      artifact.fragments[std::string(version.key())] =
          read_one_name(version, fragments->place_of(version)).text;
    }
  }

  void read_sources(ObjectReader& fields) {
    std::optional<ObjectReader> sources = fields.find_object("sources");
    if (!sources) return;
    sources->allow_only({"file", "digest", "spans"});
    if (const auto file = sources->find_string("file")) {
      reporter_.set_source_file(std::string(*file));
    }
    (void)sources->find_string("digest");
    const std::optional<ObjectReader> spans = sources->find_object("spans");
    if (!spans) return;
    for (const JsonValue span : spans->value().children()) {
      ValuePlace place = spans->place_of(span);
      if (const std::optional<base::SourceRange> range = read_span(span, place)) {
        spans_[std::string(span.key())] = *range;
        span_names_.push_back({.text = std::string(span.key()), .where = std::move(place)});
      }
    }
  }

  std::optional<base::SourceRange> read_span(JsonValue span, const ValuePlace& place) {
    std::vector<std::uint32_t> numbers;
    for (const JsonValue item : span.children()) {
      const std::optional<std::int64_t> number = item.find_int();
      if (number && *number >= 1 && *number <= INT32_MAX) {
        numbers.push_back(static_cast<std::uint32_t>(*number));
      }
    }
    if (!span.is(JsonKind::kArray) || span.size() != 4 || numbers.size() != 4) {
      reporter_.add(ProblemCode::kWrongType,
                    place,
                    "A span is four whole numbers from 1: line, column, end line, end column");
      return std::nullopt;
    }
    return base::SourceRange{
        .line = numbers[0], .column = numbers[1], .end_line = numbers[2], .end_column = numbers[3]};
  }

  void check_spans(const Artifact& artifact) {
    // Nodes that could not be read are a problem of their own.
    if (artifact.nodes.empty()) return;
    std::unordered_set<std::string_view> ids;
    for (const ArtifactNode& node : artifact.nodes) ids.insert(node.id.text);
    for (const ArtifactName& name : span_names_) {
      if (ids.contains(name.text)) continue;
      reporter_.add(ProblemCode::kUnknownField,
                    name.where,
                    "A span names an unknown node: " + base::shortened(name.text));
    }
  }

  void read_nodes(ObjectReader& fields, Artifact& artifact) {
    const std::optional<JsonValue> nodes = fields.require("nodes");
    if (!nodes) return;
    const ValuePlace place = fields.place_of(*nodes);
    if (!values_.is_array(*nodes, place, limits_.node_count_max, "nodes")) return;
    artifact.nodes.reserve(nodes->size());
    const NodeContext context{.limits = limits_, .spans = spans_, .reporter = reporter_};
    for (const JsonValue node : nodes->children()) {
      read_node(node, place.child(node), context, artifact.nodes);
    }
  }

  void read_outputs(ObjectReader& fields, Artifact& artifact) {
    fields.require("outputs");
    if (const std::optional<JsonValue> outputs = fields.find_array("outputs")) {
      if (outputs->size() == 0) {
        fields.add(ProblemCode::kNoOutput, "outputs", "The plan has no output");
      }
      artifact.outputs = read_names(fields, *outputs, limits_.output_count_max);
    }
    if (const std::optional<JsonValue> keys = fields.find_array("output_keys")) {
      artifact.output_keys = read_names(fields, *keys, limits_.output_key_count_max);
    }
  }

  std::vector<ArtifactName> read_names(const ObjectReader& fields,
                                       JsonValue array,
                                       std::size_t count_max) {
    return read_artifact_names(array,
                               fields.place_of(array),
                               {.bytes_max = limits_.name_bytes_max, .count_max = count_max},
                               reporter_);
  }

  ArtifactName read_one_name(JsonValue value, ValuePlace place) {
    return read_artifact_name(value, std::move(place), limits_.name_bytes_max, reporter_);
  }

  const ArtifactLimits& limits_;
  base::DocumentReporter& reporter_;
  base::ValueReader values_;
  SpanTable spans_;
  std::vector<ArtifactName> span_names_;
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
              .line = problem.place.line,
              .column = problem.place.column,
              .message = problem.message});
  return false;
}

Artifact read_artifact(const base::JsonDocument& document,
                       const ArtifactLimits& limits,
                       base::DocumentReporter& reporter) {
  return ArtifactReader(limits, reporter).read(document.root());
}

}  // namespace millrace::plan
