#include "server/observation/metric_table.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "observe/dashboard.h"

namespace millrace::server {
namespace {

std::string read(const std::string& path) {
  std::ifstream file(std::string(MILLRACE_SOURCE_DIR) + path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::map<std::string, std::string> labels_by_name() {
  std::map<std::string, std::string> table;
  for (const observe::MetricGroup& group : metric_table()) {
    for (const base::MetricDescriptor* const metric : group.metrics) {
      std::string labels;
      for (const std::string_view label : metric->label_names)
        labels += (labels.empty() ? "" : " ") + std::string(label);
      EXPECT_TRUE(table.emplace(metric->name, labels).second) << "twice: " << metric->name;
      EXPECT_TRUE(base::check(*metric).has_value()) << metric->name;
    }
  }
  return table;
}

TEST(MetricTableTest, S39_HasEveryMetricOfTheContractWithItsLabels) {
  const std::map<std::string, std::string> wanted{
      {"rankd_requests_total", "plan outcome"},
      {"rankd_request_duration_seconds", "plan"},
      {"rankd_request_degraded_total", "plan node kind"},
      {"rankd_late_completions_total", ""},
      {"rankd_http_requests_total", "route code"},
      {"rankd_http_connections", "loop"},
      {"rankd_http_rejected_total", "reason"},
      {"rankd_http_bytes_total", "dir"},
      {"rankd_inflight", "priority"},
      {"rankd_admission_limit", ""},
      {"rankd_admission_load", ""},
      {"rankd_admission_waiting", ""},
      {"rankd_own_delay_seconds", ""},
      {"rankd_plan_inflight", "plan"},
      {"rankd_shed_total", "reason priority"},
      {"rankd_shed_duration_seconds", ""},
      {"rankd_node_duration_seconds", "plan node"},
      {"rankd_node_queue_delay_seconds", "plan node"},
      {"rankd_node_rows_total", "plan node"},
      {"rankd_endpoint_commands_total", "endpoint"},
      {"rankd_endpoint_round_trips_total", "endpoint"},
      {"rankd_endpoint_errors_total", "endpoint"},
      {"rankd_endpoint_shared_keys_total", "endpoint"},
      {"rankd_endpoint_breaker_open", "endpoint"},
      {"rankd_endpoint_duration_seconds", "endpoint"},
      {"rankd_plan_info", "plan version digest state"},
      {"rankd_plan_reloads_total", "outcome"},
      {"rankd_plans_stale", ""},
      {"rankd_canary_share", "plan"},
      {"rankd_loop_lag_seconds", "loop"},
      {"rankd_loop_busy_seconds_total", "loop"},
      {"rankd_worker_busy_seconds_total", ""},
      {"rankd_log_dropped_total", ""},
      {"rankd_trace_dropped_total", ""},
      {"rankd_slow_captures_total", ""},
      {"rankd_otlp_spans_total", "outcome"},
      {"rankd_scheduler_completed_count", "lane"},
      {"rankd_scheduler_last_callback_duration_ms", "lane"},
      {"process_cpu_seconds_total", ""},
  };
  const auto table = labels_by_name();
  for (const auto& [name, labels] : wanted) {
    ASSERT_TRUE(table.contains(name)) << name;
    EXPECT_EQ(table.at(name), labels) << name;
  }
}

TEST(MetricTableTest, S44_ThePageAndTheDashboardArePrintedFromTheTable) {
  EXPECT_EQ(read("/docs/reference/metrics.md"), observe::metrics_reference(metric_table()))
      << "print it anew: metrics_page > docs/reference/metrics.md";
  EXPECT_EQ(read("/packaging/grafana/rankd.json"), observe::grafana_dashboard(metric_table()))
      << "print it anew: metrics_page dashboard > packaging/grafana/rankd.json";
}

}  // namespace
}  // namespace millrace::server
