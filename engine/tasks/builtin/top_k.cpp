#include "rows/top_k.h"

#include <chrono>
#include <cstdint>

#include "base/result.h"
#include "plan/task_catalog.h"
#include "rows/row_set.h"
#include "tasks/builtin/row_tasks.h"
#include "tasks/param_types.h"
#include "tasks/params_description.h"
#include "tasks/task_context.h"
#include "tasks/task_registry.h"

namespace millrace::tasks {
namespace {

struct TopKParams {
  OrderParam order;
  std::int64_t count = 0;

  static void describe(ParamsDescription<TopKParams>& params) {
    params.required("order", &TopKParams::order, "Keys to order by, the first one first");
    params.required("count", &TopKParams::count, "How many rows to keep", {.minimum = 0});
  }
};

base::Result<rows::RowSet> top_k(const rows::RowSet& rows,
                                 const TopKParams& params,
                                 TaskContext& context) {
  return rows::top_k(rows, params.order.keys, params.count, context.scratch());
}

}  // namespace

base::Status register_top_k(TaskRegistry& registry) {
  return register_task(registry,
                       {.op = "top_k",
                        .doc = "Gives exactly what `sort` and then `take` give, without ordering "
                               "the rest; the compiler puts it in their place.",
                        .kind = plan::TaskKind::kCpu,
                        .rows = plan::OutputRows::kOther,
                        .cost_fixed = std::chrono::microseconds(1),
                        .cost_per_row = std::chrono::nanoseconds(5)},
                       top_k);
}

}  // namespace millrace::tasks
