#include <cstddef>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/format.h"
#include "plan/check/columns.h"
#include "plan/check/join_params.h"
#include "plan/passes/passes.h"

namespace millrace::plan {

namespace {

std::size_t count_keys(const KeySet& keys) {
  std::size_t count = 0;
  keys.for_each([&count](std::size_t) { ++count; });
  return count;
}

/// Sets the columns of the nodes, producers before consumers.
class ColumnAssigner {
 public:
  ColumnAssigner(CompiledPlan& plan, const PassContext& context)
      : plan_(plan),
        analysis_(context.analysis),
        prune_(context.options.prune_columns),
        columns_(analysis_.columns_of(plan)),
        needs_(analysis_.needs_of(plan, columns_)),
        id_(analysis_.index_of("id")) {}

  void assign() {
    for (std::size_t i = 0; i < plan_.nodes.size(); ++i) assign_node(i);
  }

 private:
  void assign_node(std::size_t index) {
    CompiledNode& node = plan_.nodes[index];
    const NodeColumns& columns = columns_[index];
    const KeySet fetched = prune_ ? needs_[index].fetched : columns.on_demand;
    node.fetched_keys.clear();
    fetched.for_each([&](std::size_t key) {
      const FieldInfo& info = analysis_.registry().keys()[key];
      node.fetched_keys.push_back({.key = info.name, .type = info.type});
    });
    KeySet all = columns.written | fetched;
    if (node.task->columns == OutputColumns::kFirstInput ||
        node.task->columns == OutputColumns::kJoin) {
      all |= input_columns(node, 0);
    }
    if (node.task->columns == OutputColumns::kUnion) {
      for (std::size_t i = 0; i < node.inputs.size(); ++i) all |= input_columns(node, i);
    }
    take_columns(index, all);
    all.remove(id_);
    node.columns = names_of(all);
    node.columns.insert(node.columns.begin(), "id");
    all.add(id_);
    actual_.push_back(std::move(all));
    note(index, fetched);
  }

  /// Sets what a fan-out takes along or a join takes from its other input.
  void take_columns(std::size_t index, KeySet& all) {
    CompiledNode& node = plan_.nodes[index];
    const std::size_t from_input = node.task->join ? JoinParams(node).rhs_input() : 0;
    const KeySet there = input_columns(node, from_input);
    node.taken_columns.clear();
    for (const TakenKey& key : columns_[index].taken) {
      const bool is_read = !prune_ || needs_[index].needed.contains(key.to);
      if (!is_read || !there.contains(key.from)) {
        if (!node.task->join) all.remove(key.to);
        continue;
      }
      all.add(key.to);
      const auto keys = analysis_.registry().keys();
      node.taken_columns.push_back({.to = keys[key.to].name, .from = keys[key.from].name});
    }
  }

  void note(std::size_t index, const KeySet& fetched) {
    if (!prune_) return;
    const KeySet unread = columns_[index].on_demand - fetched;
    if (unread.empty()) return;
    plan_.passes.push_back({.pass = "columns",
                            .text = base::format("{} fetches {} of the {} keys it could",
                                                 plan_.nodes[index].id,
                                                 count_keys(fetched),
                                                 count_keys(columns_[index].on_demand))});
  }

  [[nodiscard]] KeySet input_columns(const CompiledNode& node, std::size_t input) const {
    if (input >= node.inputs.size()) return analysis_.none();
    if (const auto* from = std::get_if<NodeInput>(&node.inputs[input])) return actual_[from->node];
    return analysis_.columns_of(node.inputs[input]).present;
  }

  [[nodiscard]] std::vector<std::string> names_of(const KeySet& keys) const {
    std::vector<std::string> names;
    keys.for_each([&](std::size_t key) { names.push_back(analysis_.registry().keys()[key].name); });
    return names;
  }

  CompiledPlan& plan_;
  const ColumnAnalysis& analysis_;
  bool prune_;
  std::vector<NodeColumns> columns_;
  std::vector<NodeNeeds> needs_;
  std::size_t id_;
  std::vector<KeySet> actual_;
};

}  // namespace

void assign_columns(CompiledPlan& plan, const PassContext& context) {
  ColumnAssigner(plan, context).assign();
}

}  // namespace millrace::plan
