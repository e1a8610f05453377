#include "observe/metric_catalog.h"

#include <string>
#include <string_view>

#include "base/format.h"

namespace millrace::observe {

std::string metrics_reference(std::span<const MetricGroup> groups) {
  std::string out =
      "<!-- Printed from the descriptors of the metrics by metrics_page; do not edit. -->\n"
      "# Metrics of rankd\n\n"
      "What `GET /metrics` shows. Counters only grow, also when a connection or plan goes. Labels "
      "come from tables of the\n"
      "program and from plans and endpoints, never from callers. Durations are histograms with "
      "these bounds, in seconds:\n";
  std::string bounds;
  for (const double bound : base::kDurationBuckets)
    bounds += base::format("{}{}", bounds.empty() ? "" : ", ", bound);
  out += bounds + ".\n";
  for (const MetricGroup& group : groups) {
    out += base::format("\n## {}\n\n| Metric | Kind | Labels | Meaning |\n|---|---|---|---|\n",
                        group.title);
    for (const base::MetricDescriptor* const metric : group.metrics) {
      std::string labels;
      for (const std::string_view label : metric->label_names)
        labels += base::format("{}`{}`", labels.empty() ? "" : ", ", label);
      out += base::format("| `{}` | {} | {} | {} |\n",
                          metric->name,
                          base::to_string(metric->kind),
                          labels.empty() ? "–" : labels,
                          metric->help);
    }
  }
  return out;
}

}  // namespace millrace::observe
