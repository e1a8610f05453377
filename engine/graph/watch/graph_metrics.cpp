#include "graph/watch/graph_metrics.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/metrics/metric_cell.h"
#include "base/metrics/metric_descriptor.h"
#include "base/metrics/metrics_registry.h"
#include "graph/compile/compiled_graph.h"
#include "graph/run/run_result.h"
#include "graph/watch/graph_cells.h"
#include "graph/watch/metric_rows.h"

namespace millrace::graph {
namespace {

double value_of(const base::MetricCell& cell) {
  if (const auto* counter = std::get_if<const base::CounterCell*>(&cell)) {
    return static_cast<double>((*counter)->value());
  }
  if (const auto* gauge = std::get_if<const base::GaugeCell*>(&cell)) return (*gauge)->value();
  const base::HistogramCell& histogram = *std::get<const base::HistogramCell*>(cell);
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < histogram.bucket_count(); ++i) count += histogram.count_in(i);
  return static_cast<double>(count);
}

/// Adds the values of one kind of place; `label` is the field of RuntimeMetric that takes `id`.
template <class Cells, class Rows>
void add_values(std::vector<RuntimeMetric>& values,
                const Cells& cells,
                const Rows& rows,
                std::string RuntimeMetric::* label,
                const std::string& id) {
  for (const auto& row : rows) {
    RuntimeMetric metric{.name = row.descriptor.name, .value = value_of(row.cell(cells))};
    metric.*label = id;
    values.push_back(std::move(metric));
  }
}

template <class Rows>
void add_descriptors(std::vector<base::MetricDescriptor>& descriptors, const Rows& rows) {
  for (const auto& row : rows) descriptors.push_back(row.descriptor);
}

}  // namespace

template <class Cells, class Rows>
void GraphMetrics::bind(const Cells& cells, const Rows& rows, std::string_view label) {
  for (const auto& row : rows) {
    if (row.descriptor.label_names.empty()) {
      binding_->bind(row.descriptor, {}, row.cell(cells));
    } else {
      binding_->bind(row.descriptor, {label}, row.cell(cells));
    }
  }
}

GraphMetrics::GraphMetrics(const CompiledGraph& graph, base::MetricsRegistry* registry)
    : lanes(graph.lanes.size()),
      components(graph.components.size()),
      triggers(graph.components.size()),
      channels(graph.edges.size()),
      loops(graph.loops.size()),
      domains(graph.domains.size()),
      graph_(graph),
      registry_(registry) {
  if (registry_ == nullptr) return;
  binding_.emplace(*registry_);
  for (std::size_t i = 0; i < lanes.size(); ++i) bind(lanes[i], kLaneRows, graph.lanes[i].id);
  for (std::size_t i = 0; i < components.size(); ++i) {
    bind(components[i], kComponentRows, graph.components[i].id);
    bind(triggers[i], kTriggerRows, graph.components[i].id);
    if (graph.components[i].role == BoundaryRole::kOutput) {
      bind(components[i], kOutputRows, graph.components[i].id);
    }
  }
  for (std::size_t i = 0; i < channels.size(); ++i) {
    bind(channels[i], kChannelRows, graph.edges[i].id);
  }
  for (std::size_t i = 0; i < loops.size(); ++i) bind(loops[i], kLoopRows, graph.loops[i].id);
  for (const DomainCells& cells : domains) bind(cells, kDomainRows, {});
  bind(run, kRunRows, {});
}

base::HistogramCell& GraphMetrics::age(std::uint32_t root_component, std::uint32_t lane) {
  std::unique_ptr<base::HistogramCell>& cell = ages_[{root_component, lane}];
  if (cell == nullptr) {
    cell = std::make_unique<base::HistogramCell>(kAgeBounds);
    if (binding_) {
      binding_->bind(
          kAgeMetric, {graph_.components[root_component].id, graph_.lanes[lane].id}, cell.get());
    }
  }
  return *cell;
}

std::vector<RuntimeMetric> GraphMetrics::values() const {
  std::vector<RuntimeMetric> values;
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    add_values(values, lanes[i], kLaneRows, &RuntimeMetric::lane, graph_.lanes[i].id);
  }
  for (std::size_t i = 0; i < components.size(); ++i) {
    const std::string& id = graph_.components[i].id;
    add_values(values, components[i], kComponentRows, &RuntimeMetric::component_id, id);
    add_values(values, triggers[i], kTriggerRows, &RuntimeMetric::component_id, id);
    if (graph_.components[i].role != BoundaryRole::kOutput) continue;
    add_values(values, components[i], kOutputRows, &RuntimeMetric::component_id, id);
  }
  for (std::size_t i = 0; i < channels.size(); ++i) {
    const std::string& id = graph_.edges[i].id;
    add_values(values, channels[i], kChannelRows, &RuntimeMetric::channel_id, id);
  }
  for (std::size_t i = 0; i < loops.size(); ++i) {
    const std::string& id = graph_.loops[i].id;
    add_values(values, loops[i], kLoopRows, &RuntimeMetric::component_id, id);
  }
  for (const auto& row : kDomainRows) {
    RuntimeMetric metric{.name = row.descriptor.name};
    for (const DomainCells& cells : domains) metric.value += value_of(row.cell(cells));
    values.push_back(std::move(metric));
  }
  add_values(values, run, kRunRows, &RuntimeMetric::lane, {});
  for (const auto& [place, cell] : ages_) {
    values.push_back({.name = kAgeMetric.name,
                      .value = value_of(cell.get()),
                      .lane = graph_.lanes[place.second].id,
                      .component_id = graph_.components[place.first].id});
  }
  return values;
}

std::vector<base::MetricDescriptor> runtime_metric_descriptors() {
  std::vector<base::MetricDescriptor> all;
  add_descriptors(all, kLaneRows);
  add_descriptors(all, kComponentRows);
  add_descriptors(all, kTriggerRows);
  add_descriptors(all, kChannelRows);
  add_descriptors(all, kLoopRows);
  add_descriptors(all, kDomainRows);
  add_descriptors(all, kRunRows);
  add_descriptors(all, kOutputRows);
  all.push_back(kAgeMetric);
  return all;
}

}  // namespace millrace::graph
