#pragma once

#include <array>
#include <string_view>

#include "base/metrics/metric_descriptor.h"
#include "server/server_metrics.h"

// The metrics of requests over NATS. Beside them the requests count as all others do.

namespace millrace::server {

inline constexpr base::MetricDescriptor kNatsReceived{.name = "rankd_nats_received_total",
                                                      .help = "Requests that NATS has delivered."};
inline constexpr base::MetricDescriptor kNatsAnswers{
    .name = "rankd_nats_answers_total",
    .help =
        "What became of them: replied; no_reply, the sender named no subject for the reply; "
        "undeliverable, the reply was made without a connection or could not be sent.",
    .label_names = kOutcomeLabels};
inline constexpr base::MetricDescriptor kNatsBusy{
    .name = "rankd_nats_busy_total",
    .help =
        "Requests that were answered busy before they reached a loop: full, too many waited for "
        "one; left, they came after the process had left its groups.",
    .label_names = kReasonLabels};
inline constexpr base::MetricDescriptor kNatsOverflows{
    .name = "rankd_nats_overflows_total",
    .help = "Times that the library began to drop messages because too many waited."};
inline constexpr base::MetricDescriptor kNatsConnected{
    .name = "rankd_nats_connected",
    .help = "Whether there is a connection to a NATS server.",
    .kind = base::MetricKind::kGauge};
inline constexpr base::MetricDescriptor kNatsDisconnects{
    .name = "rankd_nats_disconnects_total", .help = "Times that the connection was lost."};
inline constexpr base::MetricDescriptor kNatsJoined{
    .name = "rankd_nats_joined",
    .help = "Plans whose queue group the process is a member of.",
    .kind = base::MetricKind::kGauge};
inline constexpr base::MetricDescriptor kNatsChanges{
    .name = "rankd_nats_group_changes_total",
    .help = "Times that the process left its groups because it was full, and came back.",
    .label_names = kOutcomeLabels};
inline constexpr base::MetricDescriptor kNatsUnaddressed{
    .name = "rankd_nats_plans_not_addressable",
    .help = "Plans that cannot be asked over NATS, because their names are no subjects.",
    .kind = base::MetricKind::kGauge};

/// All metrics of requests over NATS, for the page that lists them.
inline constexpr std::array<const base::MetricDescriptor*, 9> kNatsMetrics{&kNatsReceived,
                                                                           &kNatsAnswers,
                                                                           &kNatsBusy,
                                                                           &kNatsOverflows,
                                                                           &kNatsConnected,
                                                                           &kNatsDisconnects,
                                                                           &kNatsJoined,
                                                                           &kNatsChanges,
                                                                           &kNatsUnaddressed};

}  // namespace millrace::server
