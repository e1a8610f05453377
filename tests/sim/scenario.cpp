#include "scenario.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/random.h"
#include "runtime/admission.h"
#include "runtime/topology/node.h"

namespace millrace::sim {
namespace {

using base::Duration;
using runtime::FallbackKind;
using runtime::InlineHint;
using runtime::NodeKind;
using runtime::Priority;
using std::chrono::microseconds;
using std::chrono::milliseconds;

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : random_(seed) {}
  [[nodiscard]] std::uint64_t below(std::uint64_t bound) { return random_.below(bound); }
  [[nodiscard]] bool one_in(std::uint64_t count) { return below(count) == 0; }
  [[nodiscard]] bool percent(std::uint64_t share) { return below(100) < share; }
  [[nodiscard]] std::uint64_t next() { return random_.next(); }
  /// A duration from `low` to just below `high`; every order of magnitude is equally likely.
  [[nodiscard]] Duration log_uniform(Duration low, Duration high) {
    const double ratio = static_cast<double>(high.count()) / static_cast<double>(low.count());
    return Duration(static_cast<std::int64_t>(static_cast<double>(low.count()) *
                                              std::pow(ratio, random_.unit())));
  }
  template <class T>
  [[nodiscard]] T one_of(std::initializer_list<T> values) {
    return values.begin()[below(values.size())];
  }

 private:
  base::SplitMix64 random_;
};

// --- DAGs

std::uint32_t draw_size(Dice& dice, std::uint32_t nodes_max) {
  const std::uint64_t class_draw = dice.below(100);
  std::uint64_t size = 1 + dice.below(8);
  if (class_draw >= 50) size = 1 + dice.below(24);
  if (class_draw >= 85) size = 1 + dice.below(80);
  if (class_draw >= 98) size = 1 + dice.below(500);
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(size, nodes_max));
}

void link_layers(Dice& dice, DagPlan& dag, std::uint32_t width) {
  for (std::uint32_t node = width; node < dag.nodes.size(); ++node) {
    const std::uint32_t layer_begin = node / width * width - width;
    const std::uint64_t edge_count = 1 + dice.below(3);
    for (std::uint64_t edge = 0; edge < edge_count; ++edge) {
      dag.nodes[node].producers.push_back(layer_begin +
                                          static_cast<std::uint32_t>(dice.below(width)));
    }
  }
}

void link_nodes(Dice& dice, DagPlan& dag) {
  const auto count = static_cast<std::uint32_t>(dag.nodes.size());
  const std::uint64_t shape = dice.below(6);
  if (shape == 4) return link_layers(dice, dag, 1 + static_cast<std::uint32_t>(dice.below(12)));
  for (std::uint32_t node = 1; node < count; ++node) {
    auto& producers = dag.nodes[node].producers;
    switch (shape) {
      case 0:  // chain
        producers.push_back(node - 1);
        break;
      case 1:  // fan out and in
        if (node + 1 < count || count == 2) {
          producers.push_back(0);
        } else {
          for (std::uint32_t leaf = 1; leaf + 1 < count; ++leaf) producers.push_back(leaf);
        }
        break;
      case 2:  // ladder of diamonds: top, two sides, bottom = next top
        if (node % 3 == 0) {
          producers = {node - 2, node - 1};
        } else {
          producers.push_back(node / 3 * 3);
        }
        break;
      case 3:  // tree
        producers.push_back((node - 1) / 2);
        break;
      default:  // random, duplicates included (K1)
        for (std::uint64_t edge = dice.below(4); edge > 0; --edge) {
          producers.push_back(static_cast<std::uint32_t>(dice.below(node)));
        }
    }
  }
}

void draw_kind(Dice& dice, NodePlan& node, std::uint64_t async_share) {
  if (dice.percent(async_share)) {
    node.kind = NodeKind::kAsync;
    node.cost = dice.one_in(8) ? Duration{} : dice.log_uniform(microseconds(1), milliseconds(20));
    node.honours_stop = !dice.one_in(3);
    node.hops_to_pool = dice.one_in(8);
    node.ends_on_pool = dice.one_in(8);
  } else if (dice.one_in(3)) {
    node.kind = NodeKind::kCheap;
    node.cost = Duration(static_cast<std::int64_t>(dice.below(300)));
  } else {
    node.cost = dice.log_uniform(Duration(50), milliseconds(2));
  }
}

