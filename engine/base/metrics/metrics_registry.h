#pragma once

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/metrics/metric_cell.h"
#include "base/metrics/metric_descriptor.h"
#include "base/metrics/metrics_snapshot.h"
#include "base/sync/mutex.h"
#include "base/sync/thread_annotations.h"

namespace millrace::base {

struct MetricsRegistryOptions {
  /// Series that may exist at once. The label values of any further one are replaced by `other`.
  std::size_t series_max = 20'000;
};

/// All metrics of a process: which cells belong to which series, and their sums.
///
/// A series is a metric with one combination of label values. Its value is the sum of its cells
/// and of the cells it once had: when a cell goes, its count moves into the series within the same
/// critical section that removes it, so no snapshot ever sees a counter go back. A gauge loses the
/// value of a cell that goes, and its series goes with the last cell.
///
/// Cells come and go through `MetricBinding` (base/metrics/metric_binding.h).
/// Threading: any thread. Writing a cell never waits for a snapshot.
/// Lifetime: outlives its bindings.
class MetricsRegistry {
 public:
  /// What stands in place of label values when there are too many series.
  static constexpr std::string_view kOtherLabel = "other";

  explicit MetricsRegistry(MetricsRegistryOptions options = {}) : options_(options) {}
  ~MetricsRegistry();
  MetricsRegistry(const MetricsRegistry&) = delete;
  MetricsRegistry& operator=(const MetricsRegistry&) = delete;

  /// Adds up all cells as they are now: metrics ordered by name, series by label values.
  [[nodiscard]] std::vector<MetricSnapshot> snapshot() const MR_EXCLUDES(mutex_);

 private:
  friend class MetricBinding;

  using LabelValues = std::vector<std::string>;
  struct Series {
    std::vector<MetricCell> cells;
    MetricValue retired;  // of cells that are gone
  };
  struct Metric {
    MetricDescriptor descriptor;
    std::map<LabelValues, Series> series;
  };
  using Metrics = std::map<std::string, Metric, std::less<>>;
  /// Where a cell is attached.
  struct Place {
    Metrics::iterator metric;
    std::map<LabelValues, Series>::iterator series;
    MetricCell cell;
  };

  [[nodiscard]] Place attach(const MetricDescriptor& descriptor,
                             std::initializer_list<std::string_view> label_values,
                             MetricCell cell) MR_EXCLUDES(mutex_);
  void detach(const Place& place) MR_EXCLUDES(mutex_);
  [[nodiscard]] Metrics::iterator metric_of(const MetricDescriptor& descriptor) MR_REQUIRES(mutex_);
  [[nodiscard]] LabelValues bounded(const Metric& metric, LabelValues values) const
      MR_REQUIRES(mutex_);

  const MetricsRegistryOptions options_;

  mutable Mutex mutex_;
  Metrics metrics_ MR_GUARDED_BY(mutex_);
  std::size_t series_count_ MR_GUARDED_BY(mutex_) = 0;
  std::size_t cell_count_ MR_GUARDED_BY(mutex_) = 0;
};

}  // namespace millrace::base
