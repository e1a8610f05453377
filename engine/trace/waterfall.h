#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/clock.h"
#include "trace/chrome_trace_reader.h"

namespace millrace::trace {

/// One node of the chain that decided how long a run took.
struct FiledStep {
  std::size_t node = 0;     ///< index among the nodes of the run
  base::Duration waited{};  ///< from the end of the step before, or the begin of the run
  base::Duration ran{};
};

/// The chain of nodes that decided how long a run took, first to last. The steps and `after`, the
/// time from the end of the last node to the answer, add up to the duration of the run.
struct FiledPath {
  std::vector<FiledStep> steps;
  base::Duration after{};
};

/// Walks back from the node that ended last, each time to the producer that ended last.
[[nodiscard]] FiledPath find_path(const FiledRun& run);

struct WaterfallOptions {
  std::size_t columns = 100;  ///< of the terminal; at least 60 are used
  bool use_unicode = true;
};

/// Draws a run for a terminal: a line per node with a bar from its begin to its end, those on the
/// critical path marked with `*`, and where the time on that path went.
[[nodiscard]] std::string draw_waterfall(const FiledRun& run, const WaterfallOptions& options);

}  // namespace millrace::trace
