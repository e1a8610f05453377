#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "trace/trace.h"
#include "trace/trace_buffer.h"
#include "trace/trace_order.h"
#include "trace/trace_record.h"
#include "trace/trace_writer.h"

namespace millrace::trace {

/// Writes the trace of one run by hand, with the real writer, for tests of code that reads traces.
/// Times are nanoseconds on a clock that starts at 0.
/// Threading: not shared.
class TraceScript {
 public:
  static constexpr std::uint64_t kTraceId = 7;

  explicit TraceScript(TraceFlag flags = TraceFlag::All)
      : buffer_(4096), run_(TraceId(kTraceId), flags, TraceTopologyId(1)) {}

  static base::TimePoint at(std::int64_t ns) { return base::TimePoint(base::Duration(ns)); }

  /// Makes nodes "n0", "n1", ... of op "op" joined by the given (producer, consumer) pairs.
  static TraceTopology dag(std::uint32_t node_count,
                           const std::vector<std::pair<std::uint32_t, std::uint32_t>>& edges) {
    TraceTopology topology{.plan = "plan"};
    for (std::uint32_t i = 0; i < node_count; ++i) {
      topology.nodes.push_back({.id = "n" + std::to_string(i), .op = "op"});
    }
    for (const auto& [producer, consumer] : edges) topology.edges.push_back({producer, consumer});
    return topology;
  }

  TraceScript& run_start(std::int64_t ns) {
    writer().run_start(at(ns));
    return *this;
  }
  TraceScript& queued(std::uint32_t node, std::int64_t queued_ns, std::int64_t start_ns) {
    writer().node_start_queued(node, at(queued_ns), at(start_ns));
    return *this;
  }
  TraceScript& inlined(std::uint32_t node, std::uint32_t parent, std::int64_t start_ns) {
    writer().node_start_inlined(node, parent, 1, at(start_ns));
    return *this;
  }
  TraceScript& end(std::uint32_t node, std::int64_t ns, SpanStatus status = SpanStatus::Ok) {
    if (status == SpanStatus::Error) {
      writer().node_error(node, at(ns), base::ErrorCode::kNodeFailed);
    }
    writer().node_end(node, at(ns), status);
    return *this;
  }
  TraceScript& run_end(std::int64_t ns, const RunTotals& totals) {
    writer().run_end(at(ns), totals);
    return *this;
  }

  /// Gives what was written, in the order in which a collector would deliver it.
  [[nodiscard]] std::vector<TraceRecord> records() {
    buffer_.drain(records_);
    std::vector<TraceRecord> ordered = records_;
    order_run(ordered);
    return ordered;
  }
  [[nodiscard]] const TraceContext& run() const { return run_; }

 private:
  TraceWriter writer() { return {buffer_, run_}; }

  TraceBuffer buffer_;
  TraceContext run_;
  std::vector<TraceRecord> records_;
};

}  // namespace millrace::trace