// Adds nodes that exist only as fallbacks, and nodes that only those need (K5).
void add_fallbacks(Dice& dice, DagPlan& dag) {
  const auto eager_count = static_cast<std::uint32_t>(dag.nodes.size());
  std::vector<std::pair<std::uint32_t, std::uint32_t>>
      lazy;  // node, and the eager ones it may need
  for (std::uint32_t node = 0; node < eager_count; ++node) {
    if (!dice.one_in(4)) continue;
    NodePlan& plan = dag.nodes[node];
    if (dice.one_in(3)) plan.reserve = dice.log_uniform(microseconds(1), milliseconds(5));
    if (dice.one_in(2)) {
      plan.fallback = FallbackKind::kValue;
      continue;
    }
    plan.fallback = FallbackKind::kNode;
    if (node > 0 && dice.one_in(6)) {
      plan.fallback_node = static_cast<std::uint32_t>(dice.below(node));
      continue;
    }
    // A fallback shared by several nodes must not need anything that comes after its first user.
    if (!lazy.empty() && dice.one_in(3)) {
      plan.fallback_node = lazy[dice.below(lazy.size())].first;
      continue;
    }
    const auto fallback = static_cast<std::uint32_t>(dag.nodes.size());
    plan.fallback_node = fallback;
    lazy.emplace_back(fallback, node);
    NodePlan stand_in;
    draw_kind(dice, stand_in, plan.kind == NodeKind::kAsync ? 50 : 0);
    for (std::uint64_t edge = dice.below(3); edge > 0 && node > 0; --edge) {
      stand_in.producers.push_back(static_cast<std::uint32_t>(dice.below(node)));
    }
    if (dice.one_in(3)) stand_in.producers.push_back(fallback + 1);
    const bool needs_another =
        !stand_in.producers.empty() && stand_in.producers.back() == fallback + 1;
    if (dice.one_in(4)) stand_in.fallback = FallbackKind::kValue;
    dag.nodes.push_back(std::move(stand_in));
    if (!needs_another) continue;
    NodePlan needed;
    draw_kind(dice, needed, 0);
    if (node > 0 && dice.one_in(2))
      needed.producers.push_back(static_cast<std::uint32_t>(dice.below(node)));
    dag.nodes.push_back(std::move(needed));
  }
}

DagPlan draw_dag(Dice& dice, std::uint32_t nodes_max, bool timing_free) {
  DagPlan dag;
  dag.nodes.resize(draw_size(dice, nodes_max));
  const std::uint64_t async_share = dice.one_in(2) ? 0 : dice.below(80);
  for (NodePlan& node : dag.nodes) draw_kind(dice, node, async_share);
  link_nodes(dice, dag);
  if (dice.percent(30)) add_fallbacks(dice, dag);
  const bool has_hints = dice.one_in(6);
  const bool has_classes = dice.one_in(5);
  const bool has_estimates = dice.one_in(3);
  const bool has_row_costs = dice.one_in(10);
  const bool has_timeouts = !timing_free && dice.one_in(4);
  for (NodePlan& node : dag.nodes) {
    if (has_hints && dice.one_in(4))
      node.inline_hint = dice.one_of({InlineHint::kNever, InlineHint::kAlways});
    if (has_classes && dice.one_in(3))
      node.priority = static_cast<Priority>(dice.below(runtime::kPriorityCount));
    if (has_estimates && dice.one_in(2))
      node.cost_estimate = dice.log_uniform(Duration(10), milliseconds(1));
    if (has_row_costs && dice.one_in(3))
      node.cost_per_row = dice.log_uniform(Duration(1), microseconds(1));
    if (has_timeouts && dice.one_in(3)) {
      node.timeout =
          node.cost / 2 + dice.log_uniform(Duration(10), node.cost * 3 + microseconds(1));
    }
  }
  dag.uses_commit = dag.needs_loop() || dag.has_fallback() || dice.one_in(4);
  return dag;
}

// --- Runs

