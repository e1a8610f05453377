#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <semaphore>
#include <vector>

#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include "scheduler/engine.h"
#include "scheduler/shape.h"
#include "scheduler/tbb_arena.h"
#include "scheduler/workload.h"

// oneTBB task_group with one atomic counter per node, written the way that was fastest when
// measured:
// - A task that finishes a node continues with one ready dependent in a loop and spawns the others.
//   This bypass is faster than returning a task_handle (preview API), which allocates a task per
//   node.
// - A node with one producer has no counter; the decrement that makes a node ready also resets its
//   counter, so no pass over the DAG precedes a run.
// - The first source runs in the waiting caller; the caller is inside the arena for a whole sample.
namespace millrace::bench {
namespace {

struct Node {
  std::function<void()> body;
  std::vector<Node*> dependents;
  // Producers that have not ended. Publishes their writes to the thread whose decrement reaches
  // zero.
  std::atomic<std::uint32_t> waiting = 0;
  std::uint32_t producer_count = 0;
};

struct Slot {
  explicit Slot(std::size_t node_count) : nodes(node_count) {}
  std::vector<Node> nodes;
  std::vector<Node*> sources;
};

bool take_token(Node& node) {
  if (node.producer_count == 1) return true;
  if (node.waiting.fetch_sub(1, std::memory_order_acq_rel) != 1) return false;
  // No other thread reads the counter before the next run, which starts after this one has ended.
  node.waiting.store(node.producer_count, std::memory_order_relaxed);
  return true;
}

class GroupDag final : public PreparedDag {
 public:
  GroupDag(TbbArena& arena, Workload& workload, bool caller_works)
      : arena_(arena), caller_works_(caller_works) {
    for (std::size_t slot = 0; slot < workload.slot_count(); ++slot) {
      slots_.push_back(build(workload, slot));
    }
  }

  // The group's destructor throws if work is left over; here that ends the benchmark.
  ~GroupDag() noexcept override = default;

  void run(const Repeat& repeat) override {
    if (!caller_works_) {
      return arena_.use([&](tbb::task_arena& arena) {
        repeat_runs(repeat, [&] { wait_for(arena, [this] { run_once(*slots_.front()); }); });
      });
    }
    arena_.execute([&] { repeat_runs(repeat, [&] { run_once(*slots_.front()); }); });
  }

  void run_in_flight(std::uint64_t dag_count) override {
    const auto run_all = [this, dag_count] {
      const std::uint64_t first = std::min<std::uint64_t>(slots_.size(), dag_count);
      to_submit_.store(static_cast<std::int64_t>(dag_count - first), std::memory_order_relaxed);
      for (std::uint64_t slot = 0; slot < first; ++slot) submit(*slots_[slot]);
      group_.wait();
    };
    if (caller_works_) return arena_.execute(run_all);
    arena_.use([&](tbb::task_arena& arena) { wait_for(arena, run_all); });
  }

 private:
  std::unique_ptr<Slot> build(Workload& workload, std::size_t slot_index) {
    const Shape& shape = workload.shape();
    auto slot = std::make_unique<Slot>(shape.node_count());
    const bool in_flight = workload.slot_count() > 1;
    for (NodeIndex index = 0; index < shape.node_count(); ++index) {
      Node& node = slot->nodes[index];
      const bool ends_dag = in_flight && shape.dependents[index].empty();
      workload.visit_body(slot_index, index, [&](auto body) {
        node.body = ends_dag ? make_last_body(*slot, body) : std::function<void()>(body);
      });
      node.producer_count = static_cast<std::uint32_t>(shape.producers[index].size());
      node.waiting.store(node.producer_count, std::memory_order_relaxed);
      for (const NodeIndex dependent : shape.dependents[index]) {
        node.dependents.push_back(&slot->nodes[dependent]);
      }
    }
    for (const NodeIndex source : sources(shape)) slot->sources.push_back(&slot->nodes[source]);
    return slot;
  }

  // When the only sink ends, the DAG ends; the thread that ran it submits the slot's next one.
  template <class Body>
  std::function<void()> make_last_body(Slot& slot, Body body) {
    return [this, &slot, body] {
      body();
      if (to_submit_.fetch_sub(1, std::memory_order_relaxed) > 0) submit(slot);
    };
  }

  /// Hands `work` to the arena's threads and sleeps until it is done, as `run().wait()` does in
  /// libraries whose callers do not help.
  template <class Work>
  void wait_for(tbb::task_arena& arena, Work work) {
    arena.enqueue([this, work] {
      work();
      done_.release();
    });
    done_.acquire();
  }

  void run_once(Slot& slot) {
    group_.run_and_wait([&] {
      for (auto source = slot.sources.begin() + 1; source != slot.sources.end(); ++source) {
        spawn(**source);
      }
      run_strand(*slot.sources.front());
    });
  }

  void spawn(Node& node) {
    group_.run([this, &node] { run_strand(node); });
  }

  void run_strand(Node& first) {
    for (Node* node = &first; node != nullptr; node = run_node(*node)) {
    }
  }

  // Gives the dependent to run next, if one became ready.
  Node* run_node(Node& node) {
    node.body();
    Node* next = nullptr;
    for (Node* dependent : node.dependents) {
      if (!take_token(*dependent)) continue;
      if (next != nullptr) spawn(*next);
      next = dependent;
    }
    return next;
  }

  void submit(Slot& slot) { spawn(*slot.sources.front()); }

  TbbArena& arena_;
  const bool caller_works_;
  std::binary_semaphore done_{0};
  std::vector<std::unique_ptr<Slot>> slots_;
  tbb::task_group group_;
  // DAGs not yet submitted; a count that publishes nothing.
  std::atomic<std::int64_t> to_submit_ = 0;
};

class GroupEngine final : public Engine {
 public:
  GroupEngine(unsigned workers, bool caller_works)
      : caller_works_(caller_works), arena_(workers, caller_works) {}

  std::unique_ptr<PreparedDag> prepare(Workload& workload) override {
    return std::make_unique<GroupDag>(arena_, workload, caller_works_);
  }
  [[nodiscard]] bool caller_works() const override { return caller_works_; }

 private:
  const bool caller_works_;
  TbbArena arena_;
};

}  // namespace

std::unique_ptr<Engine> make_tbb_group_engine(unsigned workers) {
  return std::make_unique<GroupEngine>(workers, true);
}
std::unique_ptr<Engine> make_tbb_wait_engine(unsigned workers) {
  return std::make_unique<GroupEngine>(workers, false);
}

}  // namespace millrace::bench
