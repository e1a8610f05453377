#include "plan/check/columns.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/check.h"
#include "expr/compiled_expr.h"
#include "plan/check/join_params.h"
#include "plan/check/key_names.h"
#include "plan/key_pattern.h"
#include "plan/membership.h"
#include "plan/task_catalog.h"

namespace millrace::plan {

ColumnAnalysis::ColumnAnalysis(const Registry& registry)
    : registry_(registry), on_demand_(registry.keys().size()) {
  for (const FieldInfo& key : registry.keys()) {
    if (key.lifecycle == Lifecycle::kBlocked || key.allow_write || is_built_in_key(key.name)) {
      continue;
    }
    add_key(on_demand_, key.name);
  }
}

std::size_t ColumnAnalysis::index_of(std::string_view key) const {
  const FieldInfo* info = registry_.find_key(key);
  MR_CHECK(info != nullptr, key);
  return static_cast<std::size_t>(info - registry_.keys().data());
}

void ColumnAnalysis::add_key(KeySet& keys, std::string_view name) const {
  if (registry_.find_key(name) != nullptr) keys.add(index_of(name));
}

KeySet ColumnAnalysis::explicit_keys(const CompiledNode& node) const {
  KeySet keys = none();
  for (std::size_t i = 0; i < node.params.size(); ++i) {
    const ParamSpec& spec = node.task->params[i];
    if (spec.name != node.task->keys_param) continue;
    if (const auto* names = std::get_if<std::vector<std::string>>(&node.params[i])) {
      for (const std::string& name : *names) add_key(keys, name);
    }
  }
  return keys;
}

KeySet ColumnAnalysis::supplied_keys(const CompiledNode& node) const {
  const std::optional<std::string_view> prefix = hash_prefix(node);
  if (!prefix) return on_demand_;
  KeySet keys = on_demand_;
  on_demand_.for_each([&](std::size_t key) {
    if (!belongs_to(registry_.keys()[key], *prefix)) keys.remove(key);
  });
  return keys;
}

NodeColumns ColumnAnalysis::columns_of(const PlanInput& input) const {
  NodeColumns columns{.present = none(),
                      .offered = none(),
                      .written = none(),
                      .on_demand = none(),
                      .partial = none(),
                      .taken = {}};
  columns.present.add(index_of("id"));
  if (const auto* field = std::get_if<RequestInput>(&input)) add_key(columns.present, field->field);
  return columns;
}

NodeColumns ColumnAnalysis::columns_of(const CompiledNode& node,
                                       const std::vector<const NodeColumns*>& inputs) const {
  NodeColumns columns{.present = none(),
                      .offered = none(),
                      .written = none(),
                      .on_demand = none(),
                      .partial = none(),
                      .taken = {}};
  const TaskSpec& task = *node.task;
  add_inputs(columns, task, inputs);
  add_written(columns, node);
  columns.partial -= columns.written;
  if (makes_entities(task) && !inputs.empty()) {
    for (const TakenKey& key : columns.taken) {
      const bool is_same = task.columns == OutputColumns::kFanOut || key.to == key.from;
      if (is_same && inputs.front()->partial.contains(key.from)) columns.partial.add(key.to);
    }
  }
  if (task.join) add_joined(columns, node, inputs);
  if (task.writes_on_demand) {
    const KeySet listed = explicit_keys(node);
    columns.on_demand = listed.empty() ? supplied_keys(node) - columns.written : listed;
    if (!listed.empty()) columns.present |= listed;
    columns.offered |= columns.on_demand;
    columns.partial -= columns.on_demand;
  }
  columns.present.add(index_of("id"));
  columns.present |= columns.written;
  columns.offered -= columns.present;
  return columns;
}

void ColumnAnalysis::add_inputs(NodeColumns& columns,
                                const TaskSpec& task,
                                const std::vector<const NodeColumns*>& inputs) const {
  if (inputs.empty()) return;
  switch (task.columns) {
    case OutputColumns::kSource:
    case OutputColumns::kFanOut:
    case OutputColumns::kGroups:
      return;
    case OutputColumns::kFirstInput:
    case OutputColumns::kJoin:
      columns.present = inputs.front()->present;
      columns.offered = inputs.front()->offered;
      columns.partial = inputs.front()->partial;
      return;
    case OutputColumns::kUnion:
      break;
  }
  KeySet everywhere = inputs.front()->present | inputs.front()->offered;
  for (const NodeColumns* input : inputs) {
    columns.present |= input->present;
    columns.offered |= input->offered;
    columns.partial |= input->partial;
    everywhere &= input->present | input->offered;
  }
  columns.partial |= (columns.present | columns.offered) - everywhere;
}

void ColumnAnalysis::add_written(NodeColumns& columns, const CompiledNode& node) const {
  const TaskSpec& task = *node.task;
  for (const std::string& key : task.writes) add_key(columns.written, key);
  const bool has_parents = task.columns == OutputColumns::kFanOut && !node.inputs.empty();
  if (has_parents) add_key(columns.written, "parent_id");
  for (std::size_t i = 0; i < node.params.size(); ++i) {
    const ParamSpec& spec = task.params[i];
    if (spec.type == ParamType::kOutKey) {
      if (const auto* key = std::get_if<std::string>(&node.params[i])) {
        add_key(columns.written, *key);
      }
    } else if (spec.type == ParamType::kKeyMap && spec.read_from.empty()) {
      const auto* moves = std::get_if<std::vector<KeyMove>>(&node.params[i]);
      if (moves == nullptr) continue;
      for (const KeyMove& move : *moves) {
        columns.taken.push_back({.to = index_of(move.to), .from = index_of(move.from)});
        columns.written.add(columns.taken.back().to);
      }
    } else if (spec.type == ParamType::kKeyList && task.columns == OutputColumns::kGroups) {
      add_group_keys(columns, node.params[i]);
    }
  }
}

/// The rows of a group have its keys in common, so that the row that stands for it has them too.
void ColumnAnalysis::add_group_keys(NodeColumns& columns, const ParamValue& names) const {
  const auto* keys = std::get_if<std::vector<std::string>>(&names);
  if (keys == nullptr) return;
  for (const std::string& name : *keys) {
    if (name == "id" || registry_.find_key(name) == nullptr) continue;
    columns.taken.push_back({.to = index_of(name), .from = index_of(name)});
    columns.written.add(columns.taken.back().to);
  }
}

/// Adds what a join takes from its other input. A key that both inputs have is ambiguous unless
/// `columns` names it: then the rows after the join do not have it, so that reading it is an error.
void ColumnAnalysis::add_joined(NodeColumns& columns,
                                const CompiledNode& node,
                                const std::vector<const NodeColumns*>& inputs) const {
  const JoinParams join(node);
  if (!join.takes_columns() || join.rhs_input() >= inputs.size()) return;
  const NodeColumns& right = *inputs[join.rhs_input()];
  if (const std::vector<KeyMove>* moves = join.columns()) {
    for (const KeyMove& move : *moves) {
      columns.taken.push_back({.to = index_of(move.to), .from = index_of(move.from)});
    }
  } else {
    KeySet all = right.present | right.offered;
    all.remove(index_of("id"));
    for (const std::string& key : join.rhs_by()) all.remove(index_of(key));
    all.for_each([&](std::size_t key) {
      if (columns.has(key)) {
        columns.present.remove(key);
        columns.offered.remove(key);
      } else {
        columns.taken.push_back({.to = key, .from = key});
      }
    });
  }
  for (const TakenKey& key : columns.taken) {
    (right.present.contains(key.from) ? columns.present : columns.offered).add(key.to);
    if (right.partial.contains(key.from)) columns.partial.add(key.to);
  }
}

std::vector<NodeColumns> ColumnAnalysis::columns_of(const CompiledPlan& plan) const {
  std::vector<NodeColumns> columns;
  columns.reserve(plan.nodes.size());
  for (const CompiledNode& node : plan.nodes) {
    std::vector<NodeColumns> outside;
    outside.reserve(node.inputs.size());
    std::vector<const NodeColumns*> inputs;
    for (const PlanInput& input : node.inputs) {
      const auto* from = std::get_if<NodeInput>(&input);
      inputs.push_back(from != nullptr ? &columns[from->node]
                                       : &outside.emplace_back(columns_of(input)));
    }
    columns.push_back(columns_of(node, inputs));
  }
  return columns;
}

void ColumnAnalysis::add_reads(KeySet& keys, const CompiledNode& node, std::size_t param) const {
  const ParamSpec& spec = node.task->params[param];
  const ParamValue& value = node.params[param];
  if (spec.type == ParamType::kKey) {
    if (const auto* key = std::get_if<std::string>(&value)) add_key(keys, *key);
  } else if (spec.type == ParamType::kKeyList && spec.name != node.task->keys_param) {
    if (const auto* names = std::get_if<std::vector<std::string>>(&value)) {
      for (const std::string& name : *names) add_key(keys, name);
    }
  } else if (const auto* order = std::get_if<std::vector<OrderKey>>(&value)) {
    for (const OrderKey& key : *order) add_key(keys, key.key);
  } else if (const auto* compiled = std::get_if<expr::CompiledExprRef>(&value)) {
    for (const expr::NameUse& use : (*compiled)->names()) {
      if (use.source == expr::NameSource::kKey) add_key(keys, use.name);
    }
  } else if (spec.type == ParamType::kKeyPattern && !node.inputs.empty()) {
    const auto* text = std::get_if<std::string>(&value);
    if (text == nullptr) return;
    const base::Result<KeyPattern> pattern = parse_key_pattern(*text);
    if (!pattern) return;
    for (const KeyPattern::Place& place : pattern->places) add_key(keys, place.name);
  }
}

KeySet ColumnAnalysis::reads_of(const CompiledNode& node,
                                std::size_t input,
                                bool with_taken) const {
  KeySet keys = none();
  const TaskSpec& task = *node.task;
  if (task.join) {
    const JoinParams join(node);
    const bool is_right = input == join.rhs_input();
    if (!is_right && input != 0) return keys;
    for (const std::string& key : is_right ? join.rhs_by() : join.by()) add_key(keys, key);
    if (!is_right || !with_taken || join.columns() == nullptr) return keys;
    for (const KeyMove& move : *join.columns()) add_key(keys, move.from);
    return keys;
  }
  for (const std::string& key : task.reads) add_key(keys, key);
  for (std::size_t i = 0; i < node.params.size(); ++i) {
    const auto* moves = std::get_if<std::vector<KeyMove>>(&node.params[i]);
    if (moves == nullptr) {
      add_reads(keys, node, i);
    } else if (with_taken && input == 0) {
      for (const KeyMove& move : *moves) add_key(keys, move.from);
    }
  }
  return keys;
}

std::vector<NodeNeeds> ColumnAnalysis::needs_of(const CompiledPlan& plan,
                                                const std::vector<NodeColumns>& columns,
                                                const IsLeftOut& is_left_out) const {
  std::vector<NodeNeeds> needs(plan.nodes.size(),
                               NodeNeeds{.needed = none(), .fetched = none(), .passed = none()});
  const auto ask = [&](std::uint32_t node, const KeySet& keys) {
    needs[node].needed |= keys & (columns[node].present | columns[node].offered);
  };
  KeySet output_keys = none();
  for (const std::string& key : plan.output_keys) add_key(output_keys, key);
  for (const std::uint32_t output : plan.outputs) ask(output, output_keys);
  KeySet viewer_keys = none();
  for (const ExternalName& field : plan.viewer_fields) add_key(viewer_keys, field.name);
  if (plan.viewer_node != kNoPlanNode) ask(plan.viewer_node, viewer_keys);
  for (std::size_t i = plan.nodes.size(); i-- > 0;) {
    const CompiledNode& node = plan.nodes[i];
    const TaskSpec& task = *node.task;
    NodeNeeds& need = needs[i];
    need.needed.add(index_of("id"));
    need.fetched = need.needed & columns[i].on_demand;
    need.passed = need.needed - columns[i].written - need.fetched;
    if (is_left_out && is_left_out(static_cast<std::uint32_t>(i), need)) {
      ask(std::get<NodeInput>(node.inputs.front()).node, need.needed);
      continue;
    }
    KeySet taken = none();
    for (const TakenKey& key : columns[i].taken) {
      if (need.needed.contains(key.to)) taken.add(key.from);
      need.passed.remove(key.to);
    }
    for (const std::string& key : task.keeps) {
      if (need.needed.contains(index_of(key))) need.passed.add(index_of(key));
    }
    const std::size_t taken_from = task.join ? JoinParams(node).rhs_input() : 0;
    const bool from_all = task.columns == OutputColumns::kUnion;
    const bool from_first =
        task.columns == OutputColumns::kFirstInput || task.columns == OutputColumns::kJoin;
    for (std::size_t input = 0; input < node.inputs.size(); ++input) {
      const auto* from = std::get_if<NodeInput>(&node.inputs[input]);
      if (from == nullptr) continue;
      KeySet wanted = reads_of(node, input, false);
      if (from_all || (from_first && input == 0)) wanted |= need.passed;
      if (input == taken_from) wanted |= taken;
      ask(from->node, wanted);
      if (input == 0 && node.on_failure == OnFailure::kUseInput) ask(from->node, need.needed);
    }
    if (node.fallback_node != kNoPlanNode) ask(node.fallback_node, need.needed);
  }
  return needs;
}

}  // namespace millrace::plan
