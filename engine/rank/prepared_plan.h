#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "expr/bound_expr.h"
#include "plan/compiled_plan.h"
#include "plan/registry/registry.h"
#include "rank/output_order.h"
#include "rows/row_set.h"
#include "rows/value.h"
#include "tasks/endpoint_client.h"
#include "tasks/prepared_node.h"
#include "tasks/task_registry.h"

namespace millrace::rank {

/// Gives the rows with these ids, in this order.
[[nodiscard]] base::Result<rows::RowSet> rows_of_ids(std::span<const std::int64_t> ids);

/// An expression in a node's params.
struct PlanExpr {
  std::uint32_t param_index = 0;
  expr::CompiledExprRef compiled;
  /// The expression bound to its values, if these are the same for all requests. A request that
  /// overrides a param has to bind anew.
  std::optional<expr::BoundExpr> bound;
  bool reads_params = false;
  bool reads_viewer = false;
};

/// One node, ready to run.
struct PlanNode {
  tasks::PreparedNode prepared;
  std::vector<PlanExpr> exprs;
  /// The result when `on_failure` says `use: empty`: all columns, no rows.
  std::optional<rows::RowSet> empty_rows;
  /// The rows of each input that is a literal; nothing for inputs that are nodes or request fields.
  std::vector<std::optional<rows::RowSet>> constant_inputs;
};

/// A compiled plan and everything that can be computed before a request comes: task bodies with
/// their params, bound expressions, rows of literal inputs.
/// Threading: `prepare` by one thread; after that any thread. Lifetime: borrows the registry.
class PreparedPlan {
 public:
  PreparedPlan(plan::CompiledPlanRef plan, const plan::Registry& registry);
  PreparedPlan(const PreparedPlan&) = delete;
  PreparedPlan& operator=(const PreparedPlan&) = delete;

  /// Prepares every node. Call it once, before anything else. `endpoints` is the kind of client of
  /// each endpoint, by `plan::EndpointId`; empty: tasks are not checked against it.
  [[nodiscard]] base::Status prepare(const tasks::TaskRegistry& tasks,
                                     std::span<const tasks::ClientKind> endpoints);

  [[nodiscard]] const plan::CompiledPlan& plan() const { return *plan_; }
  [[nodiscard]] const plan::Registry& registry() const { return registry_; }
  [[nodiscard]] std::span<const PlanNode> nodes() const { return nodes_; }
  /// Default values of `plan().params`, in that order.
  [[nodiscard]] std::span<const rows::Value> default_params() const { return default_params_; }
  /// The columns that every output has, `id` first. A request may ask for these.
  [[nodiscard]] std::span<const std::string_view> output_columns() const { return output_columns_; }
  /// What the outputs are ordered by.
  [[nodiscard]] std::span<const OutputOrder> output_orders() const { return output_orders_; }
  /// The JSON that stands under `"plan"` in every answer.
  [[nodiscard]] std::string_view plan_json() const { return plan_json_; }
  /// Whether a node reads state tables of the graph in this process.
  [[nodiscard]] bool reads_graph() const { return reads_graph_; }

 private:
  void take_defaults();
  [[nodiscard]] base::Status prepare_node(std::uint32_t index,
                                          const tasks::TaskRegistry& tasks,
                                          const tasks::LoadContext& load);
  [[nodiscard]] base::Status prepare_exprs(PlanNode& node);
  [[nodiscard]] base::Status prepare_inputs(PlanNode& node);
  [[nodiscard]] base::Result<rows::RowSet> make_empty_rows(const plan::CompiledNode& node) const;
  void find_output_columns();

  const plan::CompiledPlanRef plan_;
  const plan::Registry& registry_;
  const std::string plan_json_;
  const bool reads_graph_;
  std::vector<PlanNode> nodes_;
  std::vector<rows::Value> default_params_;
  std::vector<std::string_view> output_columns_;
  std::vector<OutputOrder> output_orders_;
};

}  // namespace millrace::rank
