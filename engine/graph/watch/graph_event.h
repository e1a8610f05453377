#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/clock.h"
#include "graph/body/message.h"

namespace millrace::graph {

/// The closed list of trace events; `to_string` gives the documented name.
enum class GraphEventName : std::uint8_t {
  kSchedulerIterationBegin,
  kSchedulerIteration,
  kSchedulerIterationEnd,
  kComponentExecuteBegin,
  kComponentExecute,
  kComponentExecuteEnd,
  kComponentCancellationRequested,
  kComponentCancellationObserved,
  kComponentTimeoutBudgetExceeded,
  kThreadPoolBatch,
  kFixedRateTickBegin,
  kFixedRateTick,
  kFixedRateTickEnd,
  kFixedRateOverrun,
  kFixedRateSkippedTick,
  kLoopCancellationRequested,
  kLoopCancellationObserved,
  kChannelPublish,
  kChannelCommit,
  kChannelDrop,
  kStateCommit,
  kAsyncAdmission,
  kConfigTransaction,
  kLoopIterationBegin,
  kLoopIteration,
  kLoopIterationEnd,
  kLoopEnd,
  kComponentAbandoned,
  kComponentRestart,
  kHealthEvent,
  kTaskSubmitted,
  kTaskCompleted,
};

[[nodiscard]] std::span<const std::string_view> graph_event_names();
[[nodiscard]] std::string_view to_string(GraphEventName name);

/// As the time of an event: that of its domain.
inline constexpr Duration kTimeOfDomain = Duration::min();

/// One trace event. The meaning of `first` and `second` depends on the name; where events are
/// written they get the names of their attributes.
struct GraphEvent {
  GraphEventName name = GraphEventName::kSchedulerIteration;
  bool has_duration = false;
  std::uint16_t domain = 0;
  std::uint32_t lane = kNoIndex;
  std::uint32_t component = kNoIndex;
  std::uint32_t channel = kNoIndex;
  std::uint32_t worker = kNoIndex;
  std::uint32_t loop = kNoIndex;  ///< index of a composite loop; shown as component_id
  std::uint64_t epoch = 0;
  Duration time = kTimeOfDomain;
  Duration duration{};
  std::uint64_t first = 0;
  std::uint64_t second = 0;
};

}  // namespace millrace::graph
