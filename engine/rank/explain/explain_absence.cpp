#include "rank/explain/explain_absence.h"

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/result.h"
#include "plan/key_pattern.h"
#include "rank/explain/row_flow.h"
#include "rows/batch.h"

namespace millrace::rank {
namespace {

using base::JsonWriter;

std::optional<plan::KeyPattern> find_pattern(const plan::CompiledNode& node) {
  for (std::size_t index = 0; index < node.params.size(); ++index) {
    const auto* const text = std::get_if<std::string>(&node.params[index]);
    if (node.task->params[index].type != plan::ParamType::kKeyPattern || text == nullptr) continue;
    if (base::Result<plan::KeyPattern> pattern = plan::parse_key_pattern(*text)) return *pattern;
  }
  return std::nullopt;
}

// The key that a pattern gives, or nothing where a value is missing.
template <class ValueOf>
std::optional<std::string> list_key(const plan::KeyPattern& pattern, const ValueOf& value_of) {
  std::string key = pattern.prefix;
  for (const plan::KeyPattern::Place& place : pattern.places) {
    const rows::Value value = value_of(place.name);
    if (const auto* const number = std::get_if<std::int64_t>(&value)) {
      key += std::to_string(*number);
    } else if (const auto* const text = std::get_if<std::string_view>(&value)) {
      key += *text;
    } else {
      return std::nullopt;
    }
    key += place.suffix;
  }
  return key;
}

rows::Value request_value(const ExplainSource& source, std::string_view name) {
  if (name == "user_id") return source.request.user_id;
  for (std::size_t index = 0; index < source.request_fields.size(); ++index) {
    if (source.run.plan->request_fields[index].name == name) return source.request_fields[index];
  }
  return {};
}

void write_lists(JsonWriter& json,
                 const ExplainSource& source,
                 std::uint32_t node,
                 const plan::KeyPattern& pattern) {
  json.key("lists");
  json.begin_array();
  std::size_t count = 0;
  const auto add = [&](const auto& value_of) {
    const std::optional<std::string> key = list_key(pattern, value_of);
    if (key && ++count <= kListsMax) json.value(*key);
  };
  if (source.run.inputs[node].empty()) {
    add([&](std::string_view name) { return request_value(source, name); });
  } else if (const rows::RowSet* const parents = source.run.inputs[node].front()) {
    for (std::size_t position = 0; position < parents->size(); ++position) {
      add([&](std::string_view name) {
        const rows::Column* const column = parents->batch()->find_column(name);
        return column == nullptr ? rows::Value{} : column->value_at(parents->row_at(position));
      });
    }
  }
  json.end_array();
  json.member("list_count", count);
}

void write_name(JsonWriter& json, const plan::CompiledNode& node) {
  json.member("node", node.id);
  json.member("op", node.task->op);
}

}  // namespace

ExplainAbsence::ExplainAbsence(const ExplainSource& source)
    : source_(source), plan_(*source.run.plan) {
  reaches_output_.assign(plan_.nodes.size(), false);
  std::vector<std::uint32_t> open = plan_.outputs;
  while (!open.empty()) {
    const std::uint32_t node = open.back();
    open.pop_back();
    if (reaches_output_[node]) continue;
    reaches_output_[node] = true;
    const plan::CompiledNode& compiled = plan_.nodes[node];
    for (std::size_t input = 0; input < compiled.inputs.size(); ++input) {
      const auto* const from = std::get_if<plan::NodeInput>(&compiled.inputs[input]);
      if (from != nullptr && role_of(compiled, input) == InputRole::kRows)
        open.push_back(from->node);
    }
    if (source_.run.stood_in[node] && compiled.fallback_node != plan::kNoPlanNode)
      open.push_back(compiled.fallback_node);
  }
}

void ExplainAbsence::write(JsonWriter& json) const {
  json.begin_array();
  for (std::uint32_t node = 0; node < plan_.nodes.size(); ++node) {
    const plan::CompiledNode& compiled = plan_.nodes[node];
    if (!reaches_output_[node] || source_.run.rows[node] == nullptr) continue;
    if (makes_rows(compiled)) write_node(json, node);
    for (std::size_t input = 0; input < compiled.inputs.size(); ++input) {
      if (std::holds_alternative<plan::NodeInput>(compiled.inputs[input]) ||
          role_of(compiled, input) != InputRole::kRows)
        continue;
      json.begin_object();
      write_name(json, compiled);
      json.member("input", outside_name(compiled, input));
      json.end_object();
    }
  }
  json.end_array();
}

void ExplainAbsence::write_node(JsonWriter& json, std::uint32_t node) const {
  const plan::CompiledNode& compiled = plan_.nodes[node];
  json.begin_object();
  write_name(json, compiled);
  json.member("rows", source_.run.rows[node]->size());
  if (source_.run.stood_in[node]) json.member("by", "fallback");
  if (const auto* const fanout = find_param<std::int64_t>(compiled, "fanout"))
    json.member("fanout", *fanout);
  if (const auto pattern = find_pattern(compiled)) write_lists(json, source_, node, *pattern);
  json.end_object();
}

std::string outside_name(const plan::CompiledNode& node, std::size_t input) {
  const auto* const field = std::get_if<plan::RequestInput>(&node.inputs[input]);
  return field != nullptr ? "$req." + field->field : "constant";
}

}  // namespace millrace::rank
