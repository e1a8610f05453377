#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/clock.h"
#include "loop/fake_loop.h"
#include "runtime/node_call.h"
#include "runtime/pool_settings.h"
#include "runtime/run.h"
#include "runtime/run_pool.h"
#include "runtime/topology/cost_model.h"
#include "runtime/topology/node.h"
#include "runtime/topology/topology.h"
#include "runtime/topology/topology_builder.h"
#include "runtime/worker.h"
#include "runtime/worker_pool.h"

// For tests only: a scheduler that moves only when the test tells it to. Workers are driven by
// hand, time is virtual, and every body notes that it ran.

namespace millrace::runtime {

/// Notes what ran, in order.
struct Notes {
  std::vector<std::string> order;
  [[nodiscard]] std::string text() const {
    std::string joined;
    for (const std::string& id : order) joined += (joined.empty() ? "" : " ") + id;
    return joined;
  }
};

/// A node whose body notes its id; `extra` may change the spec.
inline NodeSpec noting_node(std::string id, std::vector<std::string> after = {}) {
  NodeSpec spec;
  spec.id = std::move(id);
  spec.after = std::move(after);
  spec.body = [](const void*, NodeCall& call) {
    static_cast<Notes*>(call.context())->order.emplace_back(call.node_id());
    return true;
  };
  return spec;
}

/// A topology with its cost model and runs.
class TestDag {
 public:
  explicit TestDag(std::vector<NodeSpec> specs, const CostSettings& settings = {}) {
    TopologyBuilder builder;
    for (NodeSpec& spec : specs) builder.add(std::move(spec));
    auto built = builder.build();
    MR_CHECK(built.has_value(), built ? "" : built.error().to_string());
    topology_ = *std::move(built);
    costs_ = std::make_unique<CostModel>(*topology_, settings);
    runs_ = std::make_unique<RunPool>(*topology_, *costs_);
  }
  [[nodiscard]] const Topology& topology() const { return *topology_; }
  [[nodiscard]] CostModel& costs() { return *costs_; }
  [[nodiscard]] RunPool& runs() { return *runs_; }
  [[nodiscard]] std::uint32_t node(std::string_view id) const { return topology_->find_node(id); }
  /// Records samples until every node's measured cost is known.
  void teach(base::Duration cost) {
    for (std::uint32_t node = 0; node < topology_->node_count(); ++node) teach(node, cost);
    costs_->refresh();
  }
  void teach(std::uint32_t node, base::Duration cost) {
    for (std::uint32_t sample = 0; sample < costs_->settings().samples_min; ++sample)
      costs_->record(node, cost, 1);
  }

 private:
  std::shared_ptr<const Topology> topology_;
  std::unique_ptr<CostModel> costs_;
  std::unique_ptr<RunPool> runs_;
};

/// A pool whose workers move only when told to, and a loop in the same virtual time.
class TestScheduler {
 public:
  explicit TestScheduler(ExecutorConfig config) : loop(clock) {
    config.callers_help = false;
    auto made = WorkerPool::create_undriven(config, clock);
    MR_CHECK(made.has_value());
    pool = *std::move(made);
  }
  [[nodiscard]] Worker& worker(std::uint32_t index) { return *pool->worker_at(index); }
  /// Runs one node on one worker. Returns false if that worker has nothing to do.
  bool step(std::uint32_t index) {
    const DriverScope scope(worker(index));
    if (!worker(index).start()) return false;
    worker(index).finish();
    return true;
  }
  /// Lets all workers and the loop run until nothing is left to do at this time.
  void settle() {
    for (bool moved = true; moved;) {
      moved = loop.run_ready() > 0;
      for (std::uint32_t index = 0; index < pool->thread_count(); ++index) moved |= step(index);
    }
  }
  /// Starts a run over `notes`; settle() executes it.
  RunHandle submit(TestDag& dag, const std::shared_ptr<Notes>& notes, RunOptions options = {}) {
    options.loop = &loop;
    return submit_without_loop(dag, notes, options);
  }
  /// The same for a run without a loop: only its own strands can answer it.
  RunHandle submit_without_loop(TestDag& dag,
                                const std::shared_ptr<Notes>& notes,
                                const RunOptions& options) {
    auto handle = dag.runs().submit(*pool, notes, options, {});
    MR_CHECK(handle.has_value(), handle ? "" : handle.error().to_string());
    return *std::move(handle);
  }

  base::ManualClock clock;
  loop::FakeLoop loop;
  std::unique_ptr<WorkerPool> pool;
};

}  // namespace millrace::runtime
