#include <chrono>
#include <utility>

#include "base/result.h"
#include "expr/evaluate.h"
#include "plan/task_catalog.h"
#include "rows/row_set.h"
#include "tasks/builtin/row_tasks.h"
#include "tasks/param_types.h"
#include "tasks/params_description.h"
#include "tasks/task_context.h"
#include "tasks/task_registry.h"

namespace millrace::tasks {
namespace {

struct FilterParams {
  PredicateParam pred;

  static void describe(ParamsDescription<FilterParams>& params) {
    params.required("pred", &FilterParams::pred, "Condition that a row must meet to stay");
  }
};

base::Result<rows::RowSet> filter(const rows::RowSet& rows,
                                  const FilterParams& params,
                                  TaskContext& context) {
  MR_TRY(expr::Filtered result,
         expr::evaluate_predicate(
             context.expr(params.pred), rows, context.eval_scratch(), context.eval_options()));
  context.count_row_errors(result.errors);
  return std::move(result.rows);
}

}  // namespace

base::Status register_filter(TaskRegistry& registry) {
  return register_task(
      registry,
      {.op = "filter",
       .doc = "Keeps the rows for which the predicate is true; drops those where it is "
              "false or null. Copies nothing.",
       .kind = plan::TaskKind::kCpu,
       .rows = plan::OutputRows::kSubset,
       .cost_fixed = std::chrono::microseconds(1),
       .cost_per_row = std::chrono::nanoseconds(3)},
      filter);
}

}  // namespace millrace::tasks
