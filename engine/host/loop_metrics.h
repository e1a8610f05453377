#pragma once

#include <array>
#include <string_view>

#include "base/metrics/metric_descriptor.h"

namespace millrace::host {

// The metrics of event loops; the label is the loop's number.

inline constexpr std::array<std::string_view, 1> kLoopLabels{"loop"};

inline constexpr base::MetricDescriptor kLoopWakeups{.name = "rankd_loop_wakeups_total",
                                                     .help = "Returns of the loop from a sleep.",
                                                     .label_names = kLoopLabels};
inline constexpr base::MetricDescriptor kLoopJobs{
    .name = "rankd_loop_jobs_total", .help = "Jobs the loop ran.", .label_names = kLoopLabels};
inline constexpr base::MetricDescriptor kLoopTimersFired{.name = "rankd_loop_timers_fired_total",
                                                         .help = "Timers that fired on the loop.",
                                                         .label_names = kLoopLabels};

inline constexpr base::MetricDescriptor kLoopBusy{.name = "rankd_loop_busy_seconds_total",
                                                  .help = "Time in which the loop was not asleep.",
                                                  .unit = "seconds",
                                                  .label_names = kLoopLabels,
                                                  .scale = 1e-6};
inline constexpr base::MetricDescriptor kLoopLag{
    .name = "rankd_loop_lag_seconds",
    .help =
        "Time between two looks of the loop at its sockets, without sleep: what an event waits "
        "at most.",
    .unit = "seconds",
    .kind = base::MetricKind::kHistogram,
    .label_names = kLoopLabels,
    .bucket_bounds = base::kDurationBuckets};

}  // namespace millrace::host
