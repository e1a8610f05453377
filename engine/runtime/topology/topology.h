#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "runtime/topology/node.h"

// A DAG in the form in which it runs: flat arrays indexed by node, nothing to look up.
//
//   nodes_   one `HotNode` per node: how to call it and which slice of the edges is its own
//   edges_   for each node its distinct dependents; an edge into a node with two or more tokens to
//            wait for names that node's counter, an edge into any other names none (D8)
//   counters the start values of all counters, copied into a run in one block (K3)
//
// Edges keep declaration order here; the order by path cost belongs to `CostModel`, which knows
// costs.

namespace millrace::runtime {

inline constexpr std::uint32_t kNoCounter = UINT32_MAX;

/// A dependent as its producer sees it.
struct Edge {
  std::uint32_t target;
  std::uint32_t counter;  ///< `kNoCounter`: one token is enough
};

/// What a strand touches for every node it runs: one cache line.
struct alignas(64) HotNode {
  // In `needs`, of the node itself or of all nodes of a run:
  /// It begins and ends by the steps of run_steps.h: it has a fallback, or the run is traced, not
  /// inlined, or measured and has timeouts.
  static constexpr std::uint32_t kStepsApart = 1;
  /// A dependent is asynchronous or never inlined, or the node replaces others: what follows from
  /// it is not simply pushed.
  static constexpr std::uint32_t kRoutesApart = 2;
  /// An output of the run: nothing depends on it, and it is not lazy.
  static constexpr std::uint32_t kOutput = 4;
  /// Its cost is measured in this run.
  static constexpr std::uint32_t kMeasured = 8;
  /// A deadline wants to know since when its body runs, if that may take long (C12).
  static constexpr std::uint32_t kTimesBody = 16;
  /// Its dependents are told how many rows it made.
  static constexpr std::uint32_t kCountsRows = 32;
  /// It has a timeout.
  static constexpr std::uint32_t kTimed = 64;
  /// One of these: something is to be done before the body besides what every node needs.
  static constexpr std::uint32_t kBeginsApart = kStepsApart | kMeasured | kTimesBody | kTimed;
  /// The same after the body.
  static constexpr std::uint32_t kEndsApart =
      kStepsApart | kRoutesApart | kMeasured | kCountsRows | kTimed;

  BodyFunction body;
  BodyFunction commit;  ///< may be null
  const void* closure;
  std::uint32_t edge_begin;
  std::uint32_t edge_end;
  Edge single;  ///< the only edge of a node that has one, so that a chain reads no edges
  std::uint32_t needs;
  std::uint32_t direct;  ///< the only dependent, if it waits for this node alone; else `kNoNode`
};

/// Which of the rarer mechanisms a topology needs.
struct TopologyTraits {
  bool has_async = false;
  bool has_timeout = false;
  base::Duration shortest_timeout = base::Duration::max();
  bool has_fallback = false;
  bool has_inline_hint = false;
  bool has_row_cost = false;
  bool starts_async = false;  ///< every source is asynchronous
  /// A run needs more than tokens and node states: `RunExtras`.
  [[nodiscard]] bool needs_extras() const {
    return has_async || has_timeout || has_fallback || has_inline_hint || has_row_cost;
  }
};

/// An immutable flat dag.
/// Threading: any thread. Lifetime: outlives every run of it.
class Topology {
 public:
  [[nodiscard]] std::uint32_t node_count() const {
    return static_cast<std::uint32_t>(specs_.size());
  }
  [[nodiscard]] std::uint32_t edge_count() const {
    return static_cast<std::uint32_t>(edges_.size());
  }
  [[nodiscard]] const TopologyTraits& traits() const { return traits_; }
  [[nodiscard]] std::span<const HotNode> nodes() const { return nodes_; }
  [[nodiscard]] std::span<const Edge> edges() const { return edges_; }
  [[nodiscard]] std::span<const Edge> dependents(std::uint32_t node) const {
    return std::span(edges_).subspan(nodes_[node].edge_begin,
                                     nodes_[node].edge_end - nodes_[node].edge_begin);
  }
  /// Start values of the counters: one per node that waits for two or more tokens.
  [[nodiscard]] std::span<const std::uint32_t> counter_template() const { return counters_; }
  /// Nodes without producers that start at submit, in declaration order.
  [[nodiscard]] std::span<const std::uint32_t> sources() const { return sources_; }
  /// Every node after all its producers.
  [[nodiscard]] std::span<const std::uint32_t> topological_order() const { return order_; }
  [[nodiscard]] std::uint32_t in_degree(std::uint32_t node) const { return in_degree_[node]; }
  /// The only dependent of `node`, or `kNoNode`.
  [[nodiscard]] std::uint32_t single_continuation(std::uint32_t node) const;
  [[nodiscard]] const NodeSpec& spec(std::uint32_t node) const { return specs_[node]; }
  [[nodiscard]] std::string_view id(std::uint32_t node) const { return specs_[node].id; }
  /// Says whether `consumer` waits for `producer`.
  [[nodiscard]] bool has_edge(std::uint32_t producer, std::uint32_t consumer) const;
  /// Gives the node with that id, or `kNoNode`.
  [[nodiscard]] std::uint32_t find_node(std::string_view id) const;

  /// Nodes with a clock of their own: a timeout, or a fallback in whose favour they give up (C8).
  [[nodiscard]] std::span<const std::uint32_t> timed_nodes() const { return timed_nodes_; }
  /// The timeout of `node`, or 0.
  [[nodiscard]] base::Duration timeout(std::uint32_t node) const { return timeouts_[node]; }
  /// Nodes that run only when a fallback needs them (K5).
  [[nodiscard]] bool is_lazy(std::uint32_t node) const { return lazy_[node] != 0; }
  /// The node that takes the place of `node`, or `kNoNode`.
  [[nodiscard]] std::uint32_t fallback_of(std::uint32_t node) const { return fallback_of_[node]; }
  /// The nodes that `node` stands in for.
  [[nodiscard]] std::span<const std::uint32_t> stands_in_for(std::uint32_t node) const;
  /// The lazy nodes that must be given their activation token before `node` can run, itself
  /// included.
  [[nodiscard]] std::vector<std::uint32_t> lazy_closure(std::uint32_t node) const;
  /// The counter of a node that has one, or `kNoCounter`.
  [[nodiscard]] std::uint32_t counter_of(std::uint32_t node) const { return counter_of_[node]; }

 private:
  friend class TopologyCompiler;
  Topology() = default;

  std::vector<NodeSpec> specs_;
  std::vector<HotNode> nodes_;
  std::vector<Edge> edges_;
  std::vector<std::uint32_t> counters_;
  std::vector<std::uint32_t> counter_of_;
  std::vector<std::uint32_t> in_degree_;
  std::vector<std::uint32_t> sources_;
  std::vector<std::uint32_t> order_;
  std::vector<std::uint32_t> timed_nodes_;
  std::vector<base::Duration> timeouts_;
  std::vector<std::uint8_t> lazy_;
  std::vector<std::uint32_t> fallback_of_;
  std::vector<std::vector<std::uint32_t>> stands_in_for_;
  std::vector<std::vector<std::uint32_t>> producers_;
  TopologyTraits traits_;
};

}  // namespace millrace::runtime
