#include "plan/artifact/node_reader.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/format.h"
#include "base/formats/object_reader.h"
#include "base/formats/value_reader.h"
#include "base/problems/message_text.h"
#include "plan/artifact/artifact_names.h"
#include "plan/problem.h"

namespace millrace::plan {

namespace {

using base::JsonKind;
using base::JsonValue;
using base::ObjectReader;
using base::ValuePlace;

constexpr std::string_view kRequestPrefix = "$req.";
constexpr std::chrono::hours kCostMax{1};

/// Reads one node; each method reads one part of it.
class NodeReader {
 public:
  NodeReader(const NodeContext& context, ArtifactNode& node)
      : limits_(context.limits),
        reporter_(context.reporter),
        values_(context.reporter),
        node_(node) {}

  void read(ObjectReader& fields) {
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
    if (const std::optional<JsonValue> op = fields.require_either("op", "kernel")) {
      node_.op = read_name(*op, fields.place_of(*op));
    }
    read_inputs(fields);
    read_slots(fields);
    read_params(fields);
    read_scheduling(fields);
    read_failure(fields);
  }

  ArtifactName read_name(JsonValue value, ValuePlace place) {
    return read_artifact_name(value, std::move(place), limits_.name_bytes_max, reporter_);
  }

 private:
  void read_inputs(ObjectReader& fields) {
    const std::optional<JsonValue> inputs = fields.find("inputs");
    if (!inputs) return;
    const ValuePlace place = fields.place_of(*inputs);
    if (!values_.is_array(*inputs, place, limits_.input_count_max, "inputs")) return;
    for (const JsonValue item : inputs->children()) {
      if (auto input = read_input(item, place.child(item))) {
        node_.inputs.push_back(*std::move(input));
      }
    }
  }

  std::optional<ArtifactInput> read_input(JsonValue json, const ValuePlace& place) {
    using enum ArtifactInput::Kind;
    if (const std::optional<std::string_view> text = json.find_string()) {
      if (text->starts_with(kRequestPrefix)) {
        return ArtifactInput{.kind = kRequest,
                             .name = std::string(text->substr(kRequestPrefix.size())),
                             .ids = {},
                             .where = place};
      }
      return ArtifactInput{
          .kind = kSlot, .name = read_name(json, place).text, .ids = {}, .where = place};
    }
    ArtifactInput input{.kind = kConstant, .name = {}, .ids = {}, .where = place};
    if (const std::optional<std::int64_t> id = json.find_int()) {
      input.ids.push_back(*id);
      return input;
    }
    if (!json.is(JsonKind::kArray)) {
      reporter_.add(ProblemCode::kWrongType,
                    place,
                    base::format("Not an input: {}", base::to_string(json.kind())),
                    "a slot, '$req.field', an id or a list of ids");
      return std::nullopt;
    }
    if (!values_.is_array(json, place, limits_.constant_ids_max, "ids")) return std::nullopt;
    read_ids(json, place, input.ids);
    return input;
  }

  void read_ids(JsonValue array, const ValuePlace& place, std::vector<std::int64_t>& ids) {
    for (const JsonValue item : array.children()) {
      if (const std::optional<std::int64_t> id = item.find_int()) {
        ids.push_back(*id);
      } else {
        reporter_.add(
            ProblemCode::kWrongType,
            place.child(item),
            base::format("An id is an int of 64 bits, found {}", base::to_string(item.kind())));
      }
    }
  }

  void read_slots(ObjectReader& fields) {
    if (const std::optional<JsonValue> outputs = fields.find_array("outputs")) {
      node_.slots = read_artifact_names(
          *outputs,
          fields.place_of(*outputs),
          {.bytes_max = limits_.name_bytes_max, .count_max = limits_.output_count_max},
          reporter_);
      if (outputs->size() != 0) return;
      reporter_.add(ProblemCode::kBadValue,
                    fields.place_of(*outputs),
                    "A node has at least one output",
                    "leave the field out: the slot is then the id");
    }
    if (node_.slots.empty()) node_.slots.push_back(node_.id);
  }

