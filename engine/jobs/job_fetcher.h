#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/result.h"
#include "jobs/job_store.h"
#include "nats/request_box.h"

namespace millrace::jobs {

struct FetchOrder {
  std::string path;         ///< where the results go
  bool is_partial = false;  ///< lines without a result are left out; else they are an error
};

struct FetchOutcome {
  std::uint64_t written = 0;
  std::string missing = {};  ///< ranges of lines without a result
};

/// Writes the results of a job in the order of its input (JOB10). They go to `PATH.part` first,
/// which becomes PATH at the end; whoever is killed goes on with it. `kNotFound`: results are
/// missing.
[[nodiscard]] base::Result<FetchOutcome> fetch_results(
    nats::RequestBox& box,
    JobStore& store,
    const FetchOrder& order,
    const std::function<void(std::uint64_t done, std::uint64_t total)>& progress);

}  // namespace millrace::jobs
