#include "plan/check/checker.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/format.h"
#include "plan/check/join_checker.h"
#include "plan/check/key_history.h"
#include "plan/check/key_names.h"
#include "plan/check/node_checker.h"
#include "plan/check/resolver.h"
#include "plan/membership.h"
#include "plan/problem.h"

namespace millrace::plan {

namespace {

constexpr std::string_view kViewerOp = "viewer";

/// Checks the nodes one by one, producers before consumers, and remembers the columns of each.
class ColumnChecker {
 public:
  ColumnChecker(Draft& draft,
                const std::vector<bool>& live,
                const ColumnAnalysis& analysis,
                const CheckContext& context)
      : draft_(draft),
        live_(live),
        analysis_(analysis),
        context_(context),
        columns_(draft.plan.nodes.size()) {}

  void check() {
    for (const std::uint32_t index : topological_order(draft_.plan)) check_node(index);
    context_.reporter.set_subject({});
    draft_.plan.params = std::move(externals_.params);
    draft_.plan.request_fields = std::move(externals_.request_fields);
    draft_.plan.viewer_fields = std::move(externals_.viewer_fields);
    find_viewer();
    check_output_keys();
    ask_tasks();
  }

 private:
  void check_node(std::uint32_t index) {
    const CompiledNode& node = draft_.plan.nodes[index];
    if (node.task == nullptr) return;
    std::vector<NodeColumns> outside;
    outside.reserve(node.inputs.size());
    std::vector<const NodeColumns*> inputs;
    bool known = !draft_.unknown_input[index];
    for (const PlanInput& input : node.inputs) {
      const auto* from = std::get_if<NodeInput>(&input);
      if (from == nullptr) {
        inputs.push_back(&outside.emplace_back(analysis_.columns_of(input)));
      } else {
        known = known && columns_[from->node];
        inputs.push_back(columns_[from->node] ? &*columns_[from->node] : nullptr);
      }
    }
    const std::size_t problems_before = context_.reporter.count();
    context_.reporter.set_subject(subject_of(node));
    NodeChecker checker(draft_,
                        index,
                        known ? inputs : std::vector<const NodeColumns*>(inputs.size()),
                        columns_,
                        {.analysis = analysis_, .context = context_});
    ExternalNames unused;
    checker.check(live_[index] ? externals_ : unused);
    if (checker.reads_viewer()) viewer_readers_.push_back(index);
    if (known && node.task->join) {
      JoinChecker(draft_, index, columns_, {.analysis = analysis_, .context = context_})
          .check(inputs);
    }
    if (context_.reporter.count() != problems_before) draft_.has_problem[index] = true;
    if (known) columns_[index] = analysis_.columns_of(node, inputs);
  }

  /// Lets the tasks check params that are well-formed one by one.
  void ask_tasks() {
    for (std::uint32_t index = 0; index < draft_.plan.nodes.size(); ++index) {
      const CompiledNode& node = draft_.plan.nodes[index];
      if (node.task == nullptr || draft_.has_problem[index] || draft_.unknown_input[index])
        continue;
      const base::Status checked =
          context_.catalog.check_node(node, draft_.plan, context_.registry);
      if (checked) continue;
      context_.reporter.set_subject(subject_of(node));
      const std::string& at = checked.error().where();
      const std::size_t param = at.find(".params.");
      base::ValuePlace where = draft_.where[index];
      for (std::size_t i = 0; param != std::string::npos && i < node.params.size(); ++i) {
        if (at.substr(param + 8) == node.task->params[i].name) where = draft_.places[index][i];
      }
      add(ProblemCode::kBadValue, where, checked.error().message());
    }
    context_.reporter.set_subject({});
  }

