#pragma once

#include "apps/rankd/flags.h"
#include "apps/rankd/output.h"

namespace millrace::rankd {

/// Checks everything that a request needs (registry, tasks, endpoints, plans, one request per plan)
/// and prints what is wrong and what to do. Gives the exit code: 0 if all checks passed.
[[nodiscard]] int run_doctor(const Flags& flags, Output& out);

}  // namespace millrace::rankd
