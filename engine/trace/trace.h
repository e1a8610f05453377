#pragma once

#include <cstdint>
#include <string_view>
#include <variant>

#include "base/clock.h"
#include "base/error.h"
#include "base/strong_id.h"

// The public vocabulary of a trace: ids, flags, statuses and the seven events. How events are
// written, moved and read back is in trace_record.h, trace_buffer.h and trace_collector.h.

namespace millrace::trace {

struct TraceTag;
struct SpanTag;
/// Names one run in every trace of the process; 0 means "not traced".
using TraceId = base::StrongId<TraceTag, std::uint64_t>;
/// Names one execution of one node (or the run itself) within a trace; 0 means "none".
using SpanId = base::StrongId<SpanTag, std::uint64_t>;

// Flags and statuses have the names of the documented contract, without the prefix `k` of other
// constants.
// NOLINTBEGIN(readability-identifier-naming,performance-enum-size)

/// Chooses which events a run emits. Values may be combined; bits are part of the contract.
enum class TraceFlag : std::uint32_t {
  None = 0,
  RunStart = 1u << 0,
  RunEnd = 1u << 1,    ///< implied by every other flag: it closes the run's trace
  NodeSpan = 1u << 2,  ///< NodeStart and NodeEnd, which only make sense together
  NodeError = 1u << 3,
  QueueDelay = 1u << 4,
  InlineDetail = 1u << 5,  ///< NodeInlined
  All = (1u << 6) - 1,
};

/// How a span ended. `Skipped` names a node that was never started; such nodes are a count in
/// `RunEnd`, so no `NodeEnd` carries it.
enum class SpanStatus : std::uint8_t { Ok, Error, Cancelled, Deadline, Skipped };

// NOLINTEND(readability-identifier-naming,performance-enum-size)

[[nodiscard]] constexpr TraceFlag operator|(TraceFlag left, TraceFlag right) {
  return static_cast<TraceFlag>(static_cast<std::uint32_t>(left) |
                                static_cast<std::uint32_t>(right));
}

/// Says whether `flags` holds every bit of `wanted`.
[[nodiscard]] constexpr bool has_flag(TraceFlag flags, TraceFlag wanted) {
  const auto bits = static_cast<std::uint32_t>(wanted);
  return (static_cast<std::uint32_t>(flags) & bits) == bits;
}

/// Gives the documented lower-case name: ok, error, cancelled, deadline, skipped.
[[nodiscard]] std::string_view to_string(SpanStatus status);

// The events as readers see them. Text borrows from the topology the reader was given.

struct RunStart {
  TraceId trace_id;
  SpanId span_id;
  std::string_view plan;
  base::TimePoint time;
};

struct RunEnd {
  TraceId trace_id;
  SpanId span_id;
  std::string_view plan;
  base::TimePoint time;
  SpanStatus status = SpanStatus::Ok;
  std::uint32_t executed_count = 0;  ///< nodes that started
  std::uint32_t skipped_count = 0;   ///< nodes that never started because the run was over
  std::uint32_t late_count = 0;      ///< bodies still running when the answer went out
};

struct NodeStart {
  TraceId trace_id;
  SpanId span_id;
  std::string_view node_id;
  int node_index = -1;
  base::TimePoint time;
};

struct NodeEnd {
  TraceId trace_id;
  SpanId span_id;
  std::string_view node_id;
  int node_index = -1;
  base::TimePoint time;
  SpanStatus status = SpanStatus::Ok;
};

struct NodeError {
  TraceId trace_id;
  SpanId span_id;
  std::string_view node_id;
  int node_index = -1;
  base::TimePoint time;
  base::ErrorCode code = base::ErrorCode::kInternal;
};

/// The node waited in a queue for `delay` before it started.
struct QueueDelay {
  TraceId trace_id;
  SpanId span_id;
  std::string_view node_id;
  int node_index = -1;
  base::TimePoint time;  ///< when the wait was over
  base::Duration delay{};
};

/// The node ran on the thread that completed `parent_node_index`, without a queue between them.
struct NodeInlined {
  TraceId trace_id;
  SpanId span_id;  ///< the same as that of the node's NodeStart
  std::string_view node_id;
  int node_index = -1;
  int parent_node_index = -1;
  int inline_depth = 0;  ///< at least 1
};

using TraceEvent =
    std::variant<RunStart, RunEnd, NodeStart, NodeEnd, NodeError, QueueDelay, NodeInlined>;

}  // namespace millrace::trace
