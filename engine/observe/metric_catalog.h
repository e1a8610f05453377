#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/metrics/metric_descriptor.h"

namespace millrace::observe {

/// Metrics that belong together on the reference page.
struct MetricGroup {
  std::string_view title;
  std::span<const base::MetricDescriptor* const> metrics;
};

/// The reference page, in Markdown: a table per group, with name, kind, labels and meaning.
[[nodiscard]] std::string metrics_reference(std::span<const MetricGroup> groups);

}  // namespace millrace::observe
