#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "graph/body/message.h"

namespace millrace::graph {

/// The closed list of health events.
enum class HealthKind : std::uint8_t {
  kChannelOverflow,
  kChannelStaleDrop,
  kChannelDeadlineMiss,
  kBackpressureHighWatermark,
  kSchedulerReject,
  kTaskReject,
  kComponentIsolated,
  kComponentRestarted,
  kComponentAbandoned,
  kSilence,
  kMaxAge,
};

[[nodiscard]] std::string_view to_string(HealthKind kind);

/// Something that an operator wants to know. Exactly one of lane, component and channel says where;
/// none of them: the graph's task executor.
struct HealthEvent {
  HealthKind kind = HealthKind::kChannelOverflow;
  std::uint32_t lane = kNoIndex;
  std::uint32_t component = kNoIndex;
  std::uint32_t channel = kNoIndex;
  std::string_view policy = {};  ///< a word of the file format, or empty
  std::uint64_t count = 1;
  std::uint64_t depth = 0;     ///< 0: not about a buffer
  std::uint64_t capacity = 0;  ///< 0: not about a buffer
};

/// Keeps the first 64 events that differ in kind or place. A further one of the same kind and place
/// adds to its count; what differs beyond that is dropped and counted.
/// Threading: not shared.
class HealthSink {
 public:
  static constexpr std::size_t kEventsMax = 64;

  /// Gives whether it was kept or added to one that is kept.
  bool add(const HealthEvent& event);
  [[nodiscard]] const std::vector<HealthEvent>& events() const { return events_; }
  /// Calls of `add` that kept something.
  [[nodiscard]] std::uint64_t event_count() const { return event_count_; }
  [[nodiscard]] std::uint64_t dropped_count() const { return dropped_count_; }

 private:
  std::vector<HealthEvent> events_;
  std::uint64_t event_count_ = 0;
  std::uint64_t dropped_count_ = 0;
};

}  // namespace millrace::graph
