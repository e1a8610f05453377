#include "observe/dashboard.h"

#include <string>
#include <string_view>

#include "base/format.h"
#include "base/formats/json_writer.h"
#include "base/metrics/metric_descriptor.h"

namespace millrace::observe {
namespace {

constexpr int kPanelWidth = 8;
constexpr int kPanelHeight = 7;
constexpr int kDashboardWidth = 24;

/// What one panel shows of a metric, in the language of Prometheus.
struct Query {
  std::string expression;
  std::string legend;
};

std::string joined(std::span<const std::string_view> names) {
  std::string text;
  for (const std::string_view name : names) {
    if (!text.empty()) text += ", ";
    text += name;
  }
  return text;
}

std::string legend_of(std::span<const std::string_view> labels) {
  std::string text;
  for (const std::string_view label : labels)
    text += base::format("{}{{{{{}}}}}", text.empty() ? "" : " ", label);
  return text.empty() ? "now" : text;
}

Query query_of(const base::MetricDescriptor& metric, std::string_view quantile) {
  const std::string labels = joined(metric.label_names);
  const std::string legend = legend_of(metric.label_names);
  const std::string by = labels.empty() ? "" : base::format(" by ({})", labels);
  if (metric.kind == base::MetricKind::kGauge)
    return {base::format("sum{} ({}{{job=~\"$job\"}})", by, metric.name), legend};
  if (metric.kind == base::MetricKind::kCounter) {
    return {base::format("sum{} (rate({}{{job=~\"$job\"}}[$__rate_interval]))", by, metric.name),
            legend};
  }
  const std::string with_bound = labels.empty() ? "le" : labels + ", le";
  return {base::format("histogram_quantile({}, sum by ({}) "
                       "(rate({}_bucket{{job=~\"$job\"}}[$__rate_interval])))",
                       quantile,
                       with_bound,
                       metric.name),
          base::format("p{} {}", quantile == "0.5" ? "50" : "99", legend)};
}

void write_target(base::JsonWriter& json, const Query& query, std::string_view id) {
  json.begin_object();
  json.member("refId", id);
  json.member("expr", query.expression);
  json.member("legendFormat", query.legend);
  json.end_object();
}

void write_place(base::JsonWriter& json, int x, int y, int width, int height) {
  json.key("gridPos");
  json.begin_object();
  json.member("x", x);
  json.member("y", y);
  json.member("w", width);
  json.member("h", height);
  json.end_object();
}

std::string_view unit_of(const base::MetricDescriptor& metric) {
  if (metric.unit == "bytes") return "bytes";
  if (metric.unit == "seconds")
    return metric.kind == base::MetricKind::kCounter ? "percentunit" : "s";
  return metric.kind == base::MetricKind::kCounter ? "cps" : "short";
}

void write_panel(base::JsonWriter& json, const base::MetricDescriptor& metric, int id) {
  json.member("id", id);
  json.member("type", "timeseries");
  json.member("title", metric.name);
  json.member("description", metric.help);
  json.key("datasource");
  json.begin_object();
  json.member("type", "prometheus");
  json.member("uid", "${datasource}");
  json.end_object();
  json.key("fieldConfig");
  json.begin_object();
  json.key("defaults");
  json.begin_object();
  json.member("unit", unit_of(metric));
  json.end_object();
  json.key("overrides");
  json.begin_array();
  json.end_array();
  json.end_object();
  json.key("targets");
  json.begin_array();
  write_target(json, query_of(metric, "0.99"), "A");
  if (metric.kind == base::MetricKind::kHistogram) write_target(json, query_of(metric, "0.5"), "B");
  json.end_array();
}

void write_variables(base::JsonWriter& json) {
  json.key("templating");
  json.begin_object();
  json.key("list");
  json.begin_array();
  json.begin_object();
  json.member("name", "datasource");
  json.member("type", "datasource");
  json.member("query", "prometheus");
  json.end_object();
  json.begin_object();
  json.member("name", "job");
  json.member("type", "query");
  json.member("query", "label_values(rankd_build_info, job)");
  json.key("datasource");
  json.begin_object();
  json.member("type", "prometheus");
  json.member("uid", "${datasource}");
  json.end_object();
  json.member("multi", true);
  json.member("includeAll", true);
  json.end_object();
  json.end_array();
  json.end_object();
}

}  // namespace

std::string grafana_dashboard(std::span<const MetricGroup> groups) {
  std::string out;
  base::JsonWriter json(out);
  json.begin_object();
  json.member("uid", "rankd");
  json.member("title", "rankd");
  json.member("description",
              "Printed from the descriptors of the metrics by metrics_page; do not edit.");
  json.member("schemaVersion", 36);
  json.member("refresh", "30s");
  json.key("time");
  json.begin_object();
  json.member("from", "now-1h");
  json.member("to", "now");
  json.end_object();
  write_variables(json);
  json.key("panels");
  json.begin_array();
  int id = 0;
  int y = 0;
  for (const MetricGroup& group : groups) {
    json.begin_object();
    json.member("id", ++id);
    json.member("type", "row");
    json.member("title", group.title);
    write_place(json, 0, y++, kDashboardWidth, 1);
    json.end_object();
    int x = 0;
    for (const base::MetricDescriptor* const metric : group.metrics) {
      if (x + kPanelWidth > kDashboardWidth) {
        x = 0;
        y += kPanelHeight;
      }
      json.begin_object();
      write_panel(json, *metric, ++id);
      write_place(json, x, y, kPanelWidth, kPanelHeight);
      json.end_object();
      x += kPanelWidth;
    }
    y += kPanelHeight;
  }
  json.end_array();
  json.end_object();
  return out + "\n";
}

}  // namespace millrace::observe
