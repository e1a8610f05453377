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

struct SkipParams {
  std::int64_t count = 0;

  static void describe(ParamsDescription<SkipParams>& params) {
    params.required("count", &SkipParams::count, "How many rows to leave out", {.minimum = 0});
  }
};

base::Result<rows::RowSet> skip(const rows::RowSet& rows, const SkipParams& params) {
  return rows::skip(rows, params.count);
}

}  // namespace

base::Status register_skip(TaskRegistry& registry) {
  return register_task(registry,
                       {.op = "skip",
                        .doc = "Leaves out the first `count` rows.",
                        .kind = plan::TaskKind::kCheap,
                        .rows = plan::OutputRows::kSubset},
                       skip);
}

}  // namespace millrace::tasks
