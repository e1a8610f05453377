#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/clock.h"
#include "base/wall_clock.h"
#include "loop/loop.h"
#include "rows/stop_check.h"
#include "runtime/admission.h"
#include "runtime/worker_pool.h"
#include "tasks/endpoint_client.h"
#include "tasks/pinned_state.h"
#include "tasks/scratch_pool.h"

namespace millrace::rank {

class RunTracer;

/// What requests run on: one loop with its clients, and the workers that all loops share.
/// Threading: filled before the first request, then constant. Lifetime: outlives every request.
struct LoopServices {
  loop::Loop* loop = nullptr;
  runtime::WorkerPool* workers = nullptr;
  /// Clients of this loop, by `plan::EndpointId`; nullptr where there is none.
  std::span<tasks::EndpointClient* const> clients{};
  /// For bodies that run on the loop.
  tasks::TaskScratch* loop_scratch = nullptr;
  /// For bodies that run on workers.
  tasks::ScratchPool* scratches = nullptr;
  const base::WallClock* wall_clock = nullptr;
  /// Traces runs that ask for it; nullptr: none can.
  RunTracer* tracer = nullptr;
  /// Decides whether a request may start; nullptr: every one may.
  runtime::Admission* admission = nullptr;
  /// What each request may make.
  rows::RowLimits row_limits = {};
  /// The index of this loop, from 0, and the number of loops in the process. `engine_request_id` is
  /// made from both, so that it differs between loops.
  std::uint64_t loop_index = 0;
  std::uint64_t loop_count = 1;
  /// What every `engine_request_id` begins with. A process whose ids must differ from those of its
  /// last life has another text each time.
  std::string_view id_prefix = "e";
  /// Counts the ids that were given on this loop; nullptr: each ranker counts for itself. Rankers
  /// that follow each other on a loop share it. Publishes nothing.
  std::atomic<std::uint64_t>* named_count = nullptr;
  /// Gives the state tables that plans with a graph endpoint read; nullptr: there are none.
  const tasks::PinSource* pins = nullptr;
};

}  // namespace millrace::rank
