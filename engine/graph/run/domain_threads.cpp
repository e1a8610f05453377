#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/format.h"
#include "graph/body/message.h"
#include "graph/compile/compiled_graph.h"
#include "graph/format/spec.h"
#include "graph/format/words.h"
#include "graph/run/domain.h"
#include "graph/run/pool_batch.h"
#include "graph/run/run_tables.h"

// The threads of a domain, and what it is doing in words.

namespace millrace::graph {

std::size_t Domain::start_threads(
    const std::function<void(std::uint32_t lane, std::uint32_t worker)>& on_thread_start) {
  std::vector<bool> needs_help(tables_.graph.lanes.size(), true);
  std::uint32_t apart_lane = kNoIndex;
  for (const CompiledComponent& component : tables_.graph.components) {
    if (component.domain != run_.index) continue;
    if (component.execution.abandon_after == Duration::zero() || run_.clock == nullptr) continue;
    needs_help[component.lane] = false;
    const bool is_on_pool = tables_.graph.lanes[component.lane].type == LaneType::kThreadPool;
    const bool is_in_loop = tables_.graph.regions[component.region].is_loop;
    if (!is_on_pool || is_in_loop) apart_lane = component.lane;
  }
  std::size_t count = 0;
  if (apart_lane != kNoIndex) {
    ++count;
    bodies_.start_apart_thread([on_thread_start, apart_lane](std::uint32_t worker) {
      on_thread_start(apart_lane, worker);
    });
  }
  for (const auto& batch : batches_) {
    const std::uint32_t lane = batch->lane();
    const LaneSpec& spec = tables_.graph.lanes[lane];
    // The domain's thread must not hang, and has a name and settings of its own.
    const bool caller_helps =
        needs_help[lane] && spec.enforce == Enforce::kOff && spec.thread_name.empty();
    count += batch->start_team({.caller_helps = caller_helps,
                                .may_abandon = !needs_help[lane],
                                .on_thread_start = [on_thread_start, lane](std::uint32_t worker) {
                                  on_thread_start(lane, worker);
                                }});
  }
  return count;
}

void Domain::stop_threads() {
  for (const auto& batch : batches_) batch->stop_team();
  bodies_.stop_apart_thread();
}

std::string Domain::describe_lane() const {
  switch (state_) {
    case DomainState::kBusy:
      return base::format("in epoch {}", run_.epoch);
    case DomainState::kBlocked:
      return base::format("waits for room on edge '{}'",
                          tables_.graph.edges[progress_.blocking_edge].id);
    case DomainState::kFailed:
      return "stopped by an error";
    case DomainState::kIdle:
      break;
  }
  const auto next = next_start(last_end_);
  if (!next) return "waits for input";
  return base::format("next epoch at {} ms",
                      std::chrono::duration<double, std::milli>(*next).count());
}

}  // namespace millrace::graph
