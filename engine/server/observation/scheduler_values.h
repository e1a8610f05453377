#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "base/metrics/metric_descriptor.h"

// What the scheduler of plans does now, under names that `/v1/stats` and `/metrics` share (S40).

namespace millrace::server {

inline constexpr std::array<std::string_view, 1> kLaneLabels{"lane"};
/// The lane of plans; those of graphs stand beside it.
inline constexpr std::string_view kPlansLane = "plans";
inline constexpr std::string_view kSchedulerPrefix = "rankd_scheduler_";

/// In the order of `kSchedulerMetrics`.
enum class SchedulerValueName : std::size_t {
  kCompleted,
  kQueueDepth,
  kQueueCapacity,
  kWorkers,
  kActive,
  kInFlight,
  kRejected,
  kPriorityHigh,
  kPriorityNormal,
  kPriorityLow,
  kPriorityBackground,
  kLowPriorityRejected,
  kStarvationGuard,
  kLastCallbackDuration,
};

namespace scheduler_detail {
constexpr base::MetricDescriptor describe(std::string_view name, std::string_view help) {
  return {.name = name, .help = help, .kind = base::MetricKind::kGauge, .label_names = kLaneLabels};
}
}  // namespace scheduler_detail

inline constexpr auto kSchedulerMetrics = std::to_array<base::MetricDescriptor>({
    scheduler_detail::describe("rankd_scheduler_completed_count",
                               "Nodes that have run, on workers and on loops."),
    scheduler_detail::describe("rankd_scheduler_queue_depth",
                               "Nodes and runs that are ready and not running."),
    scheduler_detail::describe("rankd_scheduler_queue_capacity",
                               "The queue depth above which requests are refused."),
    scheduler_detail::describe("rankd_scheduler_worker_count", "Workers."),
    scheduler_detail::describe("rankd_scheduler_active_count", "Workers that run something now."),
    scheduler_detail::describe("rankd_scheduler_in_flight_count",
                               "Runs that were let in and are not over."),
    scheduler_detail::describe("rankd_scheduler_rejected_count",
                               "Ranking requests that were refused."),
    scheduler_detail::describe("rankd_scheduler_priority_high_count",
                               "Ranking requests of the class `high` that were run."),
    scheduler_detail::describe("rankd_scheduler_priority_normal_count",
                               "Ranking requests of the class `normal` that were run."),
    scheduler_detail::describe("rankd_scheduler_priority_low_count",
                               "Ranking requests of the class `low` that were run."),
    scheduler_detail::describe("rankd_scheduler_priority_background_count",
                               "Ranking requests of the class `background` that were run."),
    scheduler_detail::describe(
        "rankd_scheduler_low_priority_rejected_count",
        "Ranking requests of the classes `low` and `background` that were refused."),
    scheduler_detail::describe("rankd_scheduler_starvation_guard_count",
                               "Turns that were given to a lower class although a higher one "
                               "waited."),
    scheduler_detail::describe("rankd_scheduler_last_callback_duration_ms",
                               "How long the node took that was timed last, in milliseconds."),
});

using SchedulerValues = std::array<double, kSchedulerMetrics.size()>;
static_assert(static_cast<std::size_t>(SchedulerValueName::kLastCallbackDuration) + 1 ==
              kSchedulerMetrics.size());

}  // namespace millrace::server
