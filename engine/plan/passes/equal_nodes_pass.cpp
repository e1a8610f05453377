#include <bit>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "base/format.h"
#include "expr/compiled_expr.h"
#include "plan/passes/node_links.h"
#include "plan/passes/passes.h"
#include "rows/column.h"

namespace millrace::plan {

namespace {

/// Builds a text from everything that determines a node's rows: equal texts mean equal rows.
class Fingerprint {
 public:
  std::string of(const CompiledNode& node) {
    text_ = base::format("{}|{}", node.task->op, static_cast<int>(node.on_row_error));
    for (const PlanInput& input : node.inputs) {
      std::visit([this](const auto& from) { add(from); }, input);
    }
    for (const ParamValue& param : node.params) {
      text_ += base::format("|{}:", param.index());
      std::visit([this](const auto& value) { add(value); }, param);
    }
    return std::move(text_);
  }

 private:
  void add(const NodeInput& from) { text_ += base::format("|n{}", from.node); }
  void add(const RequestInput& from) {
    text_ += "|r";
    add(from.field);
  }
  void add(const ConstantInput& from) {
    text_ += "|c";
    add(from.ids);
  }
  void add(std::monostate) {}
  void add(bool flag) { text_ += flag ? '1' : '0'; }
  void add(std::int64_t number) { text_ += base::format("{}", number); }
  void add(double number) { add(std::bit_cast<std::int64_t>(number)); }
  // The length comes first, so that one text cannot be confused with two shorter ones.
  void add(const std::string& text) { text_ += base::format("{}'{}", text.size(), text); }
  void add(EndpointId id) { text_ += base::format("{}", id.index); }
  void add(InputIndex input) { text_ += base::format("{}", input.index); }
  void add(const OrderKey& key) {
    add(key.key);
    add(key.descending);
  }
  void add(const KeyMove& move) {
    add(move.to);
    add(move.from);
  }
  void add(const expr::CompiledExprRef& compiled) {
    add(std::string(rows::to_string(compiled->type())));
    add(compiled->canonical_text());
  }
  template <class T>
  void add(const std::vector<T>& items) {
    for (const T& item : items) {
      add(item);
      text_ += ',';
    }
  }

  std::string text_;
};

}  // namespace

void merge_equal_nodes(CompiledPlan& plan) {
  const std::vector<NodeUses> uses = uses_of(plan);
  const std::vector<bool> eager = eager_nodes(plan);
  std::vector<bool> removed(plan.nodes.size());
  std::vector<std::uint32_t> stand_in(plan.nodes.size());
  std::unordered_map<std::string, std::uint32_t> known;
  for (std::uint32_t i = 0; i < plan.nodes.size(); ++i) {
    CompiledNode& node = plan.nodes[i];
    stand_in[i] = i;
    // Producers come first, so it is already known which of them were replaced.
    for (PlanInput& input : node.inputs) {
      if (auto* from = std::get_if<NodeInput>(&input)) from->node = stand_in[from->node];
    }
    for (std::uint32_t& other : node.waits_for) other = stand_in[other];
    if (!node.task->shareable || has_own_settings(node) || !eager[i] || uses[i].is_output ||
        uses[i].is_fallback) {
      continue;
    }
    const auto [twin, is_new] = known.emplace(Fingerprint().of(node), i);
    if (is_new) continue;
    CompiledNode& kept = plan.nodes[twin->second];
    kept.source_ids.insert(kept.source_ids.end(), node.source_ids.begin(), node.source_ids.end());
    plan.passes.push_back(
        {.pass = "equal_nodes", .text = base::format("{} is the same as {}", node.id, kept.id)});
    stand_in[i] = twin->second;
    removed[i] = true;
  }
  if (plan.viewer_node != kNoPlanNode) plan.viewer_node = stand_in[plan.viewer_node];
  remove_nodes(plan, removed);
}

}  // namespace millrace::plan
