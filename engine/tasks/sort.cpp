#include "rows/sort.h"

#include <chrono>
#include <cstdint>

#include "base/result.h"
#include "plan/compiled_plan.h"
#include "plan/task_catalog.h"
#include "rows/row_set.h"
#include "rows/sort_key.h"
#include "tasks/param_types.h"
#include "tasks/params_description.h"
#include "tasks/row_tasks.h"
#include "tasks/task_context.h"
#include "tasks/task_registry.h"

namespace millrace::tasks {
namespace {

enum class Order : std::uint8_t { kAscending, kDescending };

struct SortParams {
  OrderParam key;
  Order order = Order::kAscending;

  static void describe(ParamsDescription<SortParams>& params) {
    params.required("key", &SortParams::key, "Key to order by, or several, the first one first");
    params.choice("order",
                  &SortParams::order,
                  {{"asc", Order::kAscending}, {"desc", Order::kDescending}},
                  "`desc`: every key descends; `asc`: each key goes as its own entry says");
  }

  base::Status on_load(const plan::CompiledNode&) {
    if (order == Order::kAscending) return {};
    for (rows::SortKey& entry : key.keys) entry.direction = rows::Direction::kDescending;
    return {};
  }
};

base::Result<rows::RowSet> sort(const rows::RowSet& rows,
                                const SortParams& params,
                                TaskContext& context) {
  return rows::sort(rows, params.key.keys, context.scratch());
}

}  // namespace

base::Status register_sort(TaskRegistry& registry) {
  return register_task(
      registry,
      {.op = "sort",
       .doc = "Orders the rows; null and NaN come last whatever the direction, ties go by id.",
       .kind = plan::TaskKind::kCpu,
       .rows = plan::OutputRows::kReorder,
       .cost_fixed = std::chrono::microseconds(1),
       .cost_per_row = std::chrono::nanoseconds(40)},
      sort);
}

}  // namespace millrace::tasks
