#pragma once

#include "base/result.h"
#include "plan/task_catalog.h"

namespace millrace::tasks {

/// Refuses a spec that the compiler, the manifest or the bindings could not use: names that are not
/// `snake_case`, missing docs, two params of one name, a default of another type or outside its own
/// limits, a required param with a default, a `keys_param` that is not a list of keys.
[[nodiscard]] base::Status check_task_spec(const plan::TaskSpec& spec);

}  // namespace millrace::tasks
