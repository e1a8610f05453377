#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "trace/trace.h"
#include "trace/trace_record.h"

namespace millrace::trace {

/// The events of one execution of one node, combined.
struct NodeSpan {
  SpanId span_id;
  std::uint32_t node_index = TraceRecord::kNoNode;
  std::uint16_t track = 0;  ///< where it started
  base::TimePoint start;
  std::optional<base::TimePoint> end;  ///< empty: no NodeEnd was recorded
  SpanStatus status = SpanStatus::Ok;
  std::optional<base::Duration> queue_delay;
  std::optional<base::ErrorCode> error;
  std::uint32_t inline_parent = TraceRecord::kNoNode;
  std::uint32_t inline_depth = 0;  ///< 0: not inlined
};

/// One run, combined from its records.
struct RunSpans {
  TraceId trace_id;
  std::optional<base::TimePoint> start;
  std::optional<base::TimePoint> end;
  SpanStatus status = SpanStatus::Ok;
  std::uint32_t executed_count = 0;
  std::uint32_t skipped_count = 0;
  std::uint32_t late_count = 0;
  std::vector<NodeSpan> nodes;  ///< in the order in which they started
};

/// Combines the records of a run. Accepts any records: missing events leave fields empty, and nodes
/// without a start are left out.
[[nodiscard]] RunSpans collect_spans(std::span<const TraceRecord> records);

}  // namespace millrace::trace
