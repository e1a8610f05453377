#pragma once

#include <string>

#include "rank/request_run.h"
#include "runtime/run.h"

namespace millrace::rank {

/// Appends the JSON of `"explain"` for a run that ended well and whose plan was compiled for it.
void explain_request(const RequestRun& run,
                     const runtime::Run& ended,
                     bool ids_as_strings,
                     std::string& out);

}  // namespace millrace::rank
