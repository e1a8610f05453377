#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "graph/watch/graph_event.h"

namespace millrace::graph {

/// Keeps the trace events of a run up to a bound; what comes after is dropped and counted. Switched
/// off it does nothing.
/// Threading: not shared.
class EventLog {
 public:
  EventLog(bool is_on, std::size_t events_max) : is_on_(is_on), events_max_(events_max) {}

#ifdef MR_NO_GRAPH_TRACE  // a build without trace code, to measure its cost (bench/graph)
  [[nodiscard]] static constexpr bool is_on() { return false; }
#else
  [[nodiscard]] bool is_on() const { return is_on_; }
#endif
  void add(const GraphEvent& event) {
    if (!is_on()) return;
    if (events_.size() == events_max_) {
      ++dropped_count_;
      return;
    }
    events_.push_back(event);
  }
  [[nodiscard]] const std::vector<GraphEvent>& events() const { return events_; }
  [[nodiscard]] std::uint64_t dropped_count() const { return dropped_count_; }

 private:
  const bool is_on_;
  const std::size_t events_max_;
  std::vector<GraphEvent> events_;
  std::uint64_t dropped_count_ = 0;
};

}  // namespace millrace::graph