void draw_failures(Dice& dice, RunPlan& run, const DagPlan& dag, bool at_most_one) {
  if (!dice.one_in(2)) return;
  const std::uint64_t count = at_most_one ? 1 : 1 + dice.below(1 + dag.nodes.size() / 3);
  for (std::uint64_t draw = 0; draw < count; ++draw) {
    run.failing.push_back(static_cast<std::uint32_t>(dice.below(dag.nodes.size())));
  }
  std::sort(run.failing.begin(), run.failing.end());
  run.failing.erase(std::unique(run.failing.begin(), run.failing.end()), run.failing.end());
}

RunPlan draw_run(Dice& dice, const Scenario& scenario, std::uint32_t index, bool traced) {
  RunPlan run;
  run.dag = static_cast<std::uint32_t>(dice.below(scenario.dags.size()));
  const DagPlan& dag = scenario.dags[run.dag];
  run.submit_after =
      dice.one_in(2) ? Duration{} : dice.log_uniform(Duration(100), milliseconds(20));
  if (index > 0 && dice.one_in(3)) run.follows = static_cast<std::uint32_t>(dice.below(index));
  run.has_loop = dag.needs_loop() || dice.one_in(3);
  run.priority = dice.one_in(2) ? Priority::kNormal
                                : static_cast<Priority>(dice.below(runtime::kPriorityCount));
  run.is_traced = traced && !dice.one_in(4);
  run.handle_end = static_cast<HandleEnd>(dice.below(3));
  run.salt = dice.next();
  if (dice.percent(35)) draw_failures(dice, run, dag, scenario.is_timing_free);
  if (scenario.is_timing_free) return run;
  if (dice.one_in(4)) {
    run.deadline_after = dice.log_uniform(microseconds(1), milliseconds(50));
    run.has_loop = true;
  }
  if (dice.one_in(6)) run.cancel_after = dice.log_uniform(Duration(10), milliseconds(20));
  return run;
}

// Makes bodies of existing runs execute runs, whose bodies may execute runs again, and so on.
void add_inner_runs(Dice& dice, Scenario& scenario, bool traced) {
  constexpr std::size_t kDepthMax = 3;
  constexpr std::size_t kInnerMax = 12;
  const std::size_t outer_count = scenario.runs.size();
  std::vector<std::size_t> depths(outer_count);
  for (std::uint32_t outer = 0; outer < scenario.runs.size(); ++outer) {
    if (depths[outer] == kDepthMax) continue;
    const std::uint64_t node_count = scenario.dags[scenario.runs[outer].dag].nodes.size();
    std::vector<std::uint64_t> nodes;
    for (std::uint64_t draw = dice.below(4); draw > 0; --draw)
      nodes.push_back(dice.below(node_count));
    std::sort(nodes.begin(), nodes.end());
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    for (const std::uint64_t node : nodes) {
      if (scenario.runs.size() == outer_count + kInnerMax) return;
      RunPlan run = draw_run(dice, scenario, 0, traced);
      run.inside = {outer, static_cast<std::uint32_t>(node)};
      scenario.runs.push_back(std::move(run));
      depths.push_back(depths[outer] + 1);
      scenario.has_inner_runs = true;
    }
  }
}

// More small runs of all classes at once than the workers can serve (P4).
void add_flood(Dice& dice, Scenario& scenario, bool traced) {
  scenario.config.starvation_guard_every = static_cast<std::uint32_t>(dice.one_of({1, 2, 4, 8}));
  const std::uint64_t urgent_share = dice.below(100);
  for (std::uint64_t run = 20 + dice.below(60); run > 0; --run) {
    RunPlan plan = draw_run(dice, scenario, 0, traced);
    if (!dice.one_in(3)) plan.submit_after = {};
    if (dice.percent(urgent_share)) plan.priority = Priority::kHigh;
    scenario.runs.push_back(std::move(plan));
  }
}

