#include "tasks/builtin/row_tasks.h"

#include "base/result.h"
#include "tasks/task_registry.h"

namespace millrace::tasks {

base::Status register_row_tasks(TaskRegistry& registry) {
  const auto all = {register_aggregate,
                    register_busy_cpu,
                    register_candidates,
                    register_concat,
                    register_dedupe,
                    register_diversify,
                    register_filter,
                    register_fixed_source,
                    register_group_limit,
                    register_interleave,
                    register_join,
                    register_sample,
                    register_skip,
                    register_sleep,
                    register_sort,
                    register_take,
                    register_top_k,
                    register_vm};
  for (const auto add : all) MR_TRY_STATUS(add(registry));
  return {};
}

}  // namespace millrace::tasks
