#pragma once

#include <cstdint>

#include "base/clock.h"
#include "base/error.h"
#include "base/sync/planted_bug.h"
#include "trace/trace.h"
#include "trace/trace_buffer.h"
#include "trace/trace_context.h"
#include "trace/trace_record.h"

namespace millrace::trace {

/// How a node reached the thread that runs it.
struct Arrival {
  std::uint32_t parent = TraceRecord::kNoNode;  ///< the node that handed over directly, if any
  std::uint32_t depth = 0;                      ///< number of direct hand-overs in a row

  [[nodiscard]] bool is_direct() const { return parent != TraceRecord::kNoNode; }
};

/// Totals of a finished run, as `RunEnd` reports them.
struct RunTotals {
  SpanStatus status = SpanStatus::Ok;
  std::uint32_t executed_count = 0;
  std::uint32_t skipped_count = 0;
  std::uint32_t late_count = 0;
};

/// Writes the events of one run into the buffer of the calling thread, each only if its flag is on.
///
/// Reads no clock: the caller reads it once per node boundary and passes the same time as the end
/// of one node and the start of the next. Construct a writer only for a run that is `enabled()`.
/// Threading: the writer thread of `buffer`.
/// Lifetime: borrows both arguments.
class TraceWriter {
 public:
  TraceWriter(TraceBuffer& buffer, const TraceContext& run) : buffer_(buffer), run_(run) {}

  void run_start(base::TimePoint now) {
    if (!run_.wants(TraceFlag::RunStart)) return;
    TraceRecord record = make(TraceKind::kRunStart, run_.run_span(), now);
    record.value = run_.topology.value();
    buffer_.record(record);
  }

  /// Writes the run's last event. All other writes, on any thread, must happen before it.
  void run_end(base::TimePoint now, const RunTotals& totals) {
    TraceRecord record = make(TraceKind::kRunEnd, run_.run_span(), now);
    record.value = run_.topology.value();
    record.node_index = totals.executed_count;
    record.parent = totals.skipped_count;
    record.depth = totals.late_count;
    record.status = totals.status;
    buffer_.record(record);
  }

  /// Starts a node that was taken from a queue, which it had entered at `queued_at`.
  void node_start_queued(std::uint32_t node, base::TimePoint queued_at, base::TimePoint now) {
    TraceRecord record = make(TraceKind::kNodeStart, run_.node_span(node), now);
    record.node_index = node;
    if (run_.wants(TraceFlag::NodeSpan)) buffer_.record(record);
    if (!run_.wants(TraceFlag::QueueDelay)) return;
    record.kind = TraceKind::kQueueDelay;
    record.value = static_cast<std::uint64_t>((now - queued_at).count());
    buffer_.record(record);
  }

  /// Starts a node on the thread that completed `parent`; `depth` >= 1 counts such steps in a row.
  void node_start_inlined(std::uint32_t node,
                          std::uint32_t parent,
                          std::uint32_t depth,
                          base::TimePoint now) {
    TraceRecord record = make(TraceKind::kNodeStart, run_.node_span(node), now);
    record.node_index = node;
    if (MR_PLANTED(kDepthInStart)) record.value = depth;
    if (run_.wants(TraceFlag::NodeSpan)) buffer_.record(record);
    if (!run_.wants(TraceFlag::InlineDetail)) return;
    record.kind = TraceKind::kNodeInlined;
    record.parent = parent;
    record.depth = depth;
    buffer_.record(record);
  }

  /// Starts a node that reached this thread as `arrival` says.
  void node_start(std::uint32_t node,
                  Arrival arrival,
                  base::TimePoint queued_at,
                  base::TimePoint now) {
    if (arrival.is_direct()) {
      node_start_inlined(node, arrival.parent, arrival.depth, now);
    } else {
      node_start_queued(node, queued_at, now);
    }
  }

  /// Ends a node. Any thread may do this, even while another thread is still running the node
  /// (deadline, cancel); the scheduler makes sure that exactly one does.
  void node_end(std::uint32_t node, base::TimePoint now, SpanStatus status) {
    if (!run_.wants(TraceFlag::NodeSpan)) return;
    TraceRecord record = make(TraceKind::kNodeEnd, run_.node_span(node), now);
    record.node_index = node;
    record.status = status;
    buffer_.record(record);
  }

  /// Writes the error of a node. Must come before the `node_end` of the same node.
  void node_error(std::uint32_t node, base::TimePoint now, base::ErrorCode code) {
    if (!run_.wants(TraceFlag::NodeError)) return;
    TraceRecord record = make(TraceKind::kNodeError, run_.node_span(node), now);
    record.node_index = node;
    record.value = static_cast<std::uint64_t>(code);
    record.status = SpanStatus::Error;
    buffer_.record(record);
  }

 private:
  [[nodiscard]] TraceRecord make(TraceKind kind, SpanId span, base::TimePoint now) const {
    TraceRecord record;
    record.trace_id = run_.trace_id;
    record.span_id = span;
    record.time_ns = now.time_since_epoch().count();
    record.kind = kind;
    return record;
  }

  TraceBuffer& buffer_;
  const TraceContext& run_;
};

}  // namespace millrace::trace
