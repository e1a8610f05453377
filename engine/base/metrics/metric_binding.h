#pragma once

#include <initializer_list>
#include <string_view>
#include <vector>

#include "base/metrics/metric_cell.h"
#include "base/metrics/metric_descriptor.h"
#include "base/metrics/metrics_registry.h"

namespace millrace::base {

/// Makes cells part of a registry's series for as long as it lives.
///
///   binding.bind(kEndpointCommands, {endpoint_name}, &cells.commands);
///
/// Several cells may be bound to one series: it is their sum.
/// Threading: not shared; cells are released by their writer, or after its last write, or what it
/// writes in between is not counted.
/// Lifetime: borrows the registry, and the cells until they are released: declare it after them.
class MetricBinding {
 public:
  explicit MetricBinding(MetricsRegistry& registry) : registry_(registry) {}
  ~MetricBinding() { release(); }
  MetricBinding(const MetricBinding&) = delete;
  MetricBinding& operator=(const MetricBinding&) = delete;

  /// Adds a cell to a series. The descriptor must pass `check`, be the same whenever its name is
  /// used, and fit the cell and the number of label values.
  void bind(const MetricDescriptor& descriptor,
            std::initializer_list<std::string_view> label_values,
            MetricCell cell);
  /// Takes all cells out of their series, which keep what counters and histograms have counted.
  void release();

 private:
  MetricsRegistry& registry_;
  std::vector<MetricsRegistry::Place> places_;
};

}  // namespace millrace::base
