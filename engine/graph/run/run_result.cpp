#include "graph/run/run_result.h"

#include <array>
#include <cstddef>
#include <string_view>

namespace millrace::graph {

std::string_view to_string(SchedulerStopReason reason) {
  constexpr static std::array<std::string_view, 6> kWords = {
      "not_started", "tick_bound", "duration_bound", "idle", "stop_requested", "error"};
  return kWords[static_cast<std::size_t>(reason)];
}

double RuntimeRunnerResult::metric(std::string_view name, std::string_view label_value) const {
  double sum = 0;
  for (const RuntimeMetric& metric : runtime_metrics) {
    if (metric.name != name) continue;
    const bool is_meant = label_value.empty() || metric.lane == label_value ||
                          metric.component_id == label_value || metric.channel_id == label_value;
    if (is_meant) sum += metric.value;
  }
  return sum;
}

}  // namespace millrace::graph
