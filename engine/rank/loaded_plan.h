#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/lease_pool.h"
#include "base/result.h"
#include "base/spare_stacks.h"
#include "base/sync/mutex.h"
#include "plan/compiled_plan.h"
#include "plan/registry/registry.h"
#include "rank/live_rows.h"
#include "rank/plan_load.h"
#include "rank/prepared_plan.h"
#include "rank/request_run.h"
#include "rank/watch/topology_lease.h"
#include "runtime/run_pool.h"
#include "runtime/topology/cost_model.h"
#include "runtime/topology/topology.h"
#include "tasks/endpoint_client.h"
#include "tasks/task_registry.h"

namespace millrace::rank {

/// How plans are made ready to run.
struct LoadOptions {
  /// Timeout of every node, in addition to the node's own; the shorter one counts.
  std::optional<base::Duration> node_timeout = {};
  runtime::CostSettings costs = {};
  /// The kind of client of each endpoint, by `plan::EndpointId`; outlives the plan. Empty: tasks
  /// are not checked against it.
  std::span<const tasks::ClientKind> endpoints = {};
  /// The artifact that the plan was compiled from. Empty: requests cannot ask for `explain`.
  std::string artifact = {};
};

/// A prepared plan with its topology, measured costs and pooled runs: everything that requests
/// share. Threading: any thread. Lifetime: borrows registry and tasks; outlives its runs.
class LoadedPlan : public PreparedPlan {
 public:
  [[nodiscard]] static base::Result<std::unique_ptr<LoadedPlan>> load(
      plan::CompiledPlanRef plan,
      const plan::Registry& registry,
      const tasks::TaskRegistry& tasks,
      const LoadOptions& options = {});
  ~LoadedPlan();

  /// A number that no other plan of the process ever has, unlike its address.
  [[nodiscard]] std::uint64_t serial() const { return serial_; }
  /// What it was compiled from; empty if that was not given.
  [[nodiscard]] const std::string& artifact() const { return options_.artifact; }
  [[nodiscard]] const runtime::Topology& topology() const { return *topology_; }
  [[nodiscard]] runtime::CostModel& costs() { return *costs_; }
  [[nodiscard]] runtime::RunPool& runs() { return *runs_; }
  /// What its requests take, and how many are under way.
  [[nodiscard]] PlanLoad& plan_load() const { return load_; }

  /// What the tracer keeps of the plan; goes with it. Read and written by the tracer only.
  [[nodiscard]] std::shared_ptr<const TopologyLease>& trace_lease() const { return trace_lease_; }

  /// Gives the same plan compiled without fusing nodes, which is what requests with `explain` run.
  /// Compiled at the first call.
  [[nodiscard]] base::Result<LoadedPlan*> explain_twin();

  /// Takes over the measured costs of those nodes that do the same work in `before`, an earlier
  /// version of this plan. Call it before the first request.
  void adopt_costs(const LoadedPlan& before);

  /// Gives storage for one request. When the last owner drops it, it returns to the plan's pool.
  [[nodiscard]] std::shared_ptr<RequestRun> make_run();

 private:
  LoadedPlan(plan::CompiledPlanRef plan,
             const plan::Registry& registry,
             const tasks::TaskRegistry& tasks,
             const LoadOptions& options);
  [[nodiscard]] runtime::NodeSpec make_spec(std::uint32_t index, const LoadOptions& options) const;
  [[nodiscard]] base::Status build_topology(const LoadOptions& options);

  mutable PlanLoad load_;  // synchronises itself
  const tasks::TaskRegistry& tasks_;
  const LoadOptions options_;
  const std::uint64_t serial_;
  mutable std::shared_ptr<const TopologyLease> trace_lease_;  // guarded by the tracer
  std::shared_ptr<const runtime::Topology> topology_;
  std::unique_ptr<runtime::CostModel> costs_;
  std::unique_ptr<const RowReads> reads_;
  base::LeasePool<BodySpace> spaces_;
  base::SpareStacks<RequestRun, &RequestRun::next_spare> spares_;
  base::Mutex twin_mutex_;
  std::unique_ptr<LoadedPlan> twin_ MR_GUARDED_BY(twin_mutex_);
  // Goes first: its destructor waits for bodies that still run, and these use the members above.
  std::unique_ptr<runtime::RunPool> runs_;
};

}  // namespace millrace::rank
