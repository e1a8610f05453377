#include "runtime/topology/topology_compiler.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "base/result.h"
#include "runtime/topology/node.h"
#include "runtime/topology/topology.h"

namespace millrace::runtime {
namespace {

// A cost above an hour is a mistake of units, and the sum of such costs over a path could overflow
// 64 bits (I3).
constexpr base::Duration kCostMax = std::chrono::hours(1);
constexpr base::Duration kTimeoutMax = std::chrono::hours(24);

std::string quoted(std::string_view id) {
  std::string text = "'";
  text += id;
  text += '\'';
  return text;
}

}  // namespace

TopologyCompiler::TopologyCompiler(std::vector<NodeSpec> specs)
    : topology_(new Topology()), consumers_(specs.size()) {
  topology_->specs_ = std::move(specs);
  topology_->producers_.resize(topology_->specs_.size());
  topology_->fallback_of_.assign(topology_->specs_.size(), kNoNode);
  topology_->stands_in_for_.resize(topology_->specs_.size());
  index_ids();
  link_declared_edges();
}

void TopologyCompiler::report(std::string_view id, std::string problem) {
  problems_.push_back(id.empty() ? std::move(problem)
                                 : "node " + quoted(id) + ": " + std::move(problem));
}

void TopologyCompiler::index_ids() {
  if (topology_->specs_.empty()) report({}, "the flow has no nodes; declare at least one");
  for (std::uint32_t node = 0; node < topology_->node_count(); ++node) {
    const NodeSpec& spec = topology_->specs_[node];
    if (spec.id.empty()) report({}, "node " + std::to_string(node) + " has an empty id");
    if (!index_by_id_.emplace(spec.id, node).second) {
      report(spec.id, "the id is declared twice; ids are unique within a flow");
    }
    check_node(node);
  }
}

void TopologyCompiler::check_node(std::uint32_t node) {
  NodeSpec& spec = topology_->specs_[node];
  if (spec.op.empty()) {
    spec.op = spec.kind == NodeKind::kAsync   ? "async"
              : spec.kind == NodeKind::kCheap ? "cheap"
                                              : "cpu";
  }
  const bool is_async = spec.kind == NodeKind::kAsync;
  if (is_async ? spec.async_body == nullptr : spec.body == nullptr) report(spec.id, "has no body");
  if (spec.timeout && spec.timeout->count() <= 0) {
    report(spec.id, "timeout must be positive: " + std::to_string(spec.timeout->count()) + " ns");
  }
  if (spec.timeout && *spec.timeout > kTimeoutMax) report(spec.id, "timeout is longer than 24 h");
  if (spec.reserve && spec.reserve->count() < 0) report(spec.id, "reserve must not be negative");
  check_cost(spec);
  check_fallback(spec);
}

void TopologyCompiler::check_cost(const NodeSpec& spec) {
  for (const base::Duration cost : {spec.cost_estimate, spec.cost_per_row}) {
    if (cost.count() < 0) {
      report(spec.id,
             "declared cost must not be negative: " + std::to_string(cost.count()) + " ns");
    }
    if (cost > kCostMax) {
      report(spec.id,
             "declared cost is larger than one hour: " + std::to_string(cost.count()) + " ns");
    }
  }
}

void TopologyCompiler::check_fallback(const NodeSpec& spec) {
  if (spec.fallback == FallbackKind::kValue && spec.fallback_body == nullptr) {
    report(spec.id, "a value fallback needs a body that supplies it");
  }
}

void TopologyCompiler::link_declared_edges() {
  for (std::uint32_t node = 0; node < topology_->node_count(); ++node) {
    const std::vector<std::string> after = topology_->specs_[node].after;
    for (const std::string& producer : after) add_edge(producer, topology_->specs_[node].id);
  }
}

void TopologyCompiler::add_edge(std::string_view producer, std::string_view consumer) {
  const auto from = index_by_id_.find(producer);
  const auto to = index_by_id_.find(consumer);
  if (from == index_by_id_.end()) {
    return report(consumer, "waits for an unknown node: " + quoted(producer));
  }
  if (to == index_by_id_.end()) {
    return report(
        {}, "an edge from " + quoted(producer) + " leads to an unknown node: " + quoted(consumer));
  }
  if (from->second == to->second) return report(producer, "depends on itself");
  consumers_[from->second].push_back(to->second);
  topology_->producers_[to->second].push_back(from->second);
}

void TopologyCompiler::resolve_fallbacks() {
  for (std::uint32_t node = 0; node < topology_->node_count(); ++node) {
    const NodeSpec& spec = topology_->specs_[node];
    if (spec.fallback != FallbackKind::kNode) continue;
    const auto target = index_by_id_.find(spec.fallback_node);
    if (target == index_by_id_.end()) {
      report(spec.id, "falls back to an unknown node: " + quoted(spec.fallback_node));
    } else if (target->second == node) {
      report(spec.id, "falls back to itself");
    } else {
      topology_->fallback_of_[node] = target->second;
      topology_->stands_in_for_[target->second].push_back(node);
    }
  }
}

base::Result<std::shared_ptr<const Topology>> TopologyCompiler::finish() {
  const auto remove_duplicates = [](std::vector<std::uint32_t>& nodes) {
    std::sort(nodes.begin(), nodes.end());
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  };
  for (auto& nodes : consumers_) remove_duplicates(nodes);
  for (auto& nodes : topology_->producers_) remove_duplicates(nodes);
  resolve_fallbacks();
  check_cycles();
  if (!problems_.empty()) {
    std::string message = "The flow is not valid: ";
    for (std::size_t index = 0; index < problems_.size(); ++index) {
      if (index > 0) message += "; ";
      message += problems_[index];
    }
    return base::fail(base::ErrorCode::kInvalidPlan, std::move(message));
  }
  mark_lazy_nodes();
  lay_out();
  return std::shared_ptr<const Topology>(std::move(topology_));
}

void TopologyCompiler::check_cycles() {
  // Kahn's algorithm. A fallback counts as an edge here, because a node may not need the node that
  // it replaces.
  const std::uint32_t node_count = topology_->node_count();
  std::vector<std::uint32_t> open_producers(node_count);
  for (std::uint32_t node = 0; node < node_count; ++node) {
    open_producers[node] = static_cast<std::uint32_t>(topology_->producers_[node].size());
    if (topology_->fallback_of_[node] != kNoNode) ++open_producers[node];
  }
  std::vector<std::uint32_t>& order = topology_->order_;
  const auto release = [&](std::uint32_t node) {
    if (--open_producers[node] == 0) order.push_back(node);
  };
  for (std::uint32_t node = 0; node < node_count; ++node) {
    if (open_producers[node] == 0) order.push_back(node);
  }
  for (std::size_t next = 0; next < order.size(); ++next) {
    const std::uint32_t done = order[next];
    for (const std::uint32_t consumer : consumers_[done]) release(consumer);
    for (const std::uint32_t user : topology_->stands_in_for_[done]) release(user);
  }
  if (order.size() < node_count) report({}, describe_cycle(open_producers));
}

std::string TopologyCompiler::describe_cycle(
    const std::vector<std::uint32_t>& open_producers) const {
  // Every node that is still open has an open predecessor, so walking back must reach a node twice.
  const auto open_predecessor = [&](std::uint32_t node) {
    for (const std::uint32_t producer : topology_->producers_[node]) {
      if (open_producers[producer] != 0) return producer;
    }
    return topology_->fallback_of_[node];
  };
  std::uint32_t node = 0;
  while (open_producers[node] == 0) ++node;
  std::vector<std::uint32_t> path;
  while (std::find(path.begin(), path.end(), node) == path.end()) {
    path.push_back(node);
    node = open_predecessor(node);
  }
  std::string text = "the flow has a cycle: " + quoted(topology_->id(node));
  for (auto step = path.rbegin(); step != path.rend(); ++step) {
    text += " -> " + quoted(topology_->id(*step));
    if (*step == node) break;
  }
  return text;
}

void TopologyCompiler::mark_lazy_nodes() {
  // A node is wanted if a node without dependents needs it, unless that one exists only as a
  // fallback.
  const std::uint32_t node_count = topology_->node_count();
  std::vector<std::uint8_t> wanted(node_count);
  std::vector<std::uint32_t> open;
  for (std::uint32_t node = 0; node < node_count; ++node) {
    if (!consumers_[node].empty() || !topology_->stands_in_for_[node].empty()) continue;
    wanted[node] = 1;
    open.push_back(node);
  }
  while (!open.empty()) {
    const std::uint32_t node = open.back();
    open.pop_back();
    for (const std::uint32_t producer : topology_->producers_[node]) {
      if (std::exchange(wanted[producer], std::uint8_t{1}) == 0) open.push_back(producer);
    }
  }
  topology_->lazy_.resize(node_count);
  for (std::uint32_t node = 0; node < node_count; ++node)
    topology_->lazy_[node] = wanted[node] ^ 1U;
}

bool TopologyCompiler::routes_apart(std::uint32_t node) const {
  if (!topology_->stands_in_for_[node].empty()) return true;
  return std::ranges::any_of(consumers_[node], [this](std::uint32_t consumer) {
    const NodeSpec& spec = topology_->specs_[consumer];
    return spec.kind == NodeKind::kAsync || spec.inline_hint == InlineHint::kNever;
  });
}

void TopologyCompiler::lay_out() {
  Topology& out = *topology_;
  const std::uint32_t node_count = out.node_count();
  out.counter_of_.assign(node_count, kNoCounter);
  for (std::uint32_t node = 0; node < node_count; ++node) {
    const auto in_degree = static_cast<std::uint32_t>(out.producers_[node].size());
    out.in_degree_.push_back(in_degree);
    // A lazy node waits for one more token: its activation.
    const std::uint32_t tokens = in_degree + (out.is_lazy(node) ? 1 : 0);
    if (tokens == 0) out.sources_.push_back(node);
    if (tokens < 2) continue;
    out.counter_of_[node] = static_cast<std::uint32_t>(out.counters_.size());
    out.counters_.push_back(tokens);
  }
  for (std::uint32_t node = 0; node < node_count; ++node) {
    const NodeSpec& spec = out.specs_[node];
    const auto begin = static_cast<std::uint32_t>(out.edges_.size());
    for (const std::uint32_t consumer : consumers_[node]) {
      out.edges_.push_back({consumer, out.counter_of_[consumer]});
    }
    const auto end = static_cast<std::uint32_t>(out.edges_.size());
    const Edge single = end - begin == 1 ? out.edges_[begin] : Edge{kNoNode, kNoCounter};
    std::uint32_t needs = 0;
    if (spec.timeout) needs |= HotNode::kTimed;
    if (spec.fallback != FallbackKind::kNone) needs |= HotNode::kStepsApart;
    if (needs != 0) out.timed_nodes_.push_back(node);
    const base::Duration timeout = spec.timeout.value_or(base::Duration::zero());
    out.timeouts_.push_back(timeout);
    if (spec.timeout)
      out.traits_.shortest_timeout = std::min(out.traits_.shortest_timeout, timeout);
    if (routes_apart(node)) needs |= HotNode::kRoutesApart;
    if (begin == end && !out.is_lazy(node)) needs |= HotNode::kOutput;
    const std::uint32_t direct = single.counter == kNoCounter ? single.target : kNoNode;
    out.nodes_.push_back(
        {spec.body, spec.commit, spec.closure.get(), begin, end, single, needs, direct});
    out.traits_.has_async |= spec.kind == NodeKind::kAsync;
    out.traits_.has_timeout |= spec.timeout.has_value();
    out.traits_.has_fallback |= spec.fallback != FallbackKind::kNone;
    out.traits_.has_inline_hint |= spec.inline_hint != InlineHint::kUnset;
    out.traits_.has_row_cost |= spec.cost_per_row.count() > 0;
  }
  out.traits_.starts_async = std::ranges::all_of(
      out.sources_, [&](auto node) { return out.specs_[node].kind == NodeKind::kAsync; });
}

}  // namespace millrace::runtime
