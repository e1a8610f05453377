#pragma once

#include <string>

#include "apps/rankd/flags.h"
#include "apps/rankd/output.h"
#include "jobs/job_store.h"

namespace millrace::rankd {

/// The lines of `status`.
[[nodiscard]] std::string status_text(const std::string& job, const jobs::JobState& state);

/// `rankd batch`; gives the exit code.
[[nodiscard]] int run_batch(const Flags& flags, Output& out);

}  // namespace millrace::rankd
