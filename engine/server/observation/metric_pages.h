#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/log/async_log_sink.h"
#include "base/metrics/metrics_snapshot.h"
#include "host/engine.h"
#include "observe/exemplars.h"
#include "observe/otlp_exporter.h"
#include "observe/slow_capture.h"
#include "server/front_metrics.h"
#include "server/observation/scheduler_values.h"

namespace millrace::server {

/// Where the values on the pages come from.
/// Lifetime: borrows for the call.
struct MetricSources {
  const host::Engine* engine = nullptr;
  std::vector<const FrontMetrics*> fronts = {};  ///< by loop
  const base::AsyncLogSink* log_sink = nullptr;  ///< may be null
  const observe::OtlpExporter* otlp = nullptr;   ///< may be null
  const observe::SlowCapture* slow = nullptr;    ///< may be null
};

/// The values of the scheduler now.
[[nodiscard]] SchedulerValues scheduler_values(const MetricSources& sources,
                                               const RequestLedger::Sums& sums);

/// All metrics of `metric_table`, also those without any value yet.
[[nodiscard]] std::vector<base::MetricSnapshot> all_metrics(const MetricSources& sources,
                                                            observe::ExemplarTable& exemplars);

/// `/metrics`, in the format that an `Accept` field asks for.
[[nodiscard]] std::string metrics_page(const MetricSources& sources, std::string_view accept);
/// `/v1/stats`.
[[nodiscard]] std::string stats_page(const MetricSources& sources);

}  // namespace millrace::server
