#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/metrics/metric_binding.h"
#include "base/metrics/metric_cell.h"
#include "base/metrics/metric_descriptor.h"
#include "base/metrics/metrics_registry.h"
#include "graph/compile/compiled_graph.h"
#include "graph/run/run_result.h"
#include "graph/watch/graph_cells.h"

namespace millrace::graph {

/// The metric cells of one run.
/// Threading: each cell has one writer; reading is for any thread.
/// Lifetime: borrows graph and registry.
class GraphMetrics {
 public:
  /// Registers the cells in `registry`, if there is one, as long as this lives.
  GraphMetrics(const CompiledGraph& graph, base::MetricsRegistry* registry);

  // Their sizes are constant.
  std::vector<LaneCells> lanes;
  std::vector<ComponentCells> components;
  std::vector<TriggerCells> triggers;
  std::vector<ChannelCells> channels;
  std::vector<LoopCells> loops;
  std::vector<DomainCells> domains;
  RunCells run;

  /// The ages of what outputs on a lane are given, if it began at that component. Allocates when
  /// called for a pair for the first time.
  [[nodiscard]] base::HistogramCell& age(std::uint32_t root_component, std::uint32_t lane);

  /// All values, in a fixed order.
  [[nodiscard]] std::vector<RuntimeMetric> values() const;

 private:
  template <class Cells, class Rows>
  void bind(const Cells& cells, const Rows& rows, std::string_view label);

  const CompiledGraph& graph_;
  base::MetricsRegistry* registry_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::unique_ptr<base::HistogramCell>> ages_;
  // Declared last: releases the cells before they go.
  std::optional<base::MetricBinding> binding_;
};

/// Descriptors of all metrics of a run.
[[nodiscard]] std::vector<base::MetricDescriptor> runtime_metric_descriptors();

}  // namespace millrace::graph
