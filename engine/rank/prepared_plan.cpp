#include "rank/prepared_plan.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "base/formats/json_writer.h"
#include "base/result.h"
#include "expr/bound_expr.h"
#include "rows/batch.h"
#include "rows/column_builder.h"
#include "rows/gather.h"

namespace millrace::rank {
namespace {

using plan::CompiledNode;

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

std::string describe_plan(const plan::CompiledPlan& plan) {
  std::string text;
  base::JsonWriter json(text);
  json.begin_object();
  json.member("name", plan.name);
  if (!plan.version.empty()) json.member("version", plan.version);
  json.member("digest", plan.digest);
  json.end_object();
  return text;
}

}  // namespace

base::Result<rows::RowSet> rows_of_ids(std::span<const std::int64_t> ids) {
  rows::RowScratch scratch(0);
  rows::Int64ColumnBuilder column(scratch, ids.size());
  for (const std::int64_t id : ids) column.append(id);
  rows::NamedColumns columns;
  columns.push_back({std::string(rows::kIdColumn), column.finish()});
  MR_TRY(rows::BatchRef batch, rows::Batch::make(std::move(columns)));
  return rows::RowSet(std::move(batch));
}

PreparedPlan::PreparedPlan(plan::CompiledPlanRef plan, const plan::Registry& registry)
    : plan_(std::move(plan)),
      registry_(registry),
      plan_json_(describe_plan(*plan_)),
      reads_graph_(plan::reads_graph(*plan_, registry)) {}

void PreparedPlan::take_defaults() {
  for (const plan::ExternalName& param : plan_->params) {
    const plan::FieldInfo* const info = registry_.find_param(param.name);
    default_params_.push_back(info != nullptr ? value_of(info->fallback) : rows::Value());
  }
}

base::Status PreparedPlan::prepare(const tasks::TaskRegistry& tasks,
                                   std::span<const tasks::ClientKind> endpoints) {
  take_defaults();
  const tasks::LoadContext load{
      .plan = plan_.get(),
      .endpoints = endpoints,
      .endpoint_name = [this](plan::EndpointId id) { return registry_.endpoint(id).name; },
      .key_type = [this](std::string_view key) -> std::optional<rows::ColumnType> {
        const plan::FieldInfo* const info = registry_.find_key(key);
        return info != nullptr ? std::optional(info->type) : std::nullopt;
      }};
  nodes_.resize(plan_->nodes.size());
  for (std::uint32_t index = 0; index < nodes_.size(); ++index)
    MR_TRY_STATUS(prepare_node(index, tasks, load));
  find_output_columns();
  output_orders_ = find_output_orders(*plan_);
  return {};
}

base::Status PreparedPlan::prepare_node(std::uint32_t index,
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

base::Status PreparedPlan::prepare_exprs(PlanNode& node) {
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

base::Status PreparedPlan::prepare_inputs(PlanNode& node) {
  const CompiledNode& compiled = *node.prepared.node;
  node.constant_inputs.resize(compiled.inputs.size());
  for (std::size_t index = 0; index < compiled.inputs.size(); ++index) {
    const auto* const constant = std::get_if<plan::ConstantInput>(&compiled.inputs[index]);
    if (constant == nullptr) continue;
    MR_TRY(node.constant_inputs[index], rows_of_ids(constant->ids));
  }
  return {};
}

base::Result<rows::RowSet> PreparedPlan::make_empty_rows(const CompiledNode& node) const {
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

void PreparedPlan::find_output_columns() {
  for (const std::string& name : plan_->nodes[plan_->outputs.front()].columns) {
    const bool everywhere =
        std::all_of(plan_->outputs.begin(), plan_->outputs.end(), [&](std::uint32_t output) {
          const auto& columns = plan_->nodes[output].columns;
          return std::find(columns.begin(), columns.end(), name) != columns.end();
        });
    if (everywhere) output_columns_.emplace_back(name);
  }
}

}  // namespace millrace::rank