  void read_params(ObjectReader& fields) {
    const std::optional<ObjectReader> params = fields.find_object("params");
    if (!params) return;
    const JsonValue object = params->value();
    if (object.size() > limits_.param_count_max) {
      return values_.too_large(params->place(), limits_.param_count_max, "params");
    }
    for (const JsonValue param : object.children()) {
      node_.params.push_back(
          {.name = std::string(param.key()), .value = param, .where = params->place_of(param)});
    }
  }

  void read_scheduling(ObjectReader& fields) {
    if (const auto priority =
            fields.find_choice("priority", {"high", "normal", "low", "background"})) {
      node_.priority = static_cast<PlanPriority>(*priority);
    }
    node_.trace = fields.find_bool("trace").value_or(true);
    node_.timeout = fields.find_milliseconds("timeout_ms");
    std::optional<ObjectReader> hints = fields.find_object("scheduling");
    if (!hints) return;
    hints->allow_only({"inline", "cost_estimate_us"});
    node_.inline_hint = hints->find_bool("inline");
    if (const std::optional<JsonValue> cost = hints->find("cost_estimate_us")) {
      node_.cost_estimate = read_cost(*cost, hints->place_of(*cost));
    }
  }

  base::Duration read_cost(JsonValue json, const ValuePlace& place) {
    using std::chrono::microseconds;
    if (!json.find_number()) {
      values_.wrong_type(JsonKind::kInt, json, place);
      return {};
    }
    const std::optional<std::int64_t> cost = json.find_int();
    if (cost && *cost >= 0 && *cost <= kCostMax / microseconds(1)) return microseconds(*cost);
    reporter_.add(ProblemCode::kBadCost,
                  place,
                  "Not a cost",
                  "a whole number of microseconds from 0 (unknown) to one hour");
    return {};
  }

  void read_failure(ObjectReader& fields) {
    if (const auto rule = fields.find_choice("on_row_error", {"null", "drop", "fail"})) {
      node_.on_row_error = static_cast<RowErrorRule>(*rule);
    }
    const std::optional<JsonValue> json = fields.find("on_failure");
    if (!json) return;
    ArtifactFallback& fallback = node_.on_failure;
    fallback.where = fields.place_of(*json);
    if (const std::optional<std::string_view> word = json->find_string()) {
      if (*word == "fail") return;
      return reporter_.add(ProblemCode::kBadValue,
                           fallback.where,
                           "Unknown on_failure: " + base::shortened(*word),
                           R"("fail", {"use": "empty"}, {"use": "input"} or {"use": "node", …})");
    }
    ObjectReader use(*json, fallback.where, reporter_);
    if (!use.is_object()) return;
    use.allow_only({"use", "id"});
    use.require("use");
    const auto kind = use.find_choice("use", {"empty", "input", "node"});
    if (!kind) return;
    fallback.use = static_cast<OnFailure>(*kind + 1);
    read_fallback_node(use);
  }

  void read_fallback_node(ObjectReader& use) {
    ArtifactFallback& fallback = node_.on_failure;
    if (fallback.use != OnFailure::kUseNode) {
      if (!use.has("id")) return;
      return use.add(ProblemCode::kUnknownField,
                     "id",
                     "Unknown field: id",
                     R"(only {"use": "node"} names one)");
    }
    const std::optional<JsonValue> id = use.require("id");
    if (!id) return;
    fallback.where = use.place_of(*id);
    fallback.node = read_name(*id, fallback.where).text;
  }

  const ArtifactLimits& limits_;
  base::DocumentReporter& reporter_;
  base::ValueReader values_;
  ArtifactNode& node_;
};

}  // namespace

void read_node(JsonValue json,
               const ValuePlace& place,
               const NodeContext& context,
               std::vector<ArtifactNode>& nodes) {
  // The id comes first: it says where in the source all problems of the node are.
  ObjectReader unplaced(json, place, context.reporter);
  if (!unplaced.is_object()) return;
  const std::optional<JsonValue> id = unplaced.require_either("id", "node_id");
  ArtifactNode& node = nodes.emplace_back();
  node.where = place;
  if (id) {
    const auto span = context.spans.find(std::string(id->find_string().value_or("")));
    if (span != context.spans.end()) node.where.source = span->second;
  }
  ObjectReader fields(json, node.where, context.reporter);
  NodeReader reader(context, node);
  if (id) node.id = reader.read_name(*id, fields.place_of(*id));
  reader.read(fields);
}

}  // namespace millrace::plan
