#pragma once

#include <vector>

#include "trace/trace_record.h"

namespace millrace::trace {

/// Merges the records of one run, given thread by thread, into one order: by time; at equal times
/// `RunStart` first, `RunEnd` last, a node's start before its end, and otherwise each thread's own
/// order. Times are never changed, so a record that is later than the run's `RunEnd` can be
/// recognised.
void order_run(std::vector<TraceRecord>& records);

}  // namespace millrace::trace
