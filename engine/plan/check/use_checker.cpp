#include "plan/check/use_checker.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/format.h"
#include "plan/check/key_history.h"
#include "plan/check/resolver.h"
#include "plan/passes/node_links.h"
#include "plan/problem.h"
#include "plan/task_catalog.h"

namespace millrace::plan {

namespace {

class UseChecker {
 public:
  UseChecker(const CompiledPlan& plan,
             const std::vector<base::ValuePlace>& where,
             const ColumnAnalysis& analysis,
             const CheckContext& context)
      : plan_(plan),
        where_(where),
        analysis_(analysis),
        context_(context),
        columns_(analysis.columns_of(plan)),
        needs_(analysis.needs_of(plan, columns_)),
        by_node_(columns_.begin(), columns_.end()),
        history_(plan, by_node_) {}

  void check() {
    const std::vector<NodeUses> uses = uses_of(plan_);
    for (std::uint32_t i = 0; i < plan_.nodes.size(); ++i) {
      context_.reporter.set_subject(subject_of(plan_.nodes[i]));
      check_fallback(i);
      warn_of_replaced_keys(i);
      if (uses[i].consumers.empty() && !uses[i].is_output && !uses[i].is_fallback &&
          !uses[i].is_awaited) {
        context_.reporter.warn(ProblemCode::kUnusedNode,
                               where_[i],
                               "Nothing uses the rows of this node",
                               "rows never change: use what the call returns, or remove it");
      }
    }
    context_.reporter.set_subject({});
  }

 private:
  void check_fallback(std::uint32_t index) {
    const std::uint32_t other = plan_.nodes[index].fallback_node;
    if (other == kNoPlanNode) return;
    const KeySet missing = needs_[index].needed - columns_[other].present - columns_[other].offered;
    missing.for_each([&](std::size_t key) {
      context_.reporter.add(
          ProblemCode::kBadFallback,
          where_[index],
          base::format("The fallback {} lacks a key that is read after this node: {}",
                       history_.name_of(other),
                       name_of(key)),
          base::format("fetch or write it before '{}', too", plan_.nodes[other].id));
    });
  }

  void warn_of_replaced_keys(std::uint32_t index) {
    const CompiledNode& node = plan_.nodes[index];
    if (node.task->columns != OutputColumns::kFirstInput || node.inputs.empty()) return;
    const auto* from = std::get_if<NodeInput>(&node.inputs.front());
    if (from == nullptr) return;
    const KeySet replaced = written_by_choice(index) & columns_[from->node].present;
    replaced.for_each([&](std::size_t key) {
      const std::uint32_t writer = history_.writer_of(from->node, key);
      if (needs_[writer].needed.contains(key) || !columns_[writer].has(key)) return;
      context_.reporter.warn(
          ProblemCode::kKeyReplaced,
          where_[index],
          base::format("This node replaces a column that {} wrote and nothing has read: {}",
                       history_.name_of(writer),
                       name_of(key)),
          "write another key, or leave one of the two out");
    });
  }

  /// Keys that the author of the plan made the node write; not those that every node of the task
  /// writes.
  [[nodiscard]] KeySet written_by_choice(std::uint32_t index) const {
    const CompiledNode& node = plan_.nodes[index];
    KeySet keys = columns_[index].written;
    for (const std::string& key : node.task->writes) keys.remove(analysis_.index_of(key));
    return keys | needs_[index].fetched;
  }

  [[nodiscard]] const std::string& name_of(std::size_t key) const {
    return analysis_.registry().keys()[key].name;
  }

  const CompiledPlan& plan_;
  const std::vector<base::ValuePlace>& where_;
  const ColumnAnalysis& analysis_;
  const CheckContext& context_;
  std::vector<NodeColumns> columns_;
  std::vector<NodeNeeds> needs_;
  ColumnsByNode by_node_;
  KeyHistory history_;
};

}  // namespace

void check_use(Draft& draft, const ColumnAnalysis& analysis, const CheckContext& context) {
  const std::vector<std::uint32_t> order = topological_order(draft.plan);
  std::vector<base::ValuePlace> where;
  where.reserve(order.size());
  for (const std::uint32_t index : order) where.push_back(draft.where[index]);
  draft.where = std::move(where);
  reorder(draft.plan, order);
  UseChecker(draft.plan, draft.where, analysis, context).check();
}

}  // namespace millrace::plan
