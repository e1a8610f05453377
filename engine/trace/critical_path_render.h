#pragma once

#include <cstddef>
#include <string>

#include "trace/critical_path.h"
#include "trace/trace_record.h"

namespace millrace::trace {

struct WaterfallOptions {
  std::size_t width = 100;     ///< total columns; at least 60 are used
  std::size_t rows_max = 200;  ///< nodes drawn at most; nodes on a path are always drawn
  bool use_unicode = true;     ///< false: bars of plain ASCII
};

/// Draws a run for a terminal: a bar per node, then both critical paths with their sums.
/// `topology` must be the one the run was analysed with.
[[nodiscard]] std::string render_text(const RunAnalysis& run,
                                      const TraceTopology& topology,
                                      const WaterfallOptions& options = {});

/// Gives the same as one JSON object on one line. Times are integer nanoseconds; points in time
/// count from the run's start.
[[nodiscard]] std::string render_json(const RunAnalysis& run, const TraceTopology& topology);

}  // namespace millrace::trace
