#include "base/metrics/metric_binding.h"

#include <initializer_list>
#include <string_view>
#include <utility>

#include "base/metrics/metric_cell.h"
#include "base/metrics/metric_descriptor.h"
#include "base/metrics/metrics_registry.h"

namespace millrace::base {

void MetricBinding::bind(const MetricDescriptor& descriptor,
                         std::initializer_list<std::string_view> label_values,
                         MetricCell cell) {
  places_.push_back(registry_.attach(descriptor, label_values, cell));
}

void MetricBinding::release() {
  for (const MetricsRegistry::Place& place : std::exchange(places_, {})) registry_.detach(place);
}

}  // namespace millrace::base
