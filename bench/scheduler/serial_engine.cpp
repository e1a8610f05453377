#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "scheduler/engine.h"
#include "scheduler/shape.h"
#include "scheduler/workload.h"

// The lower bound: no scheduler at all. A topological order is computed once; a run is one loop
// with one indirect call per node through std::function, the callable that a user of such a loop
// would hold. Every engine pays for that call, so the ratio of an engine to this one is the cost of
// scheduling alone.
namespace millrace::bench {
namespace {

using Calls = std::vector<std::function<void()>>;

class SerialDag final : public PreparedDag {
 public:
  explicit SerialDag(Workload& workload) {
    const std::vector<NodeIndex> order = topological_order(workload.shape());
    for (std::size_t slot = 0; slot < workload.slot_count(); ++slot) {
      Calls& calls = slots_.emplace_back();
      for (const NodeIndex node : order) {
        workload.visit_body(slot, node, [&](auto body) { calls.emplace_back(body); });
      }
    }
  }

  void run(const Repeat& repeat) override {
    repeat_runs(repeat, [&] { run_once(slots_.front()); });
  }

  void run_in_flight(std::uint64_t dag_count) override {
    for (std::uint64_t dag = 0; dag < dag_count; ++dag) {
      run_once(slots_[dag % slots_.size()]);
    }
  }

 private:
  static void run_once(const Calls& calls) {
    for (const std::function<void()>& call : calls) call();
  }

  std::vector<Calls> slots_;
};

class SerialEngine final : public Engine {
 public:
  std::unique_ptr<PreparedDag> prepare(Workload& workload) override {
    return std::make_unique<SerialDag>(workload);
  }
};

}  // namespace

std::unique_ptr<Engine> make_serial_engine(unsigned) { return std::make_unique<SerialEngine>(); }

}  // namespace millrace::bench
