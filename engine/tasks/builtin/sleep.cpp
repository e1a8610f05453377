#include <chrono>
#include <cstdint>
#include <utility>

#include "base/error.h"
#include "base/result.h"
#include "loop/awaitables.h"
#include "loop/task.h"
#include "plan/task_catalog.h"
#include "rows/row_set.h"
#include "tasks/builtin/row_tasks.h"
#include "tasks/params_description.h"
#include "tasks/task_context.h"
#include "tasks/task_registry.h"

namespace millrace::tasks {
namespace {

struct SleepParams {
  std::int64_t duration_ms = 0;
  bool fail_after_sleep = false;

  static void describe(ParamsDescription<SleepParams>& params) {
    params.required("duration_ms",
                    &SleepParams::duration_ms,
                    "How long to wait, in milliseconds",
                    {.minimum = 0, .maximum = 3'600'000});
    params.optional("fail_after_sleep", &SleepParams::fail_after_sleep, "Then fail");
  }
};

loop::Task<base::Result<rows::RowSet>> sleep(rows::RowSet rows,
                                             const SleepParams* params,
                                             TaskContext context) {
  const std::chrono::milliseconds span(params->duration_ms);
  MR_CO_TRY_STATUS(co_await loop::sleep_for(context.loop(), span, context.stop_token()));
  if (params->fail_after_sleep) {
    co_return base::fail(
        base::ErrorCode::kNodeFailed, "Failed after its sleep, as asked", context.node().id);
  }
  co_return std::move(rows);
}

}  // namespace

base::Status register_sleep(TaskRegistry& registry) {
  return register_task(
      registry,
      {.op = "sleep",
       .doc = "Waits without using a thread, then gives its input; for tests and benchmarks.",
       .kind = plan::TaskKind::kAsync,
       .rows = plan::OutputRows::kSame,
       .can_fail = true,
       .shareable = false},
      sleep);
}

}  // namespace millrace::tasks
