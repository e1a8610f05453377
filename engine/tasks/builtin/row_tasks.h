#pragma once

#include "base/result.h"
#include "tasks/task_registry.h"

// The tasks of this module, one file each; each file documents its task in the spec.

namespace millrace::tasks {

[[nodiscard]] base::Status register_aggregate(TaskRegistry& registry);
[[nodiscard]] base::Status register_busy_cpu(TaskRegistry& registry);
[[nodiscard]] base::Status register_candidates(TaskRegistry& registry);
[[nodiscard]] base::Status register_concat(TaskRegistry& registry);
[[nodiscard]] base::Status register_dedupe(TaskRegistry& registry);
[[nodiscard]] base::Status register_diversify(TaskRegistry& registry);
[[nodiscard]] base::Status register_filter(TaskRegistry& registry);
[[nodiscard]] base::Status register_fixed_source(TaskRegistry& registry);
[[nodiscard]] base::Status register_group_limit(TaskRegistry& registry);
[[nodiscard]] base::Status register_interleave(TaskRegistry& registry);
[[nodiscard]] base::Status register_join(TaskRegistry& registry);
[[nodiscard]] base::Status register_sample(TaskRegistry& registry);
[[nodiscard]] base::Status register_skip(TaskRegistry& registry);
[[nodiscard]] base::Status register_sleep(TaskRegistry& registry);
[[nodiscard]] base::Status register_sort(TaskRegistry& registry);
[[nodiscard]] base::Status register_take(TaskRegistry& registry);
[[nodiscard]] base::Status register_top_k(TaskRegistry& registry);
[[nodiscard]] base::Status register_vm(TaskRegistry& registry);

/// Registers all of them.
[[nodiscard]] base::Status register_row_tasks(TaskRegistry& registry);

}  // namespace millrace::tasks
