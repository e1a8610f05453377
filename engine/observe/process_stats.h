#pragma once

#include <vector>

#include "base/metrics/metrics_snapshot.h"

namespace millrace::observe {

/// Adds the metrics that every Prometheus client gives about its process: CPU time, memory, open
/// descriptors and start time. Reads /proc; what cannot be read is left out.
void add_process_metrics(std::vector<base::MetricSnapshot>& metrics);

}  // namespace millrace::observe
