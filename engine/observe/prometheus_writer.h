#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/metrics/metrics_snapshot.h"
#include "observe/exemplars.h"

namespace millrace::observe {

enum class MetricsFormat : bool { kPrometheus, kOpenMetrics };

/// The type of a page in this format, for `Content-Type`.
[[nodiscard]] std::string_view content_type(MetricsFormat format);

/// The format that an `Accept` field asks for: OpenMetrics only if it is named.
[[nodiscard]] MetricsFormat format_for(std::string_view accept);

/// Appends all metrics as a page: Prometheus text 0.0.4, or OpenMetrics 1.0 with its end mark and
/// the exemplars, which the other format does not know.
void append_metrics(std::span<const base::MetricSnapshot> metrics,
                    MetricsFormat format,
                    std::string& out,
                    const ExemplarTable& exemplars = {});

}  // namespace millrace::observe
