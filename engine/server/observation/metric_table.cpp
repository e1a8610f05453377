#include "server/observation/metric_table.h"

#include <array>
#include <cstddef>

#include "host/metric_lists.h"
#include "observe/process_stats.h"
#include "server/nats/nats_metrics.h"
#include "server/observation/scheduler_values.h"
#include "server/overload/overload_metrics.h"
#include "server/server_metrics.h"

namespace millrace::server {
namespace {

constexpr auto kSchedulerList = [] {
  std::array<const base::MetricDescriptor*, kSchedulerMetrics.size()> list{};
  for (std::size_t index = 0; index < list.size(); ++index) list[index] = &kSchedulerMetrics[index];
  return list;
}();

}  // namespace

std::span<const observe::MetricGroup> metric_table() {
  static const std::array<observe::MetricGroup, 8> kGroups{{
      {.title = "Requests and connections", .metrics = kServerMetrics},
      {.title = "Requests over NATS", .metrics = kNatsMetrics},
      {.title = "Overload", .metrics = kOverloadMetrics},
      {.title = "Nodes", .metrics = kNodeMetrics},
      {.title = "Stores", .metrics = host::kEndpointMetrics},
      {.title = "Event loops", .metrics = host::kLoopMetrics},
      {.title = "Scheduler", .metrics = kSchedulerList},
      {.title = "The process", .metrics = observe::process_metrics()},
  }};
  return kGroups;
}

}  // namespace millrace::server
