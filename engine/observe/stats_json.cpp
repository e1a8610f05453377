#include "observe/stats_json.h"

#include <cstddef>
#include <string>
#include <string_view>

#include "base/formats/json_writer.h"
#include "base/metrics/metric_descriptor.h"

namespace millrace::observe {
namespace {

void write_series(const base::MetricDescriptor& metric,
                  const base::SeriesSnapshot& series,
                  base::JsonWriter& json) {
  json.begin_object();
  json.member("name", metric.name);
  if (!series.label_values.empty()) {
    json.key("labels");
    json.begin_object();
    for (std::size_t index = 0; index < series.label_values.size(); ++index)
      json.member(metric.label_names[index], series.label_values[index]);
    json.end_object();
  }
  if (metric.kind == base::MetricKind::kHistogram) {
    json.member("count", series.value.count);
    json.member("sum", series.value.value);
    json.key("buckets");
    json.begin_array();
    for (const std::uint64_t count : series.value.buckets) json.value(count);
    json.end_array();
  } else if (metric.kind == base::MetricKind::kCounter && metric.scale == 1) {
    json.member("value", series.value.count);
  } else {
    json.member("value", series.value.value);
  }
  json.end_object();
}

}  // namespace

std::string stats_json(std::span<const base::MetricSnapshot> metrics,
                       std::span<const SchedulerValue> scheduler) {
  std::string out;
  base::JsonWriter json(out);
  json.begin_object();
  json.member("lane", "plans");
  for (const auto& [name, value] : scheduler)
    json.member(std::string("runtime.scheduler.").append(name), value);
  json.key("metrics");
  json.begin_array();
  for (const base::MetricSnapshot& metric : metrics) {
    for (const base::SeriesSnapshot& series : metric.series)
      write_series(metric.descriptor, series, json);
  }
  json.end_array();
  json.end_object();
  return out;
}

}  // namespace millrace::observe
