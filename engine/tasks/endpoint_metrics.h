#pragma once

#include <array>
#include <string_view>

#include "base/metrics/metric_descriptor.h"

namespace millrace::tasks {

// The metrics of endpoints. Clients of every kind bind the cells they have to these series (see
// `EndpointClient::bind_metrics`).

inline constexpr std::array<std::string_view, 1> kEndpointLabels{"endpoint"};

inline constexpr base::MetricDescriptor kEndpointCommands{
    .name = "rankd_endpoint_commands_total",
    .help = "Commands or requests sent to the endpoint.",
    .label_names = kEndpointLabels};
inline constexpr base::MetricDescriptor kEndpointRoundTrips{
    .name = "rankd_endpoint_round_trips_total",
    .help = "Waits for the endpoint; commands that leave in one write wait once.",
    .label_names = kEndpointLabels};
inline constexpr base::MetricDescriptor kEndpointErrors{
    .name = "rankd_endpoint_errors_total",
    .help = "Calls that were refused or ended without a reply.",
    .label_names = kEndpointLabels};
inline constexpr base::MetricDescriptor kEndpointTimeouts{
    .name = "rankd_endpoint_timeouts_total",
    .help = "Calls that got no reply in time; part of the errors.",
    .label_names = kEndpointLabels};
inline constexpr base::MetricDescriptor kEndpointSharedKeys{
    .name = "rankd_endpoint_shared_keys_total",
    .help = "Keys not asked for because a fetch under way already had.",
    .label_names = kEndpointLabels};
inline constexpr base::MetricDescriptor kEndpointCachedKeys{
    .name = "rankd_endpoint_cached_keys_total",
    .help = "Keys answered from the reply cache.",
    .label_names = kEndpointLabels};
inline constexpr base::MetricDescriptor kEndpointConnects{.name = "rankd_endpoint_connects_total",
                                                          .help = "Connections made.",
                                                          .label_names = kEndpointLabels};
inline constexpr base::MetricDescriptor kEndpointConnectionsLost{
    .name = "rankd_endpoint_connections_lost_total",
    .help = "Connections that ended while they were in use.",
    .label_names = kEndpointLabels};
inline constexpr base::MetricDescriptor kEndpointBreakerOpen{
    .name = "rankd_endpoint_breaker_open",
    .help = "Breakers that refuse calls now; each loop and each node of a cluster has one.",
    .kind = base::MetricKind::kGauge,
    .label_names = kEndpointLabels};
inline constexpr base::MetricDescriptor kEndpointDuration{
    .name = "rankd_endpoint_duration_seconds",
    .help = "Time from sending a call to its last reply.",
    .unit = "seconds",
    .kind = base::MetricKind::kHistogram,
    .label_names = kEndpointLabels,
    .bucket_bounds = base::kDurationBuckets};

}  // namespace millrace::tasks
