#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "trace/trace_record.h"

namespace millrace::trace {

/// One call of a store inside a node.
struct CapturedCall {
  base::TimePoint start{};
  base::TimePoint end{};  ///< the epoch: the call was given up
  std::uint64_t commands = 0;
  std::uint64_t round_trips = 0;
  std::optional<base::ErrorCode> error = {};
};

/// What the records of a trace do not say about a node.
struct CapturedNode {
  std::string endpoint = {};       ///< the store that it asks; empty: none
  std::string endpoint_kind = {};  ///< `redis`, `embedded` or `http`
  std::uint64_t rows_in = 0;
  std::optional<std::uint64_t> rows_out = {};
  std::vector<CapturedCall> calls = {};
};

/// A whole traced run, for whoever exports it.
struct RunCapture {
  std::vector<TraceRecord> records = {};  ///< in order of time; empty if they were dropped
  std::shared_ptr<const TraceTopology> topology = {};
  std::vector<CapturedNode> nodes = {};  ///< by node
};

}  // namespace millrace::trace
