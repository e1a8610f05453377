#pragma once

#include <array>

#include "base/metrics/metric_descriptor.h"
#include "host/loop_metrics.h"
#include "tasks/endpoint_metrics.h"

// The metrics of a host, for pages that list them all.

namespace millrace::host {

inline constexpr auto kLoopMetrics = std::to_array<const base::MetricDescriptor*>(
    {&kLoopLag, &kLoopBusy, &kLoopWakeups, &kLoopJobs, &kLoopTimersFired});

inline constexpr auto kEndpointMetrics =
    std::to_array<const base::MetricDescriptor*>({&tasks::kEndpointCommands,
                                                  &tasks::kEndpointRoundTrips,
                                                  &tasks::kEndpointErrors,
                                                  &tasks::kEndpointTimeouts,
                                                  &tasks::kEndpointSharedKeys,
                                                  &tasks::kEndpointCachedKeys,
                                                  &tasks::kEndpointConnects,
                                                  &tasks::kEndpointConnectionsLost,
                                                  &tasks::kEndpointBreakerOpen,
                                                  &tasks::kEndpointDuration});

}  // namespace millrace::host
