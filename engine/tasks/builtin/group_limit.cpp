#include <chrono>
#include <cstdint>

#include "base/result.h"
#include "plan/task_catalog.h"
#include "rows/dedupe.h"
#include "rows/row_set.h"
#include "tasks/builtin/row_tasks.h"
#include "tasks/param_types.h"
#include "tasks/params_description.h"
#include "tasks/task_context.h"
#include "tasks/task_registry.h"

namespace millrace::tasks {
namespace {

struct GroupLimitParams {
  KeyListParam<AnyValue> by;
  std::int64_t count = 1;

  static void describe(ParamsDescription<GroupLimitParams>& params) {
    params.required("by", &GroupLimitParams::by, "Keys whose values define a group");
    params.optional(
        "count", &GroupLimitParams::count, "How many rows of a group stay", {.minimum = 0});
  }
};

base::Result<rows::RowSet> group_limit(const rows::RowSet& rows,
                                       const GroupLimitParams& params,
                                       TaskContext& context) {
  return rows::group_limit(rows, params.by.names, params.count, context.scratch());
}

}  // namespace

base::Status register_group_limit(TaskRegistry& registry) {
  return register_task(registry,
                       {.op = "group_limit",
                        .doc = "Keeps at most `count` rows of each group, those that come first.",
                        .kind = plan::TaskKind::kCpu,
                        .rows = plan::OutputRows::kSubset,
                        .cost_fixed = std::chrono::microseconds(1),
                        .cost_per_row = std::chrono::nanoseconds(20)},
                       group_limit);
}

}  // namespace millrace::tasks
