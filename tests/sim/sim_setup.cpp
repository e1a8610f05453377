#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/result.h"
#include "ledger.h"
#include "loop/awaitables.h"
#include "loop/stop.h"
#include "loop/task.h"
#include "runtime/admission.h"
#include "runtime/node_call.h"
#include "runtime/pool_settings.h"
#include "runtime/topology/node.h"
#include "runtime/topology/topology_builder.h"
#include "runtime/worker_pool.h"
#include "scenario.h"
#include "sim_world.h"
#include "trace/trace_collector.h"
#include "trace/trace_record.h"

// How a world is built, and the bodies of its nodes.

namespace millrace::sim {

using runtime::FallbackKind;
using runtime::NodeCall;
using runtime::NodeKind;
using runtime::NodeSpec;

SimWorld::SimWorld(const Scenario& scenario, std::uint64_t seed)
    : scenario_(scenario), random_(seed) {
  clock_.set(base::TimePoint(std::chrono::hours(1)));
  runtime::ExecutorConfig config = scenario.config;
  std::size_t traced_nodes = 0;
  for (const RunPlan& run : scenario.runs) {
    if (run.is_traced) traced_nodes += scenario.dags[run.dag].nodes.size();
  }
  if (traced_nodes > 0) {
    trace_ = std::make_unique<trace::TraceCollector>(trace::TraceCollector::Options{
        .buffer_capacity = 5 * traced_nodes + 16 * scenario.runs.size()});
    trace_->add_sink(trace_judge_);
    config.trace = trace_.get();
  }
  build_dags();
  auto pool = runtime::WorkerPool::create_undriven(config, clock_);
  MR_CHECK(pool.has_value());
  pool_ = std::move(*pool);
  if (scenario.admission) {
    auto admission = runtime::Admission::create(*scenario.admission, *pool_);
    MR_CHECK(admission.has_value());
    admission_ = std::move(*admission);
  }
  drivers_.resize(pool_->worker_slots());
  for (std::uint32_t slot = 0; slot < drivers_.size(); ++slot)
    drivers_[slot].worker = pool_->worker_at(slot);
  admit_by_.resize(scenario.runs.size(), base::TimePoint::max());
  trace_digests_.resize(scenario.runs.size());
  for (std::uint32_t run = 0; run < scenario.runs.size(); ++run) {
    const RunPlan& plan = scenario.runs[run];
    const runtime::Topology& topology = *dags_[plan.dag]->topology;
    ledgers_.push_back(
        std::make_unique<RunLedger>(plan, scenario.dags[plan.dag], topology, judge_));
    if (!plan.follows && !plan.inside)
      events_.push_back({clock_.now() + plan.submit_after, run, false});
  }
  std::sort(events_.begin(), events_.end(), [](const Event& left, const Event& right) {
    return left.when != right.when ? left.when > right.when : left.run > right.run;
  });
}

SimWorld::~SimWorld() = default;

void SimWorld::build_dags() {
  for (const DagPlan& plan : scenario_.dags) build_dag(plan);
}

void SimWorld::build_dag(const DagPlan& plan) {
  std::vector<NodeClosure>& closures = closures_.emplace_back(plan.nodes.size());
  runtime::TopologyBuilder builder;
  const auto id = [](std::uint32_t node) { return "n" + std::to_string(node); };
  for (std::uint32_t node = 0; node < plan.nodes.size(); ++node) {
    const NodePlan& from = plan.nodes[node];
    closures[node] = {this, node};
    const std::shared_ptr<const void> closure(std::shared_ptr<void>(), &closures[node]);
    NodeSpec spec;
    spec.id = id(node);
    spec.kind = from.kind;
    spec.body = from.kind == NodeKind::kAsync ? nullptr : &run_body;
    spec.async_body = from.kind == NodeKind::kAsync ? &run_async_body : nullptr;
    spec.commit = plan.uses_commit ? &commit_body : nullptr;
    spec.closure = closure;
    for (const std::uint32_t producer : from.producers) spec.after.push_back(id(producer));
    spec.timeout = from.timeout;
    spec.priority = from.priority;
    spec.inline_hint = from.inline_hint;
    spec.cost_estimate = from.cost_estimate;
    spec.cost_per_row = from.cost_per_row;
    spec.reserve = from.reserve;
    builder.add(std::move(spec));
    if (from.fallback == FallbackKind::kValue)
      builder.set_fallback_value(&supply_fallback, closure);
    if (from.fallback == FallbackKind::kNode) builder.set_fallback_node(id(from.fallback_node));
  }
  auto topology = builder.build();
  MR_CHECK(topology.has_value(), topology.has_value() ? "" : topology.error().message());
  for (std::uint32_t node = 0; node < plan.nodes.size(); ++node) {
    const auto& producers = plan.nodes[node].producers;
    const std::set<std::uint32_t> distinct(producers.begin(), producers.end());
    judge_.expect((*topology)->is_lazy(node) || (*topology)->in_degree(node) == distinct.size(),
                  "K1",
                  "A node does not wait for its distinct producers, node",
                  node);
  }
  dags_.push_back(std::make_unique<Flow>(*std::move(topology), scenario_.config.costs));
  if (!trace_) return;
  trace::TraceTopology names{.plan = "sim"};
  for (std::uint32_t node = 0; node < plan.nodes.size(); ++node) {
    names.nodes.push_back({.id = id(node), .is_async = plan.nodes[node].kind == NodeKind::kAsync});
    for (const runtime::Edge& edge : dags_.back()->topology->dependents(node)) {
      names.edges.push_back({.producer = node, .consumer = edge.target});
    }
  }
  dags_.back()->trace_id = trace_->add_topology(std::move(names));
}

// --- Bodies

bool SimWorld::run_body(const void* closure, NodeCall& call) {
  const auto& self = *static_cast<const NodeClosure*>(closure);
  SimWorld& world = *self.world;
  RunLedger& run = *static_cast<RunLedger*>(call.context());
  run.body_started(self.node, call.stop_token().stop_requested(), world.moment());
  ++world.body_count_;
  world.log(self.node);
  call.set_row_count(run.row_count(self.node));
  if (world.loop_.is_current()) {
    const bool is_done = world.spend_on_loop(run, call);
    run.body_finished(self.node, world.moment());
    if (!is_done) {
      call.set_error(base::Error(base::ErrorCode::kCancelled, "Nobody wants the result"));
      return false;
    }
    // A loop never waits, so a body that runs on it can only submit.
    if (const auto inner = world.find_inner_run(run, self.node)) world.submit(*inner);
  } else if (world.in_whole_strand_) {
    run.body_finished(self.node, world.moment());
  } else {
    world.started_run_ = &run;
    world.started_node_ = self.node;
  }
  if (!run.fails(self.node)) return true;
  try {
    if (run.plan().salt % 2 == 0) throw std::runtime_error("sim");
    call.set_error(base::Error(base::ErrorCode::kUnavailable, "The simulated body failed"));
  } catch (...) {
    call.set_error_from_exception();
  }
  return false;
}

bool SimWorld::spend_on_loop(const RunLedger& run, NodeCall& call) {
  if (!scenario_.loop_takes_time) return true;
  const std::uint32_t node = call.node().value();
  const base::Duration cost = run.cost(node);
  if (!run.dag().nodes[node].looks_at_stop) {
    clock_.advance(cost);
    return true;
  }
  constexpr base::Duration kChunk = std::chrono::microseconds(20);
  for (base::Duration spent{}; spent < cost; spent += kChunk) {
    clock_.advance(std::min(kChunk, cost - spent));
    if (!call.is_wanted()) return false;
  }
  return true;
}

loop::Task<base::Status> SimWorld::run_async_body(const void* closure, NodeCall call) {
  const auto& self = *static_cast<const NodeClosure*>(closure);
  SimWorld& world = *self.world;
  RunLedger& run = *static_cast<RunLedger*>(call.context());
  const NodePlan& plan = run.dag().nodes[self.node];
  run.body_started(self.node, call.stop_token().stop_requested(), world.moment());
  ++world.body_count_;
  world.log(self.node);
  base::Status slept;
  if (plan.hops_to_pool) co_await loop::on(*world.pool_);
  if (plan.cost.count() > 0) {
    const loop::StopToken token = plan.honours_stop ? call.stop_token() : loop::StopToken();
    slept = co_await loop::sleep_for(world.loop_, run.cost(self.node), token);
  }
  if (const auto inner = world.find_inner_run(run, self.node)) {
    world.submit(*inner);
    base::Duration pause = std::chrono::microseconds(1);
    while (slept && !world.ledgers_[*inner]->is_answered()) {
      const loop::StopToken token = plan.honours_stop ? call.stop_token() : loop::StopToken();
      slept = co_await loop::sleep_for(world.loop_, pause, token);
      pause *= 2;
    }
  }
  if (plan.ends_on_pool) {
    co_await loop::on(*world.pool_);
  } else {
    co_await loop::on(world.loop_);
  }
  run.body_finished(self.node, world.moment());
  if (!slept) co_return slept;
  if (!run.fails(self.node)) co_return base::Status();
  if (run.plan().salt % 2 == 0) throw std::runtime_error("sim");
  co_return base::fail(base::ErrorCode::kUnavailable, "The simulated body failed");
}

bool SimWorld::commit_body(const void* closure, NodeCall& call) {
  const auto& self = *static_cast<const NodeClosure*>(closure);
  RunLedger& run = *static_cast<RunLedger*>(call.context());
  run.committed(self.node, self.world->moment());
  call.set_row_count(run.row_count(self.node));
  return true;
}

bool SimWorld::supply_fallback(const void* closure, NodeCall& call) {
  const auto& self = *static_cast<const NodeClosure*>(closure);
  static_cast<RunLedger*>(call.context())->fallback_value_supplied(self.node, self.world->moment());
  return true;
}

}  // namespace millrace::sim
