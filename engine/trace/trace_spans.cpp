#include "trace/trace_spans.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>

#include "base/clock.h"
#include "base/error.h"
#include "trace/trace.h"
#include "trace/trace_record.h"

namespace millrace::trace {
namespace {

void apply_to_run(const TraceRecord& record, RunSpans& run) {
  if (record.kind == TraceKind::kRunStart) {
    run.start = record.time();
    return;
  }
  run.end = record.time();
  run.status = record.status;
  run.executed_count = record.node_index;
  run.skipped_count = record.parent;
  run.late_count = record.depth;
}

void apply_to_node(const TraceRecord& record, NodeSpan& node) {
  switch (record.kind) {
    case TraceKind::kNodeEnd:
      node.end = record.time();
      node.status = record.status;
      return;
    case TraceKind::kNodeError:
      node.error = static_cast<base::ErrorCode>(record.value);
      return;
    case TraceKind::kQueueDelay:
      node.queue_delay = base::Duration(static_cast<std::int64_t>(record.value));
      return;
    case TraceKind::kNodeInlined:
      node.inline_parent = record.parent;
      node.inline_depth = record.depth;
      return;
    default:
      return;
  }
}

}  // namespace

RunSpans collect_spans(std::span<const TraceRecord> records) {
  RunSpans run;
  std::unordered_map<SpanId, std::size_t> place_of;
  for (const TraceRecord& record : records) {
    run.trace_id = record.trace_id;
    if (record.kind == TraceKind::kRunStart || record.kind == TraceKind::kRunEnd) {
      apply_to_run(record, run);
    } else if (record.kind == TraceKind::kNodeStart) {
      place_of.emplace(record.span_id, run.nodes.size());
      NodeSpan& node = run.nodes.emplace_back();
      node.span_id = record.span_id;
      node.node_index = record.node_index;
      node.track = record.track;
      node.start = record.time();
    }
  }
  for (const TraceRecord& record : records) {
    const auto place = place_of.find(record.span_id);
    if (place != place_of.end()) apply_to_node(record, run.nodes[place->second]);
  }
  return run;
}

}  // namespace millrace::trace
