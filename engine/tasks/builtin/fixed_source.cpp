#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "plan/task_catalog.h"
#include "rows/batch.h"
#include "rows/column.h"
#include "rows/row_scratch.h"
#include "rows/row_set.h"
#include "rows/stop_check.h"
#include "tasks/builtin/row_tasks.h"
#include "tasks/params_description.h"
#include "tasks/task_context.h"
#include "tasks/task_registry.h"

namespace millrace::tasks {
namespace {

struct FixedSourceParams {
  std::int64_t row_count = 1;

  static void describe(ParamsDescription<FixedSourceParams>& params) {
    params.optional("row_count",
                    &FixedSourceParams::row_count,
                    "How many rows there are",
                    {.minimum = 0, .maximum = 10'000'000});
  }
};

base::Result<rows::RowSet> fixed_source(const FixedSourceParams& params, TaskContext& context) {
  rows::Array<std::int64_t> ids =
      context.scratch().make_array<std::int64_t>(static_cast<std::size_t>(params.row_count));
  MR_TRY_STATUS(
      rows::in_parts(ids.size(), context.stop_check(), [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) ids[i] = static_cast<std::int64_t>(i) + 1;
      }));
  rows::NamedColumns columns;
  columns.push_back(
      {.name = std::string(rows::kIdColumn), .column = rows::Column::make_int64(std::move(ids))});
  MR_TRY(rows::BatchRef batch, rows::Batch::make(std::move(columns)));
  return rows::RowSet(std::move(batch));
}

}  // namespace

base::Status register_fixed_source(TaskRegistry& registry) {
  return register_task(
      registry,
      {.op = "fixed_source",
       .doc = "Gives rows with the ids 1 to `row_count`; for tests and benchmarks.",
       .kind = plan::TaskKind::kCheap,
       .columns = plan::OutputColumns::kSource,
       .rows = plan::OutputRows::kSource},
      fixed_source);
}

}  // namespace millrace::tasks
