#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "observe/trace_context.h"
#include "trace/run_capture.h"

namespace millrace::observe {

/// A request that was answered and whose trace is to be exported.
struct FinishedRequest {
  RequestTrace trace{};
  std::uint64_t span = 0;  ///< the id of its server span, or that of its line
  /// Of a line of a batch: its number. Its span lies in that of the batch, `trace.parent`.
  std::optional<std::uint64_t> line = {};
  std::string method = {};
  std::string route = {};
  std::string plan = {};  ///< empty: none was found
  std::string version = {};
  std::string engine_request_id = {};
  std::string error = {};  ///< its code; empty: there is none
  int status = 0;
  base::TimePoint start{};
  base::TimePoint end{};
  base::Duration wall_offset{};  ///< from the clock of these times to calendar time
  std::shared_ptr<const trace::RunCapture> capture = {};  ///< shared with whoever else exports it
};

/// A capture to be written to a file, see slow_capture.h.
struct SlowRequest {
  std::string name = {};  ///< an id of ours; it becomes a part of the file's name
  std::shared_ptr<const trace::RunCapture> capture = {};
};

}  // namespace millrace::observe
