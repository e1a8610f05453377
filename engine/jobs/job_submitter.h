#pragma once

#include <cstdint>
#include <functional>

#include "base/result.h"
#include "jobs/job_input.h"
#include "jobs/job_manifest.h"
#include "jobs/job_store.h"
#include "nats/request_box.h"

namespace millrace::jobs {

/// Told how many lines are queued, of how many.
using SubmitProgress = std::function<void(std::uint64_t done, std::uint64_t total)>;

/// Queues the lines of a job that are not queued yet (JOB4): line n is accepted only as the n-th
/// message, so whoever is killed goes on where it stopped, and two at a time do no harm.
[[nodiscard]] base::Status submit_lines(nats::RequestBox& box,
                                        nats::JetStream& jetstream,
                                        const JobNames& names,
                                        const JobInput& input,
                                        const SubmitProgress& progress);

/// Queues exactly the lines that have no result (JOB5), whatever was lost. Gives how many.
[[nodiscard]] base::Result<std::uint64_t> repair_lines(nats::RequestBox& box,
                                                       nats::JetStream& jetstream,
                                                       JobStore& store,
                                                       const JobInput& input,
                                                       const SubmitProgress& progress);

}  // namespace millrace::jobs
