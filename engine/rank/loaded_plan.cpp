#include "rank/loaded_plan.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/check.h"
#include "base/pooled_allocator.h"
#include "base/result.h"
#include "plan/compiler.h"
#include "plan/explain.h"
#include "rank/request_run.h"
#include "runtime/topology/topology_builder.h"

namespace millrace::rank {
namespace {

using plan::CompiledNode;

// The closure of every body in the topology: which node it belongs to.
struct NodeClosure {
  std::uint32_t index;
};

runtime::NodeKind kind_of(plan::TaskKind kind) {
  switch (kind) {
    case plan::TaskKind::kAsync:
      return runtime::NodeKind::kAsync;
    case plan::TaskKind::kCheap:
      return runtime::NodeKind::kCheap;
    case plan::TaskKind::kCpu:
      break;
  }
  return runtime::NodeKind::kCpu;
}

RequestRun& run_of(const runtime::NodeCall& call) {
  return *static_cast<RequestRun*>(call.context());
}

std::uint32_t index_of(const void* closure) {
  return static_cast<const NodeClosure*>(closure)->index;
}

bool run_body(const void* closure, runtime::NodeCall& call) {
  try {
    return run_of(call).run_node(index_of(closure), call);
  } catch (...) {
    call.set_error_from_exception();
    return false;
  }
}

loop::Task<base::Status> run_async_body(const void* closure, runtime::NodeCall call) {
  return run_of(call).run_async_node(index_of(closure), std::move(call));
}

bool commit(const void* closure, runtime::NodeCall& call) {
  run_of(call).publish(index_of(closure), call);
  return true;
}

bool fall_back(const void* closure, runtime::NodeCall& call) {
  return run_of(call).use_fallback(index_of(closure), call);
}

}  // namespace

LoadedPlan::LoadedPlan(plan::CompiledPlanRef plan,
                       const plan::Registry& registry,
                       const tasks::TaskRegistry& tasks,
                       const LoadOptions& options)
    : PreparedPlan(std::move(plan), registry), tasks_(tasks), options_(options) {
  load_.set_may_fail(!plan::nodes_that_can_fail(this->plan()).empty());
}

LoadedPlan::~LoadedPlan() = default;

base::Result<std::unique_ptr<LoadedPlan>> LoadedPlan::load(plan::CompiledPlanRef plan,
                                                           const plan::Registry& registry,
                                                           const tasks::TaskRegistry& tasks,
                                                           const LoadOptions& options) {
  std::unique_ptr<LoadedPlan> loaded(new LoadedPlan(std::move(plan), registry, tasks, options));
  MR_TRY_STATUS(loaded->prepare(tasks, options.endpoints));
  MR_TRY_STATUS(loaded->build_topology(options));
  return loaded;
}

runtime::NodeSpec LoadedPlan::make_spec(std::uint32_t index, const LoadOptions& options) const {
  const CompiledNode& node = plan().nodes[index];
  runtime::NodeSpec spec;
  spec.id = node.id;
  spec.op = node.task->op;
  spec.kind = kind_of(node.task->kind);
  if (spec.kind == runtime::NodeKind::kAsync) {
    spec.async_body = &run_async_body;
  } else {
    spec.body = &run_body;
  }
  spec.commit = &commit;
  spec.closure = std::make_shared<const NodeClosure>(index);
  for (const plan::PlanInput& input : node.inputs) {
    if (const auto* const producer = std::get_if<plan::NodeInput>(&input))
      spec.after.push_back(plan().nodes[producer->node].id);
  }
  for (const std::uint32_t producer : node.waits_for)
    spec.after.push_back(plan().nodes[producer].id);
  spec.timeout = node.timeout;
  if (options.node_timeout)
    spec.timeout = std::min(spec.timeout.value_or(*options.node_timeout), *options.node_timeout);
  if (node.priority) spec.priority = static_cast<runtime::Priority>(*node.priority);
  if (node.inline_hint) {
    spec.inline_hint =
        *node.inline_hint ? runtime::InlineHint::kAlways : runtime::InlineHint::kNever;
  }
  spec.cost_estimate = node.cost_estimate.count() > 0 ? node.cost_estimate : node.task->cost_fixed;
  spec.cost_per_row = node.task->cost_per_row;
  spec.cheap_rows_max = node.task->cheap_rows_max;
  spec.reserve = plan().reserve;
  switch (node.on_failure) {
    case plan::OnFailure::kFail:
      break;
    case plan::OnFailure::kUseEmpty:
    case plan::OnFailure::kUseInput:
      spec.fallback = runtime::FallbackKind::kValue;
      spec.fallback_body = &fall_back;
      spec.fallback_closure = spec.closure;
      break;
    case plan::OnFailure::kUseNode:
      spec.fallback = runtime::FallbackKind::kNode;
      spec.fallback_node = plan().nodes[node.fallback_node].id;
      break;
  }
  return spec;
}

base::Status LoadedPlan::build_topology(const LoadOptions& options) {
  runtime::TopologyBuilder builder;
  for (std::uint32_t index = 0; index < nodes().size(); ++index)
    builder.add(make_spec(index, options));
  MR_TRY(topology_, builder.build());
  reads_ = std::make_unique<const RowReads>(plan(), *topology_);
  costs_ = std::make_unique<runtime::CostModel>(*topology_, options.costs);
  runs_ = std::make_unique<runtime::RunPool>(*topology_, *costs_);
  return {};
}

base::Result<LoadedPlan*> LoadedPlan::explain_twin() {
  base::MutexLock lock(twin_mutex_);
  if (twin_ != nullptr) return twin_.get();
  if (options_.artifact.empty()) {
    return base::fail(
        base::ErrorCode::kUnavailable,
        "The plan was loaded without its artifact and cannot be explained: " + plan().name);
  }
  auto compiled = plan::compile_plan(options_.artifact, registry(), tasks_, {.for_explain = true});
  if (!compiled) return base::fail(base::ErrorCode::kInvalidPlan, compiled.error().to_text());
  LoadOptions options = options_;
  options.artifact.clear();
  MR_TRY(twin_, load(*std::move(compiled), registry(), tasks_, options));
  return twin_.get();
}

std::shared_ptr<RequestRun> LoadedPlan::make_run() {
  std::unique_ptr<RequestRun> run;
  {
    base::MutexLock lock(mutex_);
    if (!idle_.empty()) {
      run = std::move(idle_.back());
      idle_.pop_back();
    }
  }
  if (run == nullptr) {
    run = std::make_unique<RequestRun>(
        RunShares{.plan = *this, .topology = *topology_, .reads = *reads_, .spaces = spaces_});
  }
  return {run.release(),
          [this](RequestRun* used) { give_back(std::unique_ptr<RequestRun>(used)); },
          base::PooledAllocator<RequestRun>()};
}

void LoadedPlan::give_back(std::unique_ptr<RequestRun> run) {
  run->clear();
  base::MutexLock lock(mutex_);
  idle_.push_back(std::move(run));
}

}  // namespace millrace::rank
