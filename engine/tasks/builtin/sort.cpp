#include "rows/sort.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/error.h"
#include "base/result.h"
#include "plan/compiled_plan.h"
#include "plan/task_catalog.h"
#include "rows/row_set.h"
#include "rows/sort_key.h"
#include "tasks/builtin/row_tasks.h"
#include "tasks/param_types.h"
#include "tasks/params_description.h"
#include "tasks/task_context.h"
#include "tasks/task_registry.h"

namespace millrace::tasks {
namespace {

enum class Order : std::uint8_t { kAscending, kDescending };

struct SortParams {
  std::optional<KeyParam<AnyValue>> key;
  Order order = Order::kAscending;
  std::optional<OrderParam> by;
  std::vector<rows::SortKey> keys;  // made from `key` and `order`, or from `by`

  static void describe(ParamsDescription<SortParams>& params) {
    params.optional("key", &SortParams::key, "Key to order by");
    params.choice("order",
                  &SortParams::order,
                  {{"asc", Order::kAscending}, {"desc", Order::kDescending}},
                  "Direction of `key`");
    params.optional("by",
                    &SortParams::by,
                    "Several keys with their directions, the first one first, instead of `key`");
  }

  base::Status on_load(const plan::CompiledNode& node) {
    if (key.has_value() == by.has_value()) {
      return base::fail(
          base::ErrorCode::kInvalidPlan, "Give either `key` or `by`", node.id + ".params");
    }
    if (by && order == Order::kDescending) {
      return base::fail(base::ErrorCode::kInvalidPlan,
                        "`order` belongs to `key`; the entries of `by` say their own direction",
                        node.id + ".params.order");
    }
    if (by) keys = by->keys;
    if (key) {
      keys.push_back({.column = key->name,
                      .direction = order == Order::kDescending ? rows::Direction::kDescending
                                                               : rows::Direction::kAscending});
    }
    return {};
  }
};

base::Result<rows::RowSet> sort(const rows::RowSet& rows,
                                const SortParams& params,
                                TaskContext& context) {
  return rows::sort(rows, params.keys, context.scratch());
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
