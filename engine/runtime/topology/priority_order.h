#pragma once

#include <cstdint>
#include <vector>

#include "runtime/topology/topology.h"

namespace millrace::runtime {

/// Dependents and sources sorted so that the best comes *last* in each slice: a strand pushes them
/// in turn and keeps the last one. Immutable; a run keeps the one it started with (P2).
struct PriorityOrder {
  std::vector<Edge> edges;
  std::vector<std::uint32_t> sources;
  std::vector<std::uint64_t> path_costs;  ///< nanoseconds to the end of the DAG, per node
};

}  // namespace millrace::runtime
