#pragma once

#include <span>

#include "observe/metric_catalog.h"

namespace millrace::server {

/// Every metric of `rankd serve`. The reference page and the dashboard are printed from it, and a
/// scrape shows what it lists, no more and no less.
[[nodiscard]] std::span<const observe::MetricGroup> metric_table();

}  // namespace millrace::server
