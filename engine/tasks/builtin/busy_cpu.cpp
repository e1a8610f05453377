#include <chrono>
#include <cstdint>

#include "base/clock.h"
#include "base/result.h"
#include "plan/task_catalog.h"
#include "rows/row_set.h"
#include "tasks/builtin/row_tasks.h"
#include "tasks/params_description.h"
#include "tasks/task_context.h"
#include "tasks/task_registry.h"

namespace millrace::tasks {
namespace {

struct BusyCpuParams {
  std::int64_t busy_wait_ms = 0;

  static void describe(ParamsDescription<BusyCpuParams>& params) {
    params.required("busy_wait_ms",
                    &BusyCpuParams::busy_wait_ms,
                    "How long to compute, in milliseconds",
                    {.minimum = 0, .maximum = 3'600'000});
  }
};

base::Result<rows::RowSet> busy_cpu(const rows::RowSet& rows,
                                    const BusyCpuParams& params,
                                    TaskContext& context) {
  // Uses the machine's clock, not the context's: with a test clock that stands still the loop would
  // never end.
  const base::Clock& clock = base::steady_clock();
  const base::TimePoint end = clock.now() + std::chrono::milliseconds(params.busy_wait_ms);
  while (clock.now() < end) MR_TRY_STATUS(context.check_stop());
  return rows;
}

}  // namespace

base::Status register_busy_cpu(TaskRegistry& registry) {
  return register_task(
      registry,
      {.op = "busy_cpu",
       .doc = "Keeps its thread busy, then gives its input; for tests and benchmarks.",
       .kind = plan::TaskKind::kCpu,
       .rows = plan::OutputRows::kSame,
       .shareable = false},
      busy_cpu);
}

}  // namespace millrace::tasks
