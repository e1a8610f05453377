#include "tasks/task.h"

#include "base/error.h"
#include "base/result.h"
#include "loop/task.h"
#include "rows/row_set.h"

namespace millrace::tasks {

base::Result<rows::RowSet> TaskBody::run(const TaskCall& call) const {
  return base::fail(
      base::ErrorCode::kInternal, "An async task has no synchronous body", call.context.node().id);
}

loop::Task<base::Result<rows::RowSet>> TaskBody::run_async(TaskCall call) const {
  co_return run(call);
}

}  // namespace millrace::tasks
