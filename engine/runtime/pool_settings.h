#pragma once

#include <chrono>
#include <cstdint>

#include "base/clock.h"
#include "base/random.h"
#include "base/result.h"
#include "runtime/topology/cost_model.h"

namespace millrace::trace {
class TraceCollector;
}  // namespace millrace::trace

namespace millrace::runtime {

/// Settings of a worker pool. Names follow the configuration of a plan executor; every one works.
struct ExecutorConfig {
  std::uint32_t compute_threads = 0;  ///< workers, a helping caller included; 0 = all cores
  bool callers_help = true;  ///< false: `compute_threads` threads are started and callers only wait
  bool enable_inline_execution = true;
  bool enable_continuation_chaining = true;
  std::uint32_t max_inline_depth = 16;  ///< nodes a strand runs before it lets others in (D4)
  base::Duration loop_inline_budget = std::chrono::microseconds(50);
  CostSettings costs = {};  ///< `inline_threshold` is the document's inline_threshold_ns

  base::Duration spin_time = std::chrono::microseconds(50);     ///< idle time before a worker parks
  base::Duration wake_price = std::chrono::microseconds(50);    ///< what waking a parked peer costs
  base::Duration bundle_price = std::chrono::microseconds(10);  ///< a private backlog worth sharing
  base::Duration watch_period = std::chrono::milliseconds(1);   ///< how often an idle worker looks
  std::uint32_t starvation_guard_every = 64;  ///< dispatches between two turns of the lowest class
  std::uint64_t seed = 1;                     ///< for the choice of victims
  /// Gets what traced runs record: one buffer per worker and per loop. Outlives the pool; null:
  /// none.
  trace::TraceCollector* trace = nullptr;
};

[[nodiscard]] base::Status validate(const ExecutorConfig& config);

}  // namespace millrace::runtime
