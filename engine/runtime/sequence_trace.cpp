#include "runtime/sequence_trace.h"

#include <algorithm>
#include <cstdint>

#include "base/clock.h"
#include "base/error.h"
#include "runtime/node_call.h"
#include "runtime/run.h"
#include "runtime/run_extras.h"
#include "runtime/strand_host.h"
#include "runtime/topology/node.h"
#include "runtime/topology/priority_order.h"
#include "trace/trace.h"
#include "trace/trace_writer.h"

namespace millrace::runtime {

SequenceTrace::SequenceTrace(StrandHost& host, Run& run, const SequenceStep* first)
    : buffer_(host.trace_buffer()),
      clock_(&host.clock()),
      run_(&run),
      step_(first),
      enabler_(run.order_->enablers.data() + (first - run.order_->sequence.data())),
      boundary_(run.extras_->now(host.clock())) {
  const trace::TraceContext& trace = run.options_.trace;
  wants_nodes_ = trace.wants(trace::TraceFlag::NodeSpan) ||
                 trace.wants(trace::TraceFlag::QueueDelay) ||
                 trace.wants(trace::TraceFlag::InlineDetail);
}

void SequenceTrace::note(const NodeCall& call, bool ok) {
  const std::uint32_t node = step_->node;
  const std::uint32_t enabler = *enabler_;
  ++step_;
  ++enabler_;
  const bool is_direct = enabler == last_;
  arrival_ =
      is_direct ? trace::Arrival{.parent = last_, .depth = arrival_.depth + 1} : trace::Arrival{};
  inlined_count_ += is_direct ? 1 : 0;
  last_ = node;
  if (ok && !wants_nodes_) return;
  RunExtras& extras = *run_->extras_;
  // The counter need not wait for what came before, but time does not go back here.
  const base::TimePoint end = std::max(boundary_, extras.now_alone(*clock_));
  extras.set_end_time(node, end);
  if (!ok) return note_failed(call, enabler, end);
  trace::TraceWriter(*buffer_, run_->options_.trace)
      .node_ran(node, arrival_, extras.end_time(enabler), boundary_, end);
  boundary_ = end;
}

void SequenceTrace::note_failed(const NodeCall& call, std::uint32_t enabler, base::TimePoint end) {
  trace::TraceWriter writer(*buffer_, run_->options_.trace);
  writer.node_start(last_, arrival_, run_->extras_->end_time(enabler), boundary_);
  writer.node_error(last_, end, call.error_ ? call.error_->code() : base::ErrorCode::kNodeFailed);
  writer.node_end(last_, end, trace::SpanStatus::Error);
  boundary_ = end;
}

}  // namespace millrace::runtime
