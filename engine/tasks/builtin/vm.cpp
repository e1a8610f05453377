#include <chrono>
#include <optional>
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

struct VmParams {
  std::optional<OutKeyParam<AnyValue>> out_key;
  std::optional<ExprParam> expr;

  static void describe(ParamsDescription<VmParams>& params) {
    params.optional("out_key", &VmParams::out_key, "Key to which the result is written");
    params.optional("expr",
                    &VmParams::expr,
                    "Expression computed for each row; without it and `out_key` the rows pass "
                    "unchanged");
  }

  base::Status on_load(const plan::CompiledNode& node) {
    if (out_key.has_value() == expr.has_value()) return {};
    return base::fail(base::ErrorCode::kInvalidPlan,
                      out_key ? "`out_key` is given without `expr`: there is nothing to write"
                              : "`expr` is given without `out_key`: there is no key for its result",
                      node.id + ".params");
  }
};

base::Result<rows::RowSet> vm(const rows::RowSet& rows,
                              const VmParams& params,
                              TaskContext& context) {
  if (!params.expr) return rows;
  MR_TRY(expr::WithKey result,
         expr::evaluate_to_key(context.expr(*params.expr),
                               rows,
                               params.out_key->name,
                               context.eval_scratch(),
                               context.eval_options()));
  context.count_row_errors(result.errors);
  return std::move(result.rows);
}

}  // namespace

base::Status register_vm(TaskRegistry& registry) {
  return register_task(
      registry,
      {.op = "vm",
       .aliases = {"transform"},
       .doc = "Writes one key from an expression; `on_row_error` says what happens to "
              "rows whose expression fails. A node without params passes its rows "
              "through.",
       .kind = plan::TaskKind::kCpu,
       .rows = plan::OutputRows::kSubset,
       .cost_fixed = std::chrono::microseconds(1),
       .cost_per_row = std::chrono::nanoseconds(4)},
      vm);
}

}  // namespace millrace::tasks
