#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/metrics/metrics_snapshot.h"

namespace millrace::observe {

/// A value of the scheduler now, under its documented name without `runtime.scheduler.`.
using SchedulerValue = std::pair<std::string_view, double>;

/// Gives the metrics as one JSON object: `metrics` has an object per series, and
/// `runtime.scheduler.NAME` the values of the scheduler.
[[nodiscard]] std::string stats_json(std::span<const base::MetricSnapshot> metrics,
                                     std::span<const SchedulerValue> scheduler);

}  // namespace millrace::observe
