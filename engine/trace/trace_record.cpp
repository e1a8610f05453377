#include "trace/trace_record.h"

#include <cstdint>
#include <string_view>

#include "base/error.h"
#include "trace/trace.h"

namespace millrace::trace {
namespace {

std::string_view node_name(const TraceRecord& record, const TraceTopology* topology) {
  if (topology == nullptr || record.node_index >= topology->nodes.size()) return {};
  return topology->nodes[record.node_index].id;
}

/// Fills the fields that all node events share.
template <class Event>
Event node_event(const TraceRecord& record, const TraceTopology* topology) {
  Event event;
  event.trace_id = record.trace_id;
  event.span_id = record.span_id;
  event.node_id = node_name(record, topology);
  event.node_index = static_cast<int>(record.node_index);
  if constexpr (requires { event.time; }) event.time = record.time();
  return event;
}

RunEnd run_end(const TraceRecord& record, std::string_view plan) {
  return {.trace_id = record.trace_id,
          .span_id = record.span_id,
          .plan = plan,
          .time = record.time(),
          .status = record.status,
          .executed_count = record.node_index,
          .skipped_count = record.parent,
          .late_count = record.depth};
}

}  // namespace

TraceEvent to_event(const TraceRecord& record, const TraceTopology* topology) {
  const std::string_view plan = topology == nullptr ? std::string_view() : topology->plan;
  switch (record.kind) {
    case TraceKind::kRunStart:
      return RunStart{record.trace_id, record.span_id, plan, record.time()};
    case TraceKind::kRunEnd:
      return run_end(record, plan);
    case TraceKind::kNodeStart:
      return node_event<NodeStart>(record, topology);
    case TraceKind::kNodeEnd: {
      auto event = node_event<NodeEnd>(record, topology);
      event.status = record.status;
      return event;
    }
    case TraceKind::kNodeError: {
      auto event = node_event<NodeError>(record, topology);
      event.code = static_cast<base::ErrorCode>(record.value);
      return event;
    }
    case TraceKind::kQueueDelay: {
      auto event = node_event<QueueDelay>(record, topology);
      event.delay = base::Duration(static_cast<std::int64_t>(record.value));
      return event;
    }
    case TraceKind::kNodeInlined: {
      auto event = node_event<NodeInlined>(record, topology);
      event.parent_node_index = static_cast<int>(record.parent);
      event.inline_depth = static_cast<int>(record.depth);
      return event;
    }
  }
  return RunStart{};
}

}  // namespace millrace::trace
