#include "server/observation/metric_pages.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "observe/metric_catalog.h"
#include "observe/process_stats.h"
#include "observe/prometheus_writer.h"
#include "observe/stats_json.h"
#include "server/observation/metric_table.h"
#include "server/overload/overload_metrics.h"

namespace millrace::server {
namespace {

// All series together: those of the registry, those of ledgers, and the few that are made here.
static_assert(host::kSeriesMax + RequestLedger::kPlansMax * (RequestLedger::kOutcomes + 1) + 100 <=
              20'000);

base::SeriesSnapshot counted(std::uint64_t count, std::vector<std::string> labels = {}) {
  return {.label_values = std::move(labels),
          .value = {.count = count, .value = static_cast<double>(count)}};
}

void add_counter(const base::MetricDescriptor& descriptor,
                 std::uint64_t count,
                 std::vector<base::MetricSnapshot>& metrics) {
  base::MetricSnapshot metric{.descriptor = descriptor, .series = {counted(count)}};
  metric.series[0].value.value *= descriptor.scale;
  metrics.push_back(std::move(metric));
}

/// Adds what has no cells because it is asked for only here.
void add_asked(const MetricSources& sources, std::vector<base::MetricSnapshot>& metrics) {
  const host::Engine& engine = *sources.engine;
  const runtime::AdmissionStats admission = engine.admission().stats();
  add_admission_metrics(admission, metrics);
  add_counter(kLateCompletions, admission.late_bodies, metrics);
  add_counter(
      kWorkerBusy, static_cast<std::uint64_t>(engine.workers().busy_time().count()), metrics);
  add_counter(kTraceDropped, engine.trace_stats().dropped_records, metrics);
  if (sources.log_sink != nullptr)
    add_counter(kLogDropped, sources.log_sink->dropped_count(), metrics);
  add_counter(kSlowCaptures, sources.slow != nullptr ? sources.slow->written_count() : 0, metrics);
  const observe::OtlpExporter* const otlp = sources.otlp;
  metrics.push_back({.descriptor = kOtlpSpans,
                     .series = {counted(otlp != nullptr ? otlp->dropped_count() : 0, {"dropped"}),
                                counted(otlp != nullptr ? otlp->failed_count() : 0, {"failed"}),
                                counted(otlp != nullptr ? otlp->sent_count() : 0, {"sent"})}});
  observe::add_process_metrics(metrics);
}

RequestLedger::Sums sums_of(const MetricSources& sources) {
  RequestLedger::Sums sums;
  for (const FrontMetrics* const front : sources.fronts) front->ledger().add_to(sums);
  return sums;
}

/// Adds the metrics that have no value yet, so that whoever writes a query finds them.
void add_missing(std::vector<base::MetricSnapshot>& metrics) {
  for (const observe::MetricGroup& group : metric_table()) {
    for (const base::MetricDescriptor* const descriptor : group.metrics) {
      const bool is_there = std::ranges::any_of(metrics, [&](const base::MetricSnapshot& metric) {
        return metric.descriptor.name == descriptor->name;
      });
      if (!is_there) metrics.push_back({.descriptor = *descriptor, .series = {}});
    }
  }
}

std::vector<base::MetricSnapshot> metrics_with(const MetricSources& sources,
                                               const RequestLedger::Sums& sums,
                                               observe::ExemplarTable& exemplars) {
  auto metrics = sources.engine->metrics().snapshot();
  add_ledger_metrics(sums, metrics, exemplars);
  add_asked(sources, metrics);
  const SchedulerValues values = scheduler_values(sources, sums);
  for (std::size_t index = 0; index < values.size(); ++index) {
    metrics.push_back({.descriptor = kSchedulerMetrics[index],
                       .series = {{.label_values = {std::string(kPlansLane)},
                                   .value = {.value = values[index]}}}});
  }
  add_missing(metrics);
  return metrics;
}

}  // namespace

SchedulerValues scheduler_values(const MetricSources& sources, const RequestLedger::Sums& sums) {
  const runtime::WorkerPool& workers = sources.engine->workers();
  const runtime::PoolCounters pool = workers.counters();
  const runtime::Admission& admission = sources.engine->admission();
  FrontMetrics::ShedCounts sheds;
  FrontMetrics::LastNode last;
  for (const FrontMetrics* const front : sources.fronts) {
    const FrontMetrics::ShedCounts own = front->shed_counts();
    sheds.all += own.all;
    sheds.low += own.low;
    if (front->last_node().at > last.at) last = front->last_node();
  }
  SchedulerValues values{};
  const auto set = [&](SchedulerValueName name, auto value) {
    values[static_cast<std::size_t>(name)] = static_cast<double>(value);
  };
  set(SchedulerValueName::kCompleted, pool.executed + pool.executed_on_loops);
  set(SchedulerValueName::kQueueDepth, workers.ready_count());
  set(SchedulerValueName::kQueueCapacity, admission.settings().high_water);
  set(SchedulerValueName::kWorkers, workers.worker_count());
  set(SchedulerValueName::kActive, workers.active_count());
  set(SchedulerValueName::kInFlight, admission.stats().run_count);
  set(SchedulerValueName::kRejected, sheds.all);
  for (std::size_t priority = 0; priority < RequestLedger::kClasses; ++priority) {
    const auto first = static_cast<std::size_t>(SchedulerValueName::kPriorityHigh);
    values[first + priority] = static_cast<double>(sums.completed[priority]);
  }
  set(SchedulerValueName::kLowPriorityRejected, sheds.low);
  set(SchedulerValueName::kStarvationGuard, pool.starvation_guard_count);
  set(SchedulerValueName::kLastCallbackDuration, last.ms);
  return values;
}

std::vector<base::MetricSnapshot> all_metrics(const MetricSources& sources,
                                              observe::ExemplarTable& exemplars) {
  return metrics_with(sources, sums_of(sources), exemplars);
}

std::string metrics_page(const MetricSources& sources, std::string_view accept) {
  observe::ExemplarTable exemplars;
  const auto metrics = all_metrics(sources, exemplars);
  std::string page;
  observe::append_metrics(metrics, observe::format_for(accept), page, exemplars);
  return page;
}

std::string stats_page(const MetricSources& sources) {
  const RequestLedger::Sums sums = sums_of(sources);
  observe::ExemplarTable exemplars;
  const auto metrics = metrics_with(sources, sums, exemplars);
  const SchedulerValues values = scheduler_values(sources, sums);
  std::array<observe::SchedulerValue, kSchedulerMetrics.size()> named;
  for (std::size_t index = 0; index < values.size(); ++index) {
    const std::string_view name = kSchedulerMetrics[index].name;
    named[index] = {name.substr(kSchedulerPrefix.size()), values[index]};
  }
  return observe::stats_json(metrics, named);
}

}  // namespace millrace::server