runtime::ExecutorConfig draw_config(Dice& dice) {
  runtime::ExecutorConfig config;
  const auto workers = static_cast<std::uint32_t>(1 + dice.below(dice.one_in(2) ? 2 : 8));
  config.callers_help = dice.one_in(3);
  config.compute_threads = workers + (config.callers_help ? 1 : 0);
  config.enable_inline_execution = !dice.one_in(5);
  config.enable_continuation_chaining = !dice.one_in(5);
  if (dice.one_in(2)) config.max_inline_depth = static_cast<std::uint32_t>(dice.below(5));
  config.strand_quantum =
      dice.one_of<Duration>({Duration(1), microseconds(5), microseconds(100), milliseconds(10)});
  config.loop_inline_budget =
      dice.one_of<Duration>({Duration{}, microseconds(50), milliseconds(10)});
  config.costs.inline_threshold =
      dice.one_of<Duration>({Duration{}, microseconds(10), milliseconds(1)});
  config.hand_over_price = dice.one_of<Duration>({Duration{}, Duration(400), microseconds(20)});
  config.costs.samples_min = static_cast<std::uint32_t>(1 + dice.below(3));
  config.costs.sample_every = static_cast<std::uint32_t>(1 + dice.below(8));
  config.spin_time = dice.one_of<Duration>({Duration{}, microseconds(5), microseconds(50)});
  config.wake_price = dice.one_of<Duration>({Duration{}, microseconds(50), milliseconds(1)});
  config.bundle_price = dice.one_of<Duration>({Duration{}, microseconds(1), microseconds(10)});
  config.watch_period =
      dice.one_of<Duration>({microseconds(100), milliseconds(1), milliseconds(1)});
  config.starvation_guard_every = static_cast<std::uint32_t>(dice.one_of({1, 2, 8, 64}));
  config.seed = dice.next();
  return config;
}

// How the loop behaves besides.
void draw_loop(Dice& dice, Scenario& scenario) {
  scenario.loop_works_in_turns = dice.one_in(8);
  scenario.loop_stalls = dice.one_in(8);
  if (!scenario.loop_takes_time) return;
  for (DagPlan& dag : scenario.dags) {
    for (NodePlan& node : dag.nodes) node.looks_at_stop = dag.uses_commit && dice.one_in(2);
  }
}

}  // namespace

bool DagPlan::needs_loop() const {
  return std::any_of(nodes.begin(), nodes.end(), [](const NodePlan& node) {
    return node.kind == NodeKind::kAsync || node.timeout.has_value();
  });
}

bool DagPlan::has_fallback() const {
  return std::any_of(nodes.begin(), nodes.end(), [](const NodePlan& node) {
    return node.fallback != FallbackKind::kNone;
  });
}

std::uint64_t mix(std::uint64_t left, std::uint64_t right) {
  base::SplitMix64 random(left ^ std::rotl(right, 29) * 0x9E3779B97F4A7C15U);
  return random.next();
}

bool is_slow_body(const RunPlan& run, std::uint32_t node) { return mix(run.salt, node) % 32 == 0; }

Scenario make_scenario(std::uint64_t seed, std::uint32_t nodes_max) {
  Dice dice(mix(seed, 1));
  Scenario scenario;
  scenario.config = draw_config(dice);
  scenario.is_timing_free = dice.one_in(4);
  const std::uint64_t dag_count = dice.one_in(4) ? 2 : 1;
  for (std::uint64_t dag = 0; dag < dag_count; ++dag) {
    scenario.dags.push_back(draw_dag(dice, nodes_max, scenario.is_timing_free));
  }
  const bool traced = dice.one_in(4);
  std::size_t largest = 0;
  for (const DagPlan& dag : scenario.dags) largest = std::max(largest, dag.nodes.size());
  const std::uint64_t runs_max = largest > 100 ? 2 : largest > 30 ? 4 : 8;
  const std::uint64_t run_count = dice.one_in(3) ? 1 : 1 + dice.below(runs_max);
  for (std::uint32_t run = 0; run < run_count; ++run) {
    scenario.runs.push_back(draw_run(dice, scenario, run, traced));
  }
  if (largest <= 12 && dice.one_in(16)) add_flood(dice, scenario, traced);
  if (largest <= 60 && dice.one_in(5)) add_inner_runs(dice, scenario, traced);
  scenario.loop_takes_time = !scenario.is_timing_free && dice.one_in(8);
  if (!scenario.is_timing_free && dice.one_in(4)) {
    runtime::AdmissionSettings limits;
    limits.high_water = static_cast<std::int64_t>(1 + dice.below(20));
    limits.low_water =
        1 + static_cast<std::int64_t>(dice.below(static_cast<std::uint64_t>(limits.high_water)));
    limits.inflight_max = static_cast<std::int64_t>(1 + dice.below(6));
    scenario.admission = limits;
  }
  if (!scenario.is_timing_free) draw_loop(dice, scenario);
  return scenario;
}

}  // namespace millrace::sim
