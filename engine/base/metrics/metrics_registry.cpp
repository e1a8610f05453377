#include "base/metrics/metrics_registry.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/check.h"
#include "base/metrics/metric_cell.h"
#include "base/metrics/metric_descriptor.h"
#include "base/metrics/metrics_snapshot.h"
#include "base/result.h"
#include "base/sync/mutex.h"

namespace millrace::base {
namespace {

MetricKind kind_of(const MetricCell& cell) {
  if (std::holds_alternative<const CounterCell*>(cell)) return MetricKind::kCounter;
  if (std::holds_alternative<const GaugeCell*>(cell)) return MetricKind::kGauge;
  return MetricKind::kHistogram;
}

void add_cell(MetricValue& sum, const CounterCell& cell) { sum.count += cell.value(); }

void add_cell(MetricValue& sum, const GaugeCell& cell) { sum.value += cell.value(); }

void add_cell(MetricValue& sum, const HistogramCell& cell) {
  sum.buckets.resize(cell.bucket_count());
  for (std::size_t bucket = 0; bucket < cell.bucket_count(); ++bucket) {
    const std::uint64_t count = cell.count_in(bucket);
    sum.buckets[bucket] += count;
    sum.count += count;
  }
  sum.value += cell.sum();
}

void add_any(MetricValue& sum, const MetricCell& cell) {
  std::visit([&sum](const auto* typed) { add_cell(sum, *typed); }, cell);
}

}  // namespace

MetricsRegistry::~MetricsRegistry() {
  const MutexLock lock(mutex_);
  MR_CHECK(cell_count_ == 0, cell_count_);
}

std::vector<MetricSnapshot> MetricsRegistry::snapshot() const {
  std::vector<MetricSnapshot> metrics;
  const MutexLock lock(mutex_);
  metrics.reserve(metrics_.size());
  for (const auto& [name, metric] : metrics_) {
    MetricSnapshot& out = metrics.emplace_back(MetricSnapshot{metric.descriptor, {}});
    out.series.reserve(metric.series.size());
    for (const auto& [label_values, series] : metric.series) {
      MetricValue sum = series.retired;
      for (const MetricCell& cell : series.cells) add_any(sum, cell);
      if (metric.descriptor.kind == MetricKind::kCounter) {
        sum.value = static_cast<double>(sum.count) * metric.descriptor.scale;
      }
      out.series.push_back({label_values, std::move(sum)});
    }
  }
  return metrics;
}

MetricsRegistry::Place MetricsRegistry::attach(const MetricDescriptor& descriptor,
                                               std::initializer_list<std::string_view> label_values,
                                               MetricCell cell) {
  const Status usable = check(descriptor);
  MR_CHECK(usable.has_value(), usable ? "" : usable.error().message());
  MR_CHECK(label_values.size() == descriptor.label_names.size(), descriptor.name);
  MR_CHECK(kind_of(cell) == descriptor.kind, descriptor.name);
  if (const auto* const* histogram = std::get_if<const HistogramCell*>(&cell)) {
    MR_CHECK(std::ranges::equal((*histogram)->bounds(), descriptor.bucket_bounds), descriptor.name);
  }
  const MutexLock lock(mutex_);
  const auto metric = metric_of(descriptor);
  LabelValues values =
      bounded(metric->second, LabelValues(label_values.begin(), label_values.end()));
  const auto [series, is_new] = metric->second.series.try_emplace(std::move(values));
  if (is_new) ++series_count_;
  series->second.cells.push_back(cell);
  ++cell_count_;
  return {.metric = metric, .series = series, .cell = cell};
}

MetricsRegistry::Metrics::iterator MetricsRegistry::metric_of(const MetricDescriptor& descriptor) {
  const auto [metric, is_new] = metrics_.try_emplace(std::string(descriptor.name));
  if (is_new) metric->second.descriptor = descriptor;
  MR_CHECK(is_same(metric->second.descriptor, descriptor), descriptor.name);
  return metric;
}

MetricsRegistry::LabelValues MetricsRegistry::bounded(const Metric& metric,
                                                      LabelValues values) const {
  if (series_count_ >= options_.series_max && !metric.series.contains(values)) {
    std::ranges::fill(values, kOtherLabel);
  }
  return values;
}

void MetricsRegistry::detach(const Place& place) {
  const MutexLock lock(mutex_);
  Series& series = place.series->second;
  const auto cell = std::ranges::find(series.cells, place.cell);
  MR_CHECK(cell != series.cells.end());
  *cell = series.cells.back();
  series.cells.pop_back();
  --cell_count_;
  if (!std::holds_alternative<const GaugeCell*>(place.cell)) {
    return add_any(series.retired, place.cell);
  }
  if (!series.cells.empty()) return;
  place.metric->second.series.erase(place.series);
  --series_count_;
}

}  // namespace millrace::base
