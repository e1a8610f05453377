#pragma once

#include <span>
#include <string>

#include "observe/metric_catalog.h"

namespace millrace::observe {

/// A dashboard for Grafana, as JSON to import: a row per group, in it a panel for each metric.
/// Counters are shown as rates, histograms as p50 and p99, gauges as they are.
[[nodiscard]] std::string grafana_dashboard(std::span<const MetricGroup> groups);

}  // namespace millrace::observe
