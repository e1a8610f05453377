#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "base/clock.h"
#include "graph/format/spec.h"

namespace millrace::graph_reference {

using base::Duration;

struct Message {
  std::string value;  ///< compact JSON
  std::optional<Duration> event_time = {};
  Duration published{};  ///< when the invocation that published it ended
  std::string correlation = {};
  std::string id = {};        ///< given by the channel that accepts it
  std::uint64_t arrival = 0;  ///< order of arrival in the whole graph
  bool is_used = false;       ///< a latched value that was delivered already
  bool is_released = false;   ///< a barrier was complete
};

struct ChannelCounts {
  std::int64_t published = 0;
  std::int64_t delivered = 0;
  std::int64_t overwritten = 0;
  std::int64_t dropped = 0;
  std::int64_t rejected = 0;
  std::int64_t stale = 0;
  std::int64_t deadline_missed = 0;
};

/// The one buffer of an edge (G16 to G23).
struct Channel {
  const graph::EdgeSpec* edge = nullptr;
  std::deque<Message> visible = {};
  std::deque<Message> arrived = {};  ///< has left, becomes visible at the consumer's boundary
  std::size_t waiting_count = 0;     ///< committed, leaves at the end of the producer's epoch
  std::uint64_t accepted_count = 0;
  std::optional<std::string> last_value = {};
  std::uint64_t last_arrival = 0;  ///< of what became visible
  ChannelCounts counts = {};

  /// Whether a publication would find it full under a policy that refuses.
  [[nodiscard]] bool refuses() const;
  /// Puts a message into the buffer; it is visible at once, or from the next boundary on.
  void enter(Message message, std::uint64_t arrival, bool is_visible);
  /// Crosses the boundary.
  void show();
  /// Whether a trigger may take a message now.
  [[nodiscard]] bool may_deliver(const Message& message) const;
  /// Takes the visible message that arrived as number `arrival`; a latched one stays.
  Message take(std::uint64_t arrival, Duration now);

 private:
  void evict_oldest();
  void complete_barrier();
};

}  // namespace millrace::graph_reference
