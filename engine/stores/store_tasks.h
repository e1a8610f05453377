#pragma once

#include "base/result.h"
#include "tasks/task_registry.h"

// The tasks of this module, one file each; the spec in it is their documentation.

namespace millrace::stores {

[[nodiscard]] base::Status register_follow(tasks::TaskRegistry& registry);
[[nodiscard]] base::Status register_http_fetch(tasks::TaskRegistry& registry);
[[nodiscard]] base::Status register_hydrate(tasks::TaskRegistry& registry);
[[nodiscard]] base::Status register_list(tasks::TaskRegistry& registry);
[[nodiscard]] base::Status register_lookup(tasks::TaskRegistry& registry);
[[nodiscard]] base::Status register_media(tasks::TaskRegistry& registry);
[[nodiscard]] base::Status register_recommendation(tasks::TaskRegistry& registry);
[[nodiscard]] base::Status register_set_members(tasks::TaskRegistry& registry);
[[nodiscard]] base::Status register_sorted_set(tasks::TaskRegistry& registry);
[[nodiscard]] base::Status register_viewer(tasks::TaskRegistry& registry);

/// All of them.
[[nodiscard]] base::Status register_store_tasks(tasks::TaskRegistry& registry);

}  // namespace millrace::stores
