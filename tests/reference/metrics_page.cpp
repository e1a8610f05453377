// Prints docs/reference/metrics.md.

#include <array>
#include <cstdio>

#include "host/loop_metrics.h"
#include "observe/metric_catalog.h"
#include "observe/process_stats.h"
#include "server/nats/nats_metrics.h"
#include "server/overload/overload_metrics.h"
#include "server/server_metrics.h"
#include "tasks/endpoint_metrics.h"

int main() {
  using namespace millrace;
  constexpr std::array<const base::MetricDescriptor*, 5> kLoops{&host::kLoopWakeups,
                                                                &host::kLoopJobs,
                                                                &host::kLoopTimersFired,
                                                                &host::kLoopBusy,
                                                                &host::kLoopLag};
  constexpr std::array<const base::MetricDescriptor*, 10> kEndpoints{
      &tasks::kEndpointCommands,
      &tasks::kEndpointRoundTrips,
      &tasks::kEndpointErrors,
      &tasks::kEndpointTimeouts,
      &tasks::kEndpointSharedKeys,
      &tasks::kEndpointCachedKeys,
      &tasks::kEndpointConnects,
      &tasks::kEndpointConnectionsLost,
      &tasks::kEndpointBreakerOpen,
      &tasks::kEndpointDuration};
  const std::array<observe::MetricGroup, 6> groups{{
      {.title = "Requests and connections", .metrics = server::kServerMetrics},
      {.title = "Requests over NATS", .metrics = server::kNatsMetrics},
      {.title = "Overload", .metrics = server::kOverloadMetrics},
      {.title = "Stores", .metrics = kEndpoints},
      {.title = "Event loops", .metrics = kLoops},
      {.title = "The process", .metrics = observe::process_metrics()},
  }};
  std::fputs(observe::metrics_reference(groups).c_str(), stdout);
  return 0;
}