  void find_viewer() {
    if (viewer_readers_.empty()) return;
    CompiledPlan& plan = draft_.plan;
    std::vector<std::uint32_t> viewers;
    for (std::uint32_t i = 0; i < plan.nodes.size(); ++i) {
      if (plan.nodes[i].task != nullptr && plan.nodes[i].task->op == kViewerOp) {
        viewers.push_back(i);
      }
    }
    for (const std::uint32_t reader : viewer_readers_) {
      if (viewers.size() == 1) {
        add_wait(reader, viewers.front());
      } else if (viewers.empty()) {
        add(ProblemCode::kMissingViewer,
            draft_.where[reader],
            "An expression reads viewer.x, but the plan has no viewer",
            "add a node with op viewer");
      } else {
        add(ProblemCode::kAmbiguousViewer,
            draft_.where[reader],
            base::format("An expression reads viewer.x, but the plan has {} viewers",
                         viewers.size()));
      }
    }
    if (viewers.size() != 1) return;
    if (!plan.viewer_fields.empty()) plan.viewer_node = viewers.front();
    if (topological_order(plan).size() == plan.nodes.size() || context_.reporter.has_errors())
      return;
    add(ProblemCode::kCycle,
        draft_.where[viewers.front()],
        "The viewer waits for a node that reads viewer.x: " + plan.nodes[viewers.front()].id);
  }

  /// Makes `reader` wait for the viewer, unless it does so already because the viewer is an input.
  void add_wait(std::uint32_t reader, std::uint32_t viewer) {
    CompiledNode& node = draft_.plan.nodes[reader];
    const auto is_viewer = [viewer](const PlanInput& input) {
      const auto* from = std::get_if<NodeInput>(&input);
      return from != nullptr && from->node == viewer;
    };
    if (!std::ranges::any_of(node.inputs, is_viewer)) node.waits_for.push_back(viewer);
  }

  void check_output_keys() {
    CompiledPlan& plan = draft_.plan;
    plan.output_keys = {"id"};
    if (!draft_.output_keys) return add_default_keys();
    std::vector<std::string_view> seen;
    for (const ArtifactName& name : *draft_.output_keys) {
      const FieldInfo* key = check_key(name.text, name.where, context_);
      if (contains(seen, name.text)) {
        add(ProblemCode::kBadValue, name.where, "Output key named twice: " + name.text);
      }
      seen.emplace_back(name.text);
      if (key == nullptr || key->name == "id") continue;
      plan.output_keys.push_back(key->name);
      const std::size_t index = analysis_.index_of(key->name);
      if (has_column(index)) continue;
      KeyHistory::Explanation why =
          KeyHistory(plan, columns_).explain_missing(NodeInput{plan.outputs.front()}, *key, index);
      add(ProblemCode::kKeyNotAvailable, name.where, std::move(why.message), std::move(why.hint));
    }
  }

  [[nodiscard]] bool has_column(std::size_t key) const {
    return draft_.plan.outputs.empty() ||
           std::ranges::any_of(draft_.plan.outputs, [&](std::uint32_t output) {
             const std::optional<NodeColumns>& columns = columns_[output];
             return !columns || columns->has(key);
           });
  }

  /// Adds every key that the rows of an output have: what was written or can be fetched since their
  /// entity began.
  void add_default_keys() {
    KeySet present = analysis_.none();
    KeySet offered = analysis_.none();
    for (const std::uint32_t output : draft_.plan.outputs) {
      if (!columns_[output]) continue;
      present |= columns_[output]->present;
      offered |= columns_[output]->offered;
    }
    CompiledPlan& plan = draft_.plan;
    plan.output_key_is_offered = {false};
    (present | offered).for_each([&](std::size_t key) {
      const std::string& name = context_.registry.keys()[key].name;
      if (name == "id") return;
      plan.output_keys.push_back(name);
      plan.output_key_is_offered.push_back(!present.contains(key));
    });
  }

  void add(ProblemCode code,
           const base::ValuePlace& where,
           std::string message,
           std::string hint = {}) {
    context_.reporter.add(code, where, std::move(message), std::move(hint));
  }

  Draft& draft_;
  const std::vector<bool>& live_;
  const ColumnAnalysis& analysis_;
  const CheckContext& context_;
  ColumnsByNode columns_;
  ExternalNames externals_;
  std::vector<std::uint32_t> viewer_readers_;
};

}  // namespace

void check_columns(Draft& draft,
                   const std::vector<bool>& live,
                   const ColumnAnalysis& analysis,
                   const CheckContext& context) {
  ColumnChecker(draft, live, analysis, context).check();
}

}  // namespace millrace::plan
