#pragma once

#include <string>

#include "plan/task_catalog.h"

namespace millrace::tasks {

/// Gives all specs as JSON, tasks by op, each field always present: the same tasks give the same
/// bytes. The bindings of the plan language are generated from it.
[[nodiscard]] std::string make_manifest(const plan::TaskCatalog& catalog);

}  // namespace millrace::tasks
