#pragma once

#include <array>
#include <string_view>

#include "base/metrics/metric_descriptor.h"

// The metrics that fronts write.

namespace millrace::server {

inline constexpr std::array<std::string_view, 2> kPlanOutcomeLabels{"plan", "outcome"};
inline constexpr std::array<std::string_view, 1> kPlanLabels{"plan"};
inline constexpr std::array<std::string_view, 2> kRouteCodeLabels{"route", "code"};
inline constexpr std::array<std::string_view, 1> kPriorityLabels{"priority"};
inline constexpr std::array<std::string_view, 2> kReasonPriorityLabels{"reason", "priority"};
inline constexpr std::array<std::string_view, 1> kLoopLabels{"loop"};
inline constexpr std::array<std::string_view, 1> kReasonLabels{"reason"};
inline constexpr std::array<std::string_view, 1> kDirectionLabels{"dir"};
inline constexpr std::array<std::string_view, 4> kPlanInfoLabels{
    "plan", "version", "digest", "state"};

inline constexpr base::MetricDescriptor kRequests{.name = "rankd_requests_total",
                                                  .help = "Ranking requests by plan and outcome.",
                                                  .label_names = kPlanOutcomeLabels};
inline constexpr base::MetricDescriptor kRequestsReceived{
    .name = "rankd_requests_received_total",
    .help =
        "Ranking requests that were received: at every scrape the sum of `rankd_requests_total` "
        "and "
        "`rankd_inflight`."};
inline constexpr base::MetricDescriptor kRequestDuration{
    .name = "rankd_request_duration_seconds",
    .help = "Time from the end of a request's head to its answer.",
    .unit = "seconds",
    .kind = base::MetricKind::kHistogram,
    .label_names = kPlanLabels,
    .bucket_bounds = base::kDurationBuckets};
inline constexpr std::array<std::string_view, 3> kPlanNodeKindLabels{"plan", "node", "kind"};
inline constexpr base::MetricDescriptor kRequestDegraded{
    .name = "rankd_request_degraded_total",
    .help =
        "Times that the fallback of a node was used in an answer; `kind` is why: error or timeout.",
    .label_names = kPlanNodeKindLabels};
inline constexpr base::MetricDescriptor kLateCompletions{
    .name = "rankd_late_completions_total",
    .help = "Bodies of nodes that returned after the answer of their request."};
inline constexpr std::array<std::string_view, 2> kPlanNodeLabels{"plan", "node"};
inline constexpr base::MetricDescriptor kNodeDuration{
    .name = "rankd_node_duration_seconds",
    .help = "Time from the start of a node to its end, in one request of 32.",
    .unit = "seconds",
    .kind = base::MetricKind::kHistogram,
    .label_names = kPlanNodeLabels,
    .bucket_bounds = base::kDurationBuckets};
inline constexpr base::MetricDescriptor kNodeQueueDelay{
    .name = "rankd_node_queue_delay_seconds",
    .help = "Time from the end of a node's last input to its start, in one request of 32.",
    .unit = "seconds",
    .kind = base::MetricKind::kHistogram,
    .label_names = kPlanNodeLabels,
    .bucket_bounds = base::kDurationBuckets};
inline constexpr base::MetricDescriptor kNodeRows{
    .name = "rankd_node_rows_total",
    .help = "Rows that a node gave, in one request of 32.",
    .label_names = kPlanNodeLabels};
inline constexpr base::MetricDescriptor kHttpRequests{.name = "rankd_http_requests_total",
                                                      .help = "Answers by route and status.",
                                                      .label_names = kRouteCodeLabels};
inline constexpr base::MetricDescriptor kInflight{.name = "rankd_inflight",
                                                  .help = "Ranking requests under way.",
                                                  .kind = base::MetricKind::kGauge,
                                                  .label_names = kPriorityLabels};
inline constexpr base::MetricDescriptor kPlanInflight{
    .name = "rankd_plan_inflight",
    .help = "Ranking requests of a plan that were let in and are under way.",
    .kind = base::MetricKind::kGauge,
    .label_names = kPlanLabels};
inline constexpr base::MetricDescriptor kShed{
    .name = "rankd_shed_total",
    .help =
        "Ranking requests that were refused because too much was under way or too little time "
        "was left; plan_limit: too many of their plan.",
    .label_names = kReasonPriorityLabels};
inline constexpr base::MetricDescriptor kShedDuration{
    .name = "rankd_shed_duration_seconds",
    .help = "Time from the last byte of a refused request to its answer.",
    .unit = "seconds",
    .kind = base::MetricKind::kHistogram,
    .bucket_bounds = base::kDurationBuckets};
inline constexpr base::MetricDescriptor kPlanInfo{.name = "rankd_plan_info",
                                                  .help = "The plans that are loaded; always 1.",
                                                  .kind = base::MetricKind::kGauge,
                                                  .label_names = kPlanInfoLabels};
inline constexpr std::array<std::string_view, 1> kOutcomeLabels{"outcome"};
inline constexpr base::MetricDescriptor kPlanReloads{
    .name = "rankd_plan_reloads_total",
    .help = "Times that files were read again; refused: at least one of them was bad.",
    .label_names = kOutcomeLabels};
inline constexpr base::MetricDescriptor kPlansStale{
    .name = "rankd_plans_stale",
    .help = "Plans that answer as before because their file is bad.",
    .kind = base::MetricKind::kGauge};
inline constexpr base::MetricDescriptor kCanaryShare{
    .name = "rankd_canary_share",
    .help = "The share of users that a canary gets, 0 to 1.",
    .kind = base::MetricKind::kGauge,
    .label_names = kPlanLabels};
inline constexpr base::MetricDescriptor kHttpConnections{.name = "rankd_http_connections",
                                                         .help = "Connections that are open.",
                                                         .kind = base::MetricKind::kGauge,
                                                         .label_names = kLoopLabels};
inline constexpr base::MetricDescriptor kHttpRejected{
    .name = "rankd_http_rejected_total",
    .help = "Requests that a connection refused itself, and those whose client went away.",
    .label_names = kReasonLabels};
inline constexpr base::MetricDescriptor kHttpBytes{.name = "rankd_http_bytes_total",
                                                   .help = "Bytes that came in and went out.",
                                                   .label_names = kDirectionLabels};
inline constexpr base::MetricDescriptor kLogDropped{
    .name = "rankd_log_dropped_total",
    .help = "Log lines that were dropped because nobody read them."};

inline constexpr base::MetricDescriptor kTraceDropped{
    .name = "rankd_trace_dropped_total",
    .help = "Records of traces that were dropped because they came faster than they were read."};
inline constexpr base::MetricDescriptor kSlowCaptures{
    .name = "rankd_slow_captures_total",
    .help = "Slow requests whose trace was written to a file."};
inline constexpr base::MetricDescriptor kOtlpSpans{
    .name = "rankd_otlp_spans_total",
    .help =
        "Spans by what became of them: sent, dropped because too many waited, or failed at the "
        "collector.",
    .label_names = kOutcomeLabels};
inline constexpr base::MetricDescriptor kWorkerBusy{
    .name = "rankd_worker_busy_seconds_total",
    .help = "Processor time that the workers have used.",
    .unit = "seconds",
    .scale = 1e-9};

inline constexpr std::array<std::string_view, 2> kBuildInfoLabels{"version", "compiler"};
inline constexpr base::MetricDescriptor kBuildInfo{.name = "rankd_build_info",
                                                   .help = "What this program is; always 1.",
                                                   .kind = base::MetricKind::kGauge,
                                                   .label_names = kBuildInfoLabels};

/// All metrics of this module, for the page that lists them.
inline constexpr auto kServerMetrics = std::to_array<const base::MetricDescriptor*>(
    {&kRequestsReceived, &kRequests,        &kRequestDuration,
     &kRequestDegraded,  &kLateCompletions, &kHttpRequests,
     &kInflight,         &kPlanInflight,    &kShed,
     &kShedDuration,     &kPlanInfo,        &kPlanReloads,
     &kPlansStale,       &kCanaryShare,     &kHttpConnections,
     &kHttpRejected,     &kHttpBytes,       &kLogDropped,
     &kTraceDropped,     &kSlowCaptures,    &kOtlpSpans,
     &kWorkerBusy,       &kBuildInfo});
inline constexpr auto kNodeMetrics =
    std::to_array<const base::MetricDescriptor*>({&kNodeDuration, &kNodeQueueDelay, &kNodeRows});

}  // namespace millrace::server
