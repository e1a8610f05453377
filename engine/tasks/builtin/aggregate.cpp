#include "rows/groups/aggregate.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/format.h"
#include "base/result.h"
#include "plan/compiled_plan.h"
#include "plan/param_value.h"
#include "plan/task_catalog.h"
#include "rows/row_set.h"
#include "rows/select.h"
#include "tasks/builtin/row_tasks.h"
#include "tasks/param_types.h"
#include "tasks/params_description.h"
#include "tasks/task_context.h"
#include "tasks/task_registry.h"

namespace millrace::tasks {
namespace {

struct AggregateParams {
  KeyListParam<AnyValue> by;
  ComputedKeysParam<AnyValue, Count> count;
  ComputedKeysParam<Number, SameType> sum;
  ComputedKeysParam<Number, Float> mean;
  ComputedKeysParam<Number, SameType> min;
  ComputedKeysParam<Number, SameType> max;
  KeyMapParam first;
  std::vector<rows::AggregateColumn> columns;  // those that something reads

  static void describe(ParamsDescription<AggregateParams>& params) {
    params.required("by", &AggregateParams::by, "Keys whose values define a group");
    params.optional(
        "count",
        &AggregateParams::count,
        "New keys with the keys whose values are counted; `{\"n\": \"id\"}` counts rows");
    params.optional("sum",
                    &AggregateParams::sum,
                    "New keys with the keys whose values are added; a sum of ints beyond 64 bits "
                    "is a row error");
    params.optional("mean",
                    &AggregateParams::mean,
                    "New keys, of type float, with the keys whose mean they are");
    params.optional("min", &AggregateParams::min, "New keys with the keys whose least they are");
    params.optional("max", &AggregateParams::max, "New keys with the keys whose greatest they are");
    params.optional("first",
                    &AggregateParams::first,
                    "Keys, or new keys with keys, to take from the first row of a group");
  }

  base::Status on_load(const plan::CompiledNode& node) {
    std::vector<std::string_view> taken;
    for (const std::string& key : by.names) {
      MR_TRY_STATUS(add_name(taken, key, node.id + ".params.by"));
      add(node, rows::Aggregation::kFirst, {.to = key, .from = key});
    }
    const auto add_all = [&](std::string_view param,
                             rows::Aggregation aggregation,
                             const std::vector<plan::KeyMove>& keys) -> base::Status {
      for (const plan::KeyMove& key : keys) {
        MR_TRY_STATUS(add_name(taken, key.to, base::format("{}.params.{}", node.id, param)));
        add(node, aggregation, key);
      }
      return {};
    };
    MR_TRY_STATUS(add_all("count", rows::Aggregation::kCount, count.keys));
    MR_TRY_STATUS(add_all("sum", rows::Aggregation::kSum, sum.keys));
    MR_TRY_STATUS(add_all("mean", rows::Aggregation::kMean, mean.keys));
    MR_TRY_STATUS(add_all("min", rows::Aggregation::kMin, min.keys));
    MR_TRY_STATUS(add_all("max", rows::Aggregation::kMax, max.keys));
    return add_all("first", rows::Aggregation::kFirst, first.keys);
  }

 private:
  static base::Status add_name(std::vector<std::string_view>& taken,
                               std::string_view name,
                               std::string where) {
    if (std::ranges::find(taken, name) != taken.end()) {
      return base::fail(base::ErrorCode::kInvalidPlan,
                        base::format("Two columns of the groups would be called `{}`", name),
                        std::move(where));
    }
    taken.push_back(name);
    return {};
  }

  void add(const plan::CompiledNode& node,
           rows::Aggregation aggregation,
           const plan::KeyMove& key) {
    if (std::ranges::find(node.taken_columns, key) == node.taken_columns.end()) return;
    columns.push_back({.aggregation = aggregation, .name = key.from, .new_name = key.to});
  }
};

base::Result<rows::RowSet> aggregate(const rows::RowSet& rows,
                                     const AggregateParams& params,
                                     TaskContext& context) {
  MR_TRY(rows::Aggregated made,
         rows::aggregate(rows, params.by.names, params.columns, context.scratch()));
  if (made.overflow_count == 0) return std::move(made.rows);
  std::string message = base::format("sum of {} is beyond int64", made.overflowed_column);
  const plan::RowErrorRule rule = context.node().on_row_error;
  if (rule == plan::RowErrorRule::kFail) {
    return base::fail(
        base::ErrorCode::kNodeFailed, "A row failed: " + std::move(message), context.node().id);
  }
  TaskStats& stats = context.stats();
  stats.row_errors += made.overflow_count;
  if (stats.first_row_error.empty()) stats.first_row_error = std::move(message);
  if (rule == plan::RowErrorRule::kNull) return std::move(made.rows);
  return rows::filter(made.rows, made.is_good.span(), context.scratch());
}

}  // namespace

base::Status register_aggregate(TaskRegistry& registry) {
  return register_task(
      registry,
      {.op = "aggregate",
       .doc = "Makes one row of each group of rows with equal values of `by`, in order of the "
              "groups' first rows: with the `id` of the first row, the keys of `by`, and what the "
              "other params compute. Nulls are left out of what is computed; without a value "
              "there, the result is null, and a count 0. Null is a group of its own.",
       .kind = plan::TaskKind::kCpu,
       .columns = plan::OutputColumns::kGroups,
       .rows = plan::OutputRows::kOther,
       .cost_fixed = std::chrono::microseconds(2),
       .cost_per_row = std::chrono::nanoseconds(40)},
      aggregate);
}

}  // namespace millrace::tasks
