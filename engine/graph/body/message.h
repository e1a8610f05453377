#pragma once

#include <cstdint>

#include "base/clock.h"
#include "graph/payload.h"

namespace millrace::graph {

using base::Duration;

/// Stands for "no component", "no edge" and so on among dense indices.
inline constexpr std::uint32_t kNoIndex = UINT32_MAX;

/// Which root invocation caused something: `<component>#<count>`, and when it began.
struct Correlation {
  std::uint32_t component = kNoIndex;
  std::uint64_t count = 0;
  Duration root_time{};
};

/// A message is `<edge>#<number>`.
struct MessageId {
  std::uint32_t edge = kNoIndex;
  std::uint64_t number = 0;
};

/// A value on an edge.
struct Message {
  Payload value = {};
  Duration published_at{};    ///< end of the invocation that published it
  Duration event_time{};      ///< of use only if `has_event_time`
  std::uint64_t number = 0;   ///< of those that the edge accepted, from 1
  std::uint64_t arrival = 0;  ///< orders what became visible in one domain, over all edges
  Correlation correlation = {};
  bool has_event_time = false;
};

/// What caused an invocation.
enum class EventKind : std::uint8_t {
  kManual,
  kMessage,
  kTimer,
  kRequest,
  kTaskReady,
  kFutureReady,
  kInjected,
  kSilence,
};

}  // namespace millrace::graph
