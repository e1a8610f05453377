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
#include "rank/request_run.h"
#include "rank/response.h"
#include "rows/batch.h"
#include "rows/gather.h"

namespace millrace::rank {
namespace {

using plan::CompiledNode;

// What a body of the topology is called with.
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

rows::Value value_of(const plan::DefaultValue& fallback) {
  return std::visit(
      [](const auto& value) -> rows::Value {
        if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::string>) {
          return std::string_view(value);
        } else {
          return value;
        }
      },
      fallback);
}

rows::ColumnType column_type(const plan::Registry& registry, std::string_view name) {
  const plan::FieldInfo* const key = registry.find_key(name);
  return key != nullptr ? key->type : rows::ColumnType::kInt64;
}

}  // namespace

LoadedPlan::LoadedPlan(plan::CompiledPlanRef plan,
                       const plan::Registry& registry,
                       const tasks::TaskRegistry& tasks,
                       const LoadOptions& options)
    : plan_(std::move(plan)),
      registry_(registry),
      tasks_(tasks),
      options_(options),
      plan_json_(rank::plan_json(*plan_)) {}

LoadedPlan::~LoadedPlan() = default;

base::Result<std::unique_ptr<LoadedPlan>> LoadedPlan::load(plan::CompiledPlanRef plan,
                                                           const plan::Registry& registry,
                                                           const tasks::TaskRegistry& tasks,
                                                           const LoadOptions& options) {
  std::unique_ptr<LoadedPlan> loaded(new LoadedPlan(std::move(plan), registry, tasks, options));
  loaded->take_defaults();
  MR_TRY_STATUS(loaded->prepare_nodes(tasks, options));
  loaded->find_output_columns();
  MR_TRY_STATUS(loaded->build_topology(options));
  return loaded;
}

void LoadedPlan::take_defaults() {
  for (const plan::ExternalName& param : plan_->params) {
    const plan::FieldInfo* const info = registry_.find_param(param.name);
    default_params_.push_back(info != nullptr ? value_of(info->fallback) : rows::Value());
  }
}

base::Status LoadedPlan::prepare_nodes(const tasks::TaskRegistry& tasks,
                                       const LoadOptions& options) {
  const tasks::LoadContext load{
      .plan = plan_.get(),
      .endpoints = options.endpoints,
      .endpoint_name = [this](plan::EndpointId id) { return registry_.endpoint(id).name; },
      .key_type = [this](std::string_view key) -> std::optional<rows::ColumnType> {
        const plan::FieldInfo* const info = registry_.find_key(key);
        return info != nullptr ? std::optional(info->type) : std::nullopt;
      }};
  nodes_.resize(plan_->nodes.size());
  for (std::uint32_t index = 0; index < nodes_.size(); ++index)
    MR_TRY_STATUS(prepare_node(index, tasks, load));
  return {};
}

base::Status LoadedPlan::prepare_node(std::uint32_t index,
                                      const tasks::TaskRegistry& tasks,
                                      const tasks::LoadContext& load) {
  const CompiledNode& compiled = plan_->nodes[index];
  PlanNode& node = nodes_[index];
  MR_TRY(node.prepared, tasks.prepare(compiled, load));
  MR_TRY_STATUS(prepare_exprs(node));
  MR_TRY_STATUS(prepare_inputs(node));
  MR_TRY(node.empty_rows, make_empty_rows(compiled));
  return {};
}

base::Status LoadedPlan::prepare_exprs(PlanNode& node) {
  const CompiledNode& compiled = *node.prepared.node;
  for (std::uint32_t index = 0; index < compiled.params.size(); ++index) {
    const auto* const compiled_expr = std::get_if<expr::CompiledExprRef>(&compiled.params[index]);
    if (compiled_expr == nullptr) continue;
    PlanExpr expr{.param_index = index, .compiled = *compiled_expr, .bound = {}};
    bool reads_request = expr.compiled->uses_now();
    for (const expr::NameUse& use : expr.compiled->names()) {
      expr.reads_params |= use.source == expr::NameSource::kParam;
      expr.reads_viewer |= use.source == expr::NameSource::kViewer;
      reads_request |= use.source == expr::NameSource::kRequest;
    }
    if (!reads_request && !expr.reads_viewer) {
      MR_TRY(expr.bound, expr::BoundExpr::bind(expr.compiled, {.params = default_params_}));
    }
    node.exprs.push_back(std::move(expr));
  }
  return {};
}

base::Status LoadedPlan::prepare_inputs(PlanNode& node) {
  const CompiledNode& compiled = *node.prepared.node;
  node.constant_inputs.resize(compiled.inputs.size());
  for (std::size_t index = 0; index < compiled.inputs.size(); ++index) {
    const auto* const constant = std::get_if<plan::ConstantInput>(&compiled.inputs[index]);
    if (constant == nullptr) continue;
    MR_TRY(node.constant_inputs[index], rows_of_ids(constant->ids));
  }
  return {};
}

base::Result<rows::RowSet> LoadedPlan::make_empty_rows(const CompiledNode& node) const {
  rows::RowScratch scratch(0);
  rows::NamedColumns columns;
  for (const std::string& name : node.columns) {
    const rows::ColumnType type =
        name == rows::kIdColumn ? rows::ColumnType::kInt64 : column_type(registry_, name);
    MR_TRY(rows::ColumnRef column, rows::append_pieces(type, {}, scratch));
    columns.push_back({name, std::move(column)});
  }
  MR_TRY(rows::BatchRef batch, rows::Batch::make(std::move(columns)));
  return rows::RowSet(std::move(batch));
}

void LoadedPlan::find_output_columns() {
  for (const std::string& name : plan_->nodes[plan_->outputs.front()].columns) {
    const bool everywhere =
        std::all_of(plan_->outputs.begin(), plan_->outputs.end(), [&](std::uint32_t output) {
          const auto& columns = plan_->nodes[output].columns;
          return std::find(columns.begin(), columns.end(), name) != columns.end();
        });
    if (everywhere) output_columns_.emplace_back(name);
  }
}

runtime::NodeSpec LoadedPlan::make_spec(std::uint32_t index, const LoadOptions& options) const {
  const CompiledNode& node = plan_->nodes[index];
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
      spec.after.push_back(plan_->nodes[producer->node].id);
  }
  for (const std::uint32_t producer : node.waits_for)
    spec.after.push_back(plan_->nodes[producer].id);
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
  spec.reserve = plan_->reserve;
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
      spec.fallback_node = plan_->nodes[node.fallback_node].id;
      break;
  }
  return spec;
}

base::Status LoadedPlan::build_topology(const LoadOptions& options) {
  runtime::TopologyBuilder builder;
  for (std::uint32_t index = 0; index < nodes_.size(); ++index)
    builder.add(make_spec(index, options));
  MR_TRY(topology_, builder.build());
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
        "The plan was loaded without its artifact and cannot be explained: " + plan_->name);
  }
  auto compiled = plan::compile_plan(options_.artifact, registry_, tasks_, {.for_explain = true});
  if (!compiled) return base::fail(base::ErrorCode::kInvalidPlan, compiled.error().to_text());
  LoadOptions options = options_;
  options.artifact.clear();
  MR_TRY(twin_, load(*std::move(compiled), registry_, tasks_, options));
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
  if (run == nullptr) run = std::make_unique<RequestRun>(*this);
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
