#include "observe/prometheus_writer.h"

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/metrics/metric_binding.h"
#include "base/metrics/metrics_registry.h"
#include "observe/process_stats.h"

namespace millrace::observe {
namespace {

constexpr std::array<std::string_view, 1> kLabel{"plan"};
constexpr std::array<double, 3> kBounds{0.0001, 0.5, 1};
constexpr base::MetricDescriptor kCount{
    .name = "rankd_x_total", .help = "Counts \"x\"\\.", .label_names = kLabel};
constexpr base::MetricDescriptor kBusy{
    .name = "rankd_busy_seconds_total", .help = "Busy.", .unit = "seconds", .scale = 1e-9};
constexpr base::MetricDescriptor kNow{
    .name = "rankd_now", .help = "Now.", .kind = base::MetricKind::kGauge};
constexpr base::MetricDescriptor kSpan{.name = "rankd_span_seconds",
                                       .help = "Spans.",
                                       .unit = "seconds",
                                       .kind = base::MetricKind::kHistogram,
                                       .bucket_bounds = kBounds};

struct Sample {
  base::MetricsRegistry registry;
  base::CounterCell count;
  base::CounterCell busy;
  base::GaugeCell now;
  base::HistogramCell span{kBounds};
  base::MetricBinding binding{registry};

  Sample() {
    binding.bind(kCount, {"a\"b\\c\nd"}, &count);
    binding.bind(kBusy, {}, &busy);
    binding.bind(kNow, {}, &now);
    binding.bind(kSpan, {}, &span);
    count.add(3);
    busy.add(1'500'000'000);
    now.set(-2.5);
    span.observe(0.00005);
    span.observe(0.7);
    span.observe(9);
  }
  std::string page(MetricsFormat format) {
    std::string text;
    append_metrics(registry.snapshot(), format, text);
    return text;
  }
};

TEST(PrometheusWriterTest, WritesText004) {
  EXPECT_EQ(Sample().page(MetricsFormat::kPrometheus),
            R"(# HELP rankd_busy_seconds_total Busy.
# TYPE rankd_busy_seconds_total counter
rankd_busy_seconds_total 1.5
# HELP rankd_now Now.
# TYPE rankd_now gauge
rankd_now -2.5
# HELP rankd_span_seconds Spans.
# TYPE rankd_span_seconds histogram
rankd_span_seconds_bucket{le="0.0001"} 1
rankd_span_seconds_bucket{le="0.5"} 1
rankd_span_seconds_bucket{le="1.0"} 2
rankd_span_seconds_bucket{le="+Inf"} 3
rankd_span_seconds_sum 9.70005
rankd_span_seconds_count 3
# HELP rankd_x_total Counts "x"\\.
# TYPE rankd_x_total counter
rankd_x_total{plan="a\"b\\c\nd"} 3
)");
}

TEST(PrometheusWriterTest, WritesOpenMetrics) {
  const std::string page = Sample().page(MetricsFormat::kOpenMetrics);
  EXPECT_THAT(page, ::testing::HasSubstr("# TYPE rankd_x counter\n"));
  EXPECT_THAT(page, ::testing::HasSubstr("rankd_x_total{plan="));
  EXPECT_THAT(page, ::testing::HasSubstr("# UNIT rankd_span_seconds seconds\n"));
  EXPECT_TRUE(page.ends_with("\n# EOF\n"));
}

TEST(PrometheusWriterTest, AcceptDecides) {
  EXPECT_EQ(format_for(""), MetricsFormat::kPrometheus);
  EXPECT_EQ(format_for("text/plain"), MetricsFormat::kPrometheus);
  EXPECT_EQ(format_for("application/openmetrics-text; version=1.0.0, text/plain;q=0.5"),
            MetricsFormat::kOpenMetrics);
}

/// Lets the client library of Prometheus for Python read the page.
int read_by_client(const std::string& page, const std::string& parser) {
  const std::string file =
      (std::filesystem::temp_directory_path() / ("millrace-metrics-" + std::to_string(getpid())))
          .string();
  std::ofstream(file, std::ios::binary) << page;
  const std::string script = "import sys\nfrom prometheus_client" + parser +
                             " import text_string_to_metric_families as read\n"
                             "found = {s.name: s.value for f in read(open('" +
                             file +
                             "').read()) for s in f.samples}\n"
                             "assert found['rankd_x_total'] == 3, found\n"
                             "assert found['rankd_now'] == -2.5, found\n"
                             "assert found['rankd_span_seconds_count'] == 3, found\n"
                             "assert found['process_cpu_seconds_total'] >= 0, found\n"
                             "assert found['process_resident_memory_bytes'] > 1e6, found\n";
  const int result = std::system(("/usr/bin/python3 -c \"" + script + "\" 2>/dev/null").c_str());
  std::filesystem::remove(file);
  return result;
}

TEST(PrometheusWriterTest, TheClientLibraryReadsBothFormats) {
  Sample sample;
  auto metrics = sample.registry.snapshot();
  add_process_metrics(metrics);
  std::string text;
  append_metrics(metrics, MetricsFormat::kPrometheus, text);
  EXPECT_EQ(read_by_client(text, ".parser"), 0);
  std::string open;
  append_metrics(metrics, MetricsFormat::kOpenMetrics, open);
  EXPECT_EQ(read_by_client(open, ".openmetrics.parser"), 0);
  // The test must be able to fail.
  EXPECT_NE(read_by_client("rankd_x_total{", ".parser"), 0);
}

TEST(PrometheusWriterTest, S39_ExemplarsStandBehindTheirBucketsInOpenMetricsOnly) {
  Sample sample;
  const TraceIdBits trace{.high = 0x4bf92f3577b34da6, .low = 0xa3ce929d0e0e4736};
  const base::WallTime at{std::chrono::milliseconds(1'520'879'607'789)};
  std::array<Exemplar, 4> by_bucket{};
  by_bucket[2] = {.trace = trace, .value = 0.7, .at = at};
  ExemplarTable exemplars;
  exemplars.add(kSpan.name, {}, by_bucket);
  auto metrics = sample.registry.snapshot();
  add_process_metrics(metrics);
  std::string open;
  append_metrics(metrics, MetricsFormat::kOpenMetrics, open, exemplars);
  EXPECT_THAT(open,
              ::testing::HasSubstr("rankd_span_seconds_bucket{le=\"1.0\"} 2 # "
                                   "{trace_id=\"4bf92f3577b34da6a3ce929d0e0e4736\"} 0.7 "
                                   "1520879607.789\n"));
  EXPECT_EQ(read_by_client(open, ".openmetrics.parser"), 0);
  std::string text;
  append_metrics(sample.registry.snapshot(), MetricsFormat::kPrometheus, text, exemplars);
  EXPECT_THAT(text, ::testing::Not(::testing::HasSubstr("trace_id")));
}

TEST(PrometheusWriterTest, NumbersThatAreNotFiniteHaveNames) {
  base::MetricsRegistry registry;
  base::GaugeCell cell;
  base::MetricBinding binding(registry);
  binding.bind(kNow, {}, &cell);
  cell.set(std::numeric_limits<double>::infinity());
  std::string page;
  append_metrics(registry.snapshot(), MetricsFormat::kPrometheus, page);
  EXPECT_THAT(page, ::testing::HasSubstr("rankd_now +Inf\n"));
}

}  // namespace
}  // namespace millrace::observe
