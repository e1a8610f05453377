#include "rank/loaded_plan.h"

#include <algorithm>
#include <atomic>
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

// Says whether the nodes of a plan fetch and pass on the same in another one that has more nodes.
bool do_the_same(const plan::CompiledPlan& plan, const plan::CompiledPlan& larger) {
  if (plan.params.size() != larger.params.size() ||
      plan.request_fields.size() != larger.request_fields.size() ||
      plan.viewer_fields.size() != larger.viewer_fields.size())
    return false;
  return std::ranges::all_of(plan.nodes, [&](const CompiledNode& node) {
    const std::uint32_t index = larger.find_node(node.id);
    return index != plan::kNoPlanNode && larger.nodes[index].columns == node.columns &&
           larger.nodes[index].fetched_keys.size() == node.fetched_keys.size();
  });
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

// Publishes nothing.
std::atomic<std::uint64_t> next_serial{1};

/// Whether two params mean the same.
struct SameParam {
  template <class T, class Other>
  bool operator()(const T&, const Other&) const {
    return false;
  }
  template <class T>
  bool operator()(const T& left, const T& right) const {
    return left == right;
  }
  bool operator()(const std::vector<plan::OrderKey>& left,
                  const std::vector<plan::OrderKey>& right) const {
    return std::ranges::equal(left, right, [](const auto& one, const auto& other) {
      return one.key == other.key && one.descending == other.descending;
    });
  }
  bool operator()(plan::EndpointId left, plan::EndpointId right) const {
    return left.index == right.index;
  }
  bool operator()(plan::InputIndex left, plan::InputIndex right) const {
    return left.index == right.index;
  }
  bool operator()(const expr::CompiledExprRef& left, const expr::CompiledExprRef& right) const {
    if (left == nullptr || right == nullptr) return left == right;
    return left->canonical_text() == right->canonical_text();
  }
};

bool does_same_work(const CompiledNode& left, const CompiledNode& right) {
  return left.task->op == right.task->op && left.source_ids == right.source_ids &&
         left.columns == right.columns &&
         std::ranges::equal(left.params, right.params, [](const auto& one, const auto& other) {
           return std::visit(SameParam{}, one, other);
         });
}

bool fall_back(const void* closure, runtime::NodeCall& call) {
  return run_of(call).use_fallback(index_of(closure), call);
}

}  // namespace

LoadedPlan::LoadedPlan(plan::CompiledPlanRef plan,
                       const plan::Registry& registry,
                       const tasks::TaskRegistry& tasks,
                       const LoadOptions& options)
    : PreparedPlan(std::move(plan), registry),
      tasks_(tasks),
      options_(options),
      serial_(next_serial.fetch_add(1, std::memory_order_relaxed)) {
  load_.set_may_fail(!plan::nodes_that_can_fail(this->plan()).empty());
}

LoadedPlan::~LoadedPlan() {
  runs_.reset();  // waits for bodies that still run
  while (const RequestRun* const run = spares_.try_take()) delete run;
}

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
  const auto compiled =
      plan::compile_plan(options_.artifact, registry(), tasks_, {.for_explain = true});
  if (!compiled) return base::fail(base::ErrorCode::kInvalidPlan, compiled.error().to_text());
  LoadOptions options = options_;
  options.artifact.clear();
  // Nodes that no output needs are explained too, unless running them would change what others do.
  const auto whole = plan::compile_plan(
      options_.artifact, registry(), tasks_, {.remove_dead_nodes = false, .for_explain = true});
  if (whole && do_the_same(**compiled, **whole)) {
    if (auto loaded = load(*whole, registry(), tasks_, options)) twin_ = *std::move(loaded);
  }
  if (twin_ == nullptr) {
    MR_TRY(twin_, load(*compiled, registry(), tasks_, options));
  }
  return twin_.get();
}

void LoadedPlan::adopt_costs(const LoadedPlan& before) {
  for (std::uint32_t index = 0; index < plan().nodes.size(); ++index) {
    const CompiledNode& node = plan().nodes[index];
    const std::uint32_t old = before.plan().find_node(node.id);
    if (old == plan::kNoPlanNode || !does_same_work(node, before.plan().nodes[old])) continue;
    costs_->adopt(index, *before.costs_, old);
  }
  costs_->refresh();
}

std::shared_ptr<RequestRun> LoadedPlan::make_run() {
  RequestRun* run = spares_.try_take();
  if (run == nullptr) {
    run = std::make_unique<RequestRun>(
              RunShares{.plan = *this, .topology = *topology_, .reads = *reads_, .spaces = spaces_})
              .release();
  }
  const auto give_back = [this](RequestRun* used) {
    used->clear();
    spares_.give(*used);
  };
  return {run, give_back, base::PooledAllocator<RequestRun>()};
}

}  // namespace millrace::rank
