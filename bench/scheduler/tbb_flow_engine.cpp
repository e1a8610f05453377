#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <tbb/flow_graph.h>

#include "scheduler/engine.h"
#include "scheduler/shape.h"
#include "scheduler/tbb_arena.h"
#include "scheduler/workload.h"

// oneTBB flow graph as its documentation shows dependency graphs: one continue_node per node, built
// once, started by a message to each source, wait_for_all(). The lightweight policy is not used: it
// runs dependents inside the producer, which serialises fans and recurses once per chain link.
namespace millrace::bench {
namespace {

using Message = tbb::flow::continue_msg;
using FlowNode = tbb::flow::continue_node<Message>;

class FlowDag final : public PreparedDag {
 public:
  FlowDag(TbbArena& arena, Workload& workload) : arena_(arena) {
    // A flow graph runs in the arena it was constructed in.
    arena_.execute([&] {
      dag_ = std::make_unique<tbb::flow::graph>();
      for (std::size_t slot = 0; slot < workload.slot_count(); ++slot) build(workload, slot);
    });
  }

  ~FlowDag() override {
    arena_.execute([&] {
      slots_.clear();
      dag_.reset();
    });
  }

  void run(const Repeat& repeat) override {
    arena_.execute([&] { repeat_runs(repeat, [&] { run_once(*slots_.front()); }); });
  }

  void run_in_flight(std::uint64_t dag_count) override {
    arena_.execute([&] {
      const std::uint64_t first = std::min<std::uint64_t>(slots_.size(), dag_count);
      to_submit_.store(static_cast<std::int64_t>(dag_count - first), std::memory_order_relaxed);
      for (std::uint64_t slot = 0; slot < first; ++slot) submit(*slots_[slot]);
      dag_->wait_for_all();
    });
  }

 private:
  struct Slot {
    std::vector<std::unique_ptr<FlowNode>> nodes;
    std::vector<FlowNode*> sources;
  };

  void build(Workload& workload, std::size_t slot_index) {
    const Shape& shape = workload.shape();
    Slot& slot = *slots_.emplace_back(std::make_unique<Slot>());
    const bool in_flight = workload.slot_count() > 1;
    for (NodeIndex node = 0; node < shape.node_count(); ++node) {
      const bool ends_dag = in_flight && shape.dependents[node].empty();
      workload.visit_body(slot_index, node, [&](auto body) {
        slot.nodes.push_back(ends_dag ? make_last_node(slot, body) : make_node(body));
      });
    }
    for (NodeIndex node = 0; node < shape.node_count(); ++node) {
      for (const NodeIndex dependent : shape.dependents[node]) {
        tbb::flow::make_edge(*slot.nodes[node], *slot.nodes[dependent]);
      }
    }
    for (const NodeIndex source : sources(shape)) slot.sources.push_back(slot.nodes[source].get());
  }

  template <class Body>
  std::unique_ptr<FlowNode> make_node(Body body) {
    return std::make_unique<FlowNode>(*dag_, [body](const Message&) { body(); });
  }

  // When the only sink ends, the DAG ends; the thread that ran it submits the slot's next one.
  template <class Body>
  std::unique_ptr<FlowNode> make_last_node(Slot& slot, Body body) {
    return std::make_unique<FlowNode>(*dag_, [this, &slot, body](const Message&) {
      body();
      if (to_submit_.fetch_sub(1, std::memory_order_relaxed) > 0) submit(slot);
    });
  }

  static void submit(Slot& slot) {
    for (FlowNode* source : slot.sources) source->try_put(Message());
  }

  void run_once(Slot& slot) {
    submit(slot);
    dag_->wait_for_all();
  }

  TbbArena& arena_;
  std::unique_ptr<tbb::flow::graph> dag_;
  std::vector<std::unique_ptr<Slot>> slots_;
  // DAGs not yet submitted; a count that publishes nothing.
  std::atomic<std::int64_t> to_submit_ = 0;
};

class FlowEngine final : public Engine {
 public:
  explicit FlowEngine(unsigned workers) : arena_(workers) {}

  std::unique_ptr<PreparedDag> prepare(Workload& workload) override {
    return std::make_unique<FlowDag>(arena_, workload);
  }

 private:
  TbbArena arena_;
};

}  // namespace

std::unique_ptr<Engine> make_tbb_flow_engine(unsigned workers) {
  return std::make_unique<FlowEngine>(workers);
}

}  // namespace millrace::bench
