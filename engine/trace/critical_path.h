#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "trace/trace.h"
#include "trace/trace_record.h"

namespace millrace::trace {

/// What counts as the length of a node on the path.
enum class PathMeasure : std::uint8_t {
  kLatency,  ///< end − ready: what the node cost this run, waiting in queues included
  kService,  ///< end − start: what it would cost with a worker always free
};

/// One node on a critical path. The time since the end of the node before it on the path (or since
/// the run's start) is waiting + queued + service, exactly.
struct PathStep {
  std::uint32_t node_index = 0;
  SpanStatus status = SpanStatus::Ok;
  base::TimePoint start;
  base::Duration waiting{};  ///< for inputs that are not on the path
  base::Duration queued{};   ///< ready, but not yet started
  base::Duration service{};  ///< running
};

/// The longest chain of dependent nodes in one run. `span_total + gap_total == latency`, exactly.
struct CriticalPath {
  PathMeasure measure = PathMeasure::kLatency;
  std::vector<PathStep> steps;  ///< first to last
  base::Duration final_gap{};   ///< from the end of the last step to the end of the run
  base::Duration span_total{};  ///< service of all steps; with `kLatency` also their queued
  base::Duration gap_total{};   ///< everything else: waiting, `final_gap`, else also queued
  base::Duration latency{};     ///< from the start to the end of the run
};

/// One executed node, for drawing.
struct TimedNode {
  std::uint32_t node_index = 0;
  SpanStatus status = SpanStatus::Ok;
  base::TimePoint ready;  ///< when its last input was there
  base::TimePoint start;
  base::TimePoint end;
};

/// The analysis of one run: every node that ran, and the critical path by both measures.
struct RunAnalysis {
  TraceId trace_id;
  SpanStatus status = SpanStatus::Ok;
  base::TimePoint start;
  base::TimePoint end;
  std::vector<TimedNode> nodes;  ///< in the order in which they started
  CriticalPath latency_path;
  CriticalPath service_path;
};

/// Analyses the records of one run that emitted RunStart, RunEnd and node spans.
///
/// A node is ready when the last of its producers ended; if one of them never ran (its result came
/// from a fallback), when it was queued. Fails with `kInvalidArgument` on a trace that is
/// incomplete or contradicts `topology`: a missing end, an unknown node, a cycle, a start before
/// the end of an input.
[[nodiscard]] base::Result<RunAnalysis> analyse_run(std::span<const TraceRecord> records,
                                                    const TraceTopology& topology);

}  // namespace millrace::trace
