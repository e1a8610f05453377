#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace millrace::trace {

/// A node of a run that was read from a trace file. Times count from the begin of the run.
struct FiledNode {
  std::string id;
  std::string op;
  std::string status;
  std::string thread;
  base::Duration begin{};
  base::Duration end{};
  std::vector<std::size_t> producers;  ///< indices of the nodes whose results it needed
};

/// A run that was read from a trace file.
struct FiledRun {
  std::string name;      ///< of the plan or flow
  std::string trace_id;  ///< as the file writes it
  std::string status;
  base::Duration duration{};
  std::vector<FiledNode> nodes;  ///< in the order in which they began
};

/// Reads what `ChromeTraceSink` has written: the runs in the order in which they ended. Events of
/// other writers are passed over; a file without any run is an error.
[[nodiscard]] base::Result<std::vector<FiledRun>> read_chrome_trace(std::string_view text);

}  // namespace millrace::trace
