#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/metrics/metric_descriptor.h"

namespace millrace::base {

/// The values of one series at one moment.
struct MetricValue {
  std::uint64_t count = 0;  ///< of a counter: the exact count; of a histogram: observations
  /// Of a counter: `count` in its unit; of a gauge: its value; of a histogram: the sum of all
  /// observations.
  double value = 0;
  /// Of a histogram: observations per bucket, not cumulative; the last bucket has no bound.
  std::vector<std::uint64_t> buckets = {};
};

/// One combination of label values, in the order of the descriptor's label names.
struct SeriesSnapshot {
  std::vector<std::string> label_values;
  MetricValue value;
};

/// One metric with all its series, ordered by label values.
/// Lifetime: the descriptor borrows texts that live as long as the process.
struct MetricSnapshot {
  MetricDescriptor descriptor;
  std::vector<SeriesSnapshot> series;
};

}  // namespace millrace::base
