#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "base/sync/mutex.h"
#include "expr/bound_expr.h"
#include "loop/task.h"
#include "plan/compiled_plan.h"
#include "plan/registry/registry.h"
#include "rows/row_set.h"
#include "rows/value.h"
#include "runtime/node_call.h"
#include "runtime/run_pool.h"
#include "runtime/topology/cost_model.h"
#include "runtime/topology/topology.h"
#include "tasks/task_registry.h"

namespace millrace::rank {

class RequestRun;

/// How plans are made ready to run.
struct LoadOptions {
  /// Limit of every node, besides its own; nothing: none.
  std::optional<base::Duration> node_timeout = {};
  runtime::CostSettings costs = {};
  /// Kind of client by `plan::EndpointId`; empty: not checked. Outlives the plan.
  std::span<const tasks::ClientKind> endpoints = {};
  /// Bytes that the plan was compiled from; empty: its requests cannot be explained.
  std::string artifact = {};
};

/// An expression of a node's params, as far as it is bound before any request comes.
struct PlanExpr {
  std::uint32_t param_index = 0;
  expr::CompiledExprRef compiled;
  /// Set when no request can change what it reads, except by overriding a param.
  std::optional<expr::BoundExpr> bound;
  bool reads_params = false;
  bool reads_viewer = false;
};

/// One node, ready to run.
struct PlanNode {
  tasks::PreparedNode prepared;
  std::vector<PlanExpr> exprs;
  /// What `use: empty` gives: no rows, all columns.
  std::optional<rows::RowSet> empty_rows;
  /// Rows of literal inputs, by input; empty where the input is a node or a request field.
  std::vector<std::optional<rows::RowSet>> constant_inputs;
};

/// A plan with its topology, measured costs and pooled runs: everything that requests share.
/// Threading: any thread. Lifetime: borrows registry and tasks; outlives its runs.
class LoadedPlan {
 public:
  [[nodiscard]] static base::Result<std::unique_ptr<LoadedPlan>> load(
      plan::CompiledPlanRef plan,
      const plan::Registry& registry,
      const tasks::TaskRegistry& tasks,
      const LoadOptions& options = {});
  ~LoadedPlan();
  LoadedPlan(const LoadedPlan&) = delete;
  LoadedPlan& operator=(const LoadedPlan&) = delete;

  [[nodiscard]] const plan::CompiledPlan& plan() const { return *plan_; }
  [[nodiscard]] const plan::Registry& registry() const { return registry_; }
  [[nodiscard]] std::span<const PlanNode> nodes() const { return nodes_; }
  [[nodiscard]] const runtime::Topology& topology() const { return *topology_; }
  [[nodiscard]] runtime::CostModel& costs() { return *costs_; }
  [[nodiscard]] runtime::RunPool& runs() { return *runs_; }
  /// Default values of `plan().params`, in that order.
  [[nodiscard]] std::span<const rows::Value> default_params() const { return default_params_; }
  /// Columns that every output has, `id` first: what a request may ask for.
  [[nodiscard]] std::span<const std::string_view> output_columns() const { return output_columns_; }
  /// What answers say about the plan, as JSON.
  [[nodiscard]] std::string_view plan_json() const { return plan_json_; }

  /// The same plan with every node apart, for requests that are explained; made on first use.
  [[nodiscard]] base::Result<LoadedPlan*> explain_twin();

  /// Gives storage for one request; it comes back by itself when its last owner lets it go.
  [[nodiscard]] std::shared_ptr<RequestRun> make_run();

 private:
  LoadedPlan(plan::CompiledPlanRef plan,
             const plan::Registry& registry,
             const tasks::TaskRegistry& tasks,
             const LoadOptions& options);
  [[nodiscard]] base::Status prepare_nodes(const tasks::TaskRegistry& tasks,
                                           const LoadOptions& options);
  [[nodiscard]] base::Status prepare_node(std::uint32_t index,
                                          const tasks::TaskRegistry& tasks,
                                          const tasks::LoadContext& load);
  [[nodiscard]] base::Status prepare_exprs(PlanNode& node);
  [[nodiscard]] base::Status prepare_inputs(PlanNode& node);
  [[nodiscard]] base::Result<rows::RowSet> make_empty_rows(const plan::CompiledNode& node) const;
  void take_defaults();
  void find_output_columns();
  [[nodiscard]] runtime::NodeSpec make_spec(std::uint32_t index, const LoadOptions& options) const;
  [[nodiscard]] base::Status build_topology(const LoadOptions& options);
  void give_back(std::unique_ptr<RequestRun> run);

  const plan::CompiledPlanRef plan_;
  const plan::Registry& registry_;
  const tasks::TaskRegistry& tasks_;
  const LoadOptions options_;
  std::vector<PlanNode> nodes_;
  std::vector<rows::Value> default_params_;
  std::vector<std::string_view> output_columns_;
  const std::string plan_json_;
  std::shared_ptr<const runtime::Topology> topology_;
  std::unique_ptr<runtime::CostModel> costs_;
  base::Mutex mutex_;
  std::vector<std::unique_ptr<RequestRun>> idle_ MR_GUARDED_BY(mutex_);
  base::Mutex twin_mutex_;
  std::unique_ptr<LoadedPlan> twin_ MR_GUARDED_BY(twin_mutex_);
  // Last: its destructor waits for late bodies, which use all of the above.
  std::unique_ptr<runtime::RunPool> runs_;
};

}  // namespace millrace::rank
