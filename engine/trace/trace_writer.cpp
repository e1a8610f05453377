#include "trace/trace_writer.h"

#include <array>
#include <cstdint>

#include "trace/trace.h"
#include "trace/trace_record.h"

namespace millrace::trace {

std::array<TraceRecord, 3> unfold(const TraceRecord& ran) {
  TraceRecord start = ran;
  start.kind = TraceKind::kNodeStart;
  start.span_id =
      TraceContext(ran.trace_id, TraceFlag::None, TraceTopologyId()).node_span(ran.node_index);
  start.value = 0;
  start.parent = TraceRecord::kNoNode;
  start.depth = 0;

  TraceRecord arrival = start;
  if (ran.parent != TraceRecord::kNoNode) {
    arrival.kind = TraceKind::kNodeInlined;
    arrival.parent = ran.parent;
    arrival.depth = ran.depth;
  } else {
    arrival.kind = TraceKind::kQueueDelay;
    arrival.value = ran.span_id.value();
  }

  TraceRecord end = start;
  end.kind = TraceKind::kNodeEnd;
  end.time_ns += static_cast<std::int64_t>(ran.value);
  return {start, arrival, end};
}

}  // namespace millrace::trace
