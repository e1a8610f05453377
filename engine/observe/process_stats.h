#pragma once

#include <span>
#include <vector>

#include "base/metrics/metric_descriptor.h"
#include "base/metrics/metrics_snapshot.h"

namespace millrace::observe {

/// Adds the metrics that every Prometheus client gives about its process: CPU time, memory, open
/// descriptors and start time. Reads /proc; what cannot be read is left out.
void add_process_metrics(std::vector<base::MetricSnapshot>& metrics);

/// The descriptors of these metrics.
[[nodiscard]] std::span<const base::MetricDescriptor* const> process_metrics();

}  // namespace millrace::observe
