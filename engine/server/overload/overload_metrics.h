#pragma once

#include <array>
#include <vector>

#include "base/metrics/metric_descriptor.h"
#include "base/metrics/metrics_snapshot.h"
#include "runtime/admission.h"

namespace millrace::server {

inline constexpr base::MetricDescriptor kAdmissionLimit{
    .name = "rankd_admission_limit",
    .help = "Ranking requests that may be under way now.",
    .kind = base::MetricKind::kGauge};
inline constexpr base::MetricDescriptor kAdmissionLoad{
    .name = "rankd_admission_load",
    .help = "Nodes that are ready but not running, and abandoned requests whose nodes still run.",
    .kind = base::MetricKind::kGauge};
inline constexpr base::MetricDescriptor kAdmissionWaiting{
    .name = "rankd_admission_waiting",
    .help = "Lines of batches that were not let in and will be tried again.",
    .kind = base::MetricKind::kGauge};
inline constexpr base::MetricDescriptor kOwnDelay{
    .name = "rankd_own_delay_seconds",
    .help = "Time that sampled requests could have gone on but waited for a loop or worker.",
    .unit = "seconds",
    .kind = base::MetricKind::kHistogram,
    .bucket_bounds = base::kDurationBuckets};

/// All metrics of this folder, for the page that lists them.
inline constexpr std::array<const base::MetricDescriptor*, 4> kOverloadMetrics{
    &kAdmissionLimit, &kAdmissionLoad, &kAdmissionWaiting, &kOwnDelay};

/// Adds the gauges that are read when somebody asks.
inline void add_admission_metrics(const runtime::AdmissionStats& stats,
                                  std::vector<base::MetricSnapshot>& metrics) {
  const auto add = [&](const base::MetricDescriptor& descriptor, std::int64_t value) {
    metrics.push_back(
        {.descriptor = descriptor,
         .series = {{.label_values = {}, .value = {.value = static_cast<double>(value)}}}});
  };
  add(kAdmissionLimit, stats.limit);
  add(kAdmissionLoad, stats.load);
}

}  // namespace millrace::server
