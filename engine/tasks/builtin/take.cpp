#include <cstdint>

#include "base/result.h"
#include "plan/task_catalog.h"
#include "rows/row_set.h"
#include "rows/select.h"
#include "tasks/builtin/row_tasks.h"
#include "tasks/params_description.h"
#include "tasks/task_registry.h"

namespace millrace::tasks {
namespace {

struct TakeParams {
  std::int64_t count = 0;

  static void describe(ParamsDescription<TakeParams>& params) {
    params.required("count", &TakeParams::count, "How many rows to keep", {.minimum = 0});
  }
};

base::Result<rows::RowSet> take(const rows::RowSet& rows, const TakeParams& params) {
  return rows::take(rows, params.count);
}

}  // namespace

base::Status register_take(TaskRegistry& registry) {
  return register_task(registry,
                       {.op = "take",
                        .doc = "Keeps the first `count` rows.",
                        .kind = plan::TaskKind::kCheap,
                        .rows = plan::OutputRows::kSubset},
                       take);
}

}  // namespace millrace::tasks
