#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/topology/topology.h"

namespace millrace::runtime {

/// A node as a strand comes to it that has the run to itself.
struct SequenceStep {
  std::uint32_t node;
  std::uint32_t waiting;  ///< nodes that lie ready while this one runs
};

/// Dependents and sources sorted so that the best comes *last* in each slice: a strand pushes them
/// in turn and keeps the last one. Immutable; a run keeps the one it started with (P2).
struct PriorityOrder {
  std::vector<Edge> edges;
  std::vector<std::uint32_t> sources;
  std::vector<std::uint64_t> path_costs;  ///< nanoseconds to the end of the DAG, per node
  /// What tokens amount to where one strand does all: then nobody needs to count them. Empty if the
  /// topology needs more than tokens.
  std::vector<SequenceStep> sequence;
  std::uint32_t waiting_max = 0;  ///< of all steps
  /// Per step, for traces: the node that made this one ready, or the count of nodes for a source.
  /// If it is the step before, that one handed over directly.
  std::vector<std::uint32_t> enablers;
};

/// The way of a strand that has a run to itself, without its bodies: the best of what a node makes
/// ready comes next, else the newest of what waits.
struct StrandWalk {
  const HotNode* nodes;
  const Edge* edges;
  std::uint32_t* tokens;   ///< as in the template before the first node
  std::uint32_t* waiting;  ///< room for all nodes
  std::uint32_t waiting_count = 0;
  std::uint32_t node = kNoNode;  ///< where it is; `kNoNode` at the end

  void begin(std::span<const std::uint32_t> sources) {
    std::ranges::copy(sources, waiting);
    waiting_count = static_cast<std::uint32_t>(sources.size());
    node = waiting[--waiting_count];
  }
  void step() {
    step([](std::uint32_t /*ready*/) {});
  }
  /// The same; tells which nodes it makes ready.
  template <class OnReady>
  void step(OnReady on_ready) {
    std::uint32_t best = kNoNode;
    for (std::uint32_t edge = nodes[node].edge_begin; edge < nodes[node].edge_end; ++edge) {
      if (edges[edge].counter != kNoCounter && --tokens[edges[edge].counter] != 0) continue;
      if (best != kNoNode) waiting[waiting_count++] = best;
      best = edges[edge].target;
      on_ready(best);
    }
    if (best == kNoNode && waiting_count != 0) best = waiting[--waiting_count];
    node = best;
  }
};

/// Finds `sequence` for the edges and sources of an order, and keeps the room it needs.
/// Threading: not shared.
class SequenceFinder {
 public:
  explicit SequenceFinder(const Topology& topology);

  /// Allocates nothing if `order.sequence` and `order.enablers` have room for all nodes.
  void fill(PriorityOrder& order);

 private:
  const Topology& topology_;
  std::vector<std::uint32_t> tokens_;
  std::vector<std::uint32_t> waiting_;
  std::vector<std::uint32_t> enabler_of_;  // by node
};

}  // namespace millrace::runtime
