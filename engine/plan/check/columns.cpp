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
#include "plan/check/param_reader.h"
#include "plan/task_catalog.h"

namespace millrace::plan {

namespace {

const NodeColumns* first_of(const std::vector<const NodeColumns*>& inputs) {
  return inputs.empty() ? nullptr : inputs.front();
}

}  // namespace

ColumnAnalysis::ColumnAnalysis(const Registry& registry)
    : registry_(registry), on_demand_(registry.keys().size()) {
  for (const FieldInfo& key : registry.keys()) {
    if (key.lifecycle == Lifecycle::kBlocked || is_built_in_key(key.name)) continue;
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

NodeColumns ColumnAnalysis::columns_of(const PlanInput& input) const {
  NodeColumns columns{.present = none(), .offered = none(), .written = none(), .on_demand = none()};
  columns.present.add(index_of("id"));
  if (const auto* field = std::get_if<RequestInput>(&input)) add_key(columns.present, field->field);
  return columns;
}

NodeColumns ColumnAnalysis::columns_of(const CompiledNode& node,
                                       const std::vector<const NodeColumns*>& inputs) const {
  NodeColumns columns{.present = none(), .offered = none(), .written = none(), .on_demand = none()};
  const TaskSpec& task = *node.task;
  const bool takes_all = task.columns == OutputColumns::kUnion;
  if (task.columns != OutputColumns::kSource) {
    for (const NodeColumns* input : inputs) {
      columns.present |= input->present;
      columns.offered |= input->offered;
      if (!takes_all) break;
    }
  }
  for (const std::string& key : task.writes) add_key(columns.written, key);
  if (task.columns == OutputColumns::kFanOut) add_key(columns.written, "parent_id");
  for (std::size_t i = 0; i < node.params.size(); ++i) {
    if (task.params[i].type != ParamType::kOutKey) continue;
    if (const auto* key = std::get_if<std::string>(&node.params[i])) add_key(columns.written, *key);
  }
  if (task.writes_on_demand) {
    const KeySet listed = explicit_keys(node);
    if (listed.empty()) {
      columns.on_demand = on_demand_;
      if (const NodeColumns* input = first_of(inputs);
          input != nullptr && task.columns != OutputColumns::kSource) {
        columns.on_demand -= input->present;
      }
      columns.on_demand -= columns.written;
    } else {
      columns.on_demand = listed;
      columns.present |= listed;
    }
    columns.offered |= columns.on_demand;
  }
  columns.present.add(index_of("id"));
  columns.present |= columns.written;
  columns.offered -= columns.present;
  return columns;
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

KeySet ColumnAnalysis::reads_of(const CompiledNode& node) const {
  KeySet keys = none();
  const TaskSpec& task = *node.task;
  for (const std::string& key : task.reads) add_key(keys, key);
  for (std::size_t i = 0; i < node.params.size(); ++i) {
    const ParamSpec& spec = task.params[i];
    const ParamValue& value = node.params[i];
    if (spec.type == ParamType::kKey) {
      if (const auto* key = std::get_if<std::string>(&value)) add_key(keys, *key);
    } else if (spec.type == ParamType::kKeyList && spec.name != task.keys_param) {
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
      const auto name = text != nullptr ? pattern_name(*text) : std::nullopt;
      if (name) add_key(keys, *name);
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
    NodeNeeds& need = needs[i];
    need.needed.add(index_of("id"));
    need.fetched = need.needed & columns[i].on_demand;
    need.passed = need.needed - columns[i].written - need.fetched;
    if (is_left_out && is_left_out(static_cast<std::uint32_t>(i), need)) {
      ask(std::get<NodeInput>(node.inputs.front()).node, need.needed);
      continue;
    }
    const KeySet reads = reads_of(node);
    const bool takes_all = node.task->columns == OutputColumns::kUnion;
    for (std::size_t input = 0; input < node.inputs.size(); ++input) {
      const auto* from = std::get_if<NodeInput>(&node.inputs[input]);
      if (from == nullptr) continue;
      const bool flows = node.task->columns != OutputColumns::kSource && (takes_all || input == 0);
      ask(from->node, flows ? reads | need.passed : reads);
      if (input == 0 && node.on_failure == OnFailure::kUseInput) ask(from->node, need.needed);
    }
    if (node.fallback_node != kNoPlanNode) ask(node.fallback_node, need.needed);
  }
  return needs;
}

}  // namespace millrace::plan
