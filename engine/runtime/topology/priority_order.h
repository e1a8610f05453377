#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/topology/topology.h"

namespace millrace::runtime {

/// One step of the order in which a single strand runs all nodes.
struct SequenceStep {
  std::uint32_t node;
  std::uint32_t waiting;  ///< ready nodes that wait while this one runs
};

/// Dependents and sources sorted so that the best comes *last* in each slice: a strand pushes them
/// in turn and keeps the last one. Immutable; a run keeps the one it started with (P2).
struct PriorityOrder {
  std::vector<Edge> edges;
  std::vector<std::uint32_t> sources;
  std::vector<std::uint64_t> path_costs;  ///< nanoseconds to the end of the DAG, per node
  /// The order in which one strand would run all nodes, computed in advance, so that a run nobody
  /// shares needs no token counters. Empty if the topology needs more than tokens.
  std::vector<SequenceStep> sequence;
  std::uint32_t waiting_max = 0;  ///< the highest `waiting` of all steps
  /// For traces, one entry per step: the node that made this one ready, or the number of nodes for
  /// a source. If that node is the step before, it handed over directly.
  std::vector<std::uint32_t> enablers;
};

/// The walk of a single strand through a run, without calling bodies: the best node that the
/// current one makes ready comes next; if it makes none ready, the newest waiting node.
struct StrandWalk {
  const HotNode* nodes;
  const Edge* edges;
  std::uint32_t* tokens;   ///< must start as in `Topology::counter_template`
  std::uint32_t* waiting;  ///< room for all nodes
  std::uint32_t waiting_count = 0;
  std::uint32_t node = kNoNode;  ///< the current node; `kNoNode` at the end

  void begin(std::span<const std::uint32_t> sources) {
    std::ranges::copy(sources, waiting);
    waiting_count = static_cast<std::uint32_t>(sources.size());
    node = waiting[--waiting_count];
  }
  void step() {
    step([](std::uint32_t /*ready*/) {});
  }
  /// The same, and calls `on_ready` with each node that becomes ready.
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

/// Computes `sequence` for the edges and sources of an order. Keeps its working memory between
/// calls.
/// Threading: not shared. Lifetime: borrows the topology.
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
