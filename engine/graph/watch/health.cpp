#include "graph/watch/health.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

namespace millrace::graph {

std::string_view to_string(HealthKind kind) {
  constexpr static std::array<std::string_view, 11> kWords = {"channel_overflow",
                                                              "channel_stale_drop",
                                                              "channel_deadline_miss",
                                                              "backpressure_high_watermark",
                                                              "scheduler_reject",
                                                              "task_reject",
                                                              "component_isolated",
                                                              "component_restarted",
                                                              "component_abandoned",
                                                              "silence",
                                                              "max_age"};
  return kWords[static_cast<std::size_t>(kind)];
}

bool HealthSink::add(const HealthEvent& event) {
  const auto same = std::ranges::find_if(events_, [&](const HealthEvent& known) {
    return known.kind == event.kind && known.lane == event.lane &&
           known.component == event.component && known.channel == event.channel;
  });
  if (same != events_.end()) {
    same->count += event.count;
    same->depth = std::max(same->depth, event.depth);
  } else if (events_.size() < kEventsMax) {
    events_.push_back(event);
  } else {
    ++dropped_count_;
    return false;
  }
  ++event_count_;
  return true;
}

}  // namespace millrace::graph
