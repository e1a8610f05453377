#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "base/clock.h"
#include "base/strong_id.h"
#include "trace/trace.h"

namespace millrace::trace {

struct TraceTopologyTag;
/// Names a `TraceTopology` within the collector that holds it; 0 means "unknown".
using TraceTopologyId = base::StrongId<TraceTopologyTag>;

/// What readers of a trace need to know of the DAG that ran: names for people, edges for the
/// critical path.
struct TraceTopology {
  struct Node {
    std::string id{};
    std::string op{};
    bool is_async = false;  ///< its span overlaps others on the same loop
  };
  struct Edge {
    std::uint32_t producer = 0;
    std::uint32_t consumer = 0;
  };
  std::string plan{};
  std::vector<Node> nodes{};
  std::vector<Edge> edges{};  ///< distinct
};

enum class TraceKind : std::uint8_t {
  kRunStart,
  kRunEnd,
  kNodeStart,
  kNodeEnd,
  kNodeError,
  kQueueDelay,
  kNodeInlined,
};

/// One event in the form in which threads write it: fixed size, no pointers, copied by value.
/// `TraceWriter` fills it and `to_event` reads it; other code need not know what the fields mean.
struct TraceRecord {
  static constexpr std::uint32_t kNoNode = std::numeric_limits<std::uint32_t>::max();

  TraceId trace_id;
  SpanId span_id;
  std::int64_t time_ns = 0;
  std::uint64_t value = 0;  ///< QueueDelay: ns; NodeError: code; RunStart, RunEnd: topology
  std::uint32_t node_index = kNoNode;  ///< RunEnd: executed count
  std::uint32_t parent = kNoNode;      ///< NodeInlined: parent node; RunEnd: skipped count
  std::uint32_t depth = 0;             ///< NodeInlined: inline depth; RunEnd: late count
  std::uint16_t track = 0;             ///< which buffer it came from; the collector fills it in
  TraceKind kind = TraceKind::kRunStart;
  SpanStatus status = SpanStatus::Ok;

  [[nodiscard]] base::TimePoint time() const { return base::TimePoint(base::Duration(time_ns)); }
  [[nodiscard]] bool operator==(const TraceRecord&) const = default;
};
static_assert(sizeof(TraceRecord) == 48);
static_assert(std::is_trivially_copyable_v<TraceRecord>);

/// Gives the public view of a record. `topology` may be null or too small: names are then empty.
/// Lifetime: the view borrows its text from `topology`.
[[nodiscard]] TraceEvent to_event(const TraceRecord& record, const TraceTopology* topology);

}  // namespace millrace::trace
