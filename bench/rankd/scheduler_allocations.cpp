#include <memory>
#include <semaphore>
#include <string>

#include "bench/rankd/measurements.h"
#include "loop/event_loop.h"
#include "loop/task.h"
#include "runtime/node_call.h"
#include "runtime/run_pool.h"
#include "runtime/topology/cost_model.h"
#include "runtime/topology/topology_builder.h"
#include "runtime/worker_pool.h"
#include "support/allocation_count.h"

namespace millrace::bench {
namespace {

bool do_nothing(const void*, runtime::NodeCall&) { return true; }
loop::Task<base::Status> do_nothing_async(const void*, runtime::NodeCall) {
  co_return base::Status();
}

base::Result<std::shared_ptr<const runtime::Topology>> make_shape() {
  struct Node {
    const char* id;
    bool is_async;
    std::vector<std::string> after;
  };
  const Node nodes[] = {{"v", true, {}},
                        {"f", true, {"v"}},
                        {"fm", true, {"f"}},
                        {"fs", false, {"fm"}},
                        {"r", true, {"v"}},
                        {"rm", true, {"r"}},
                        {"rs", false, {"rm"}},
                        {"c", false, {"fs", "rs"}},
                        {"take", false, {"c"}}};
  runtime::TopologyBuilder builder;
  for (const Node& node : nodes) {
    runtime::NodeSpec spec;
    spec.id = node.id;
    spec.op = "nothing";
    spec.kind = node.is_async ? runtime::NodeKind::kAsync : runtime::NodeKind::kCpu;
    if (node.is_async) {
      spec.async_body = &do_nothing_async;
    } else {
      spec.body = &do_nothing;
    }
    spec.after = node.after;
    builder.add(std::move(spec));
  }
  return builder.build();
}

}  // namespace

base::Status count_scheduler_allocations(const Effort& effort, std::vector<Figure>& figures) {
  if (!allocation_count()) return {};
  MR_TRY(const auto topology, make_shape());
  MR_TRY(const auto loop, loop::EventLoop::create());
  MR_TRY(const auto workers, runtime::WorkerPool::create({.callers_help = false}));
  runtime::CostModel costs(*topology, {});
  std::uint64_t allocated = 0;
  {
    runtime::RunPool runs(*topology, costs);
    const auto context = std::make_shared<int>(0);
    std::binary_semaphore answered{0};
    const runtime::RunObserver observer{
        .on_answer = [](runtime::Run&,
                        void* data) { static_cast<std::binary_semaphore*>(data)->release(); },
        .data = &answered};
    const auto run_all = [&]() -> base::Status {
      for (std::int64_t index = 0; index < effort.requests / 4; ++index) {
        MR_TRY(const runtime::RunHandle handle,
               runs.submit(*workers, context, {.loop = loop.get()}, observer));
        answered.acquire();
      }
      return {};
    };
    // It is random which worker gets a node, so run several times until all workers are warm.
    for (int round = 0; round < 3; ++round) MR_TRY_STATUS(run_all());
    const std::uint64_t before = *allocation_count();
    MR_TRY_STATUS(run_all());
    allocated = *allocation_count() - before;
  }
  loop->stop();
  figures.push_back({"scheduler alone: heap allocations",
                     static_cast<double>(allocated) / static_cast<double>(effort.requests / 4),
                     "per request",
                     0.001});
  return {};
}

}  // namespace millrace::bench
