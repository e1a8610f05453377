#pragma once

#include <string>

#include "rank/candidate_writer.h"
#include "rank/request_run.h"
#include "runtime/run.h"

namespace millrace::rank {

/// Appends the JSON of `"explain"` for a run that ended well and whose plan was compiled for it. If
/// it is stopped, what it appends means nothing.
void explain_request(const RequestRun& run,
                     const runtime::Run& ended,
                     const CandidateOptions& options,
                     std::string& out);

}  // namespace millrace::rank
