#include "observe/process_stats.h"

#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/metrics/metric_descriptor.h"

namespace millrace::observe {
namespace {

TEST(ProcessStatsTest, TellsWhatEveryClientLibraryTells) {
  std::vector<base::MetricSnapshot> metrics;
  add_process_metrics(metrics);
  std::map<std::string, double> values;
  for (const base::MetricSnapshot& metric : metrics) {
    EXPECT_TRUE(base::check(metric.descriptor).has_value()) << metric.descriptor.name;
    values[std::string(metric.descriptor.name)] = metric.series.at(0).value.value;
  }
  EXPECT_GT(values["process_resident_memory_bytes"], 1e6);
  EXPECT_GT(values["process_virtual_memory_bytes"], values["process_resident_memory_bytes"]);
  EXPECT_GE(values["process_open_fds"], 3);
  EXPECT_GT(values["process_max_fds"], values["process_open_fds"]);
  EXPECT_GT(values["process_start_time_seconds"], 1.5e9);
  EXPECT_GE(values["process_cpu_seconds_total"], 0);
}

}  // namespace
}  // namespace millrace::observe
