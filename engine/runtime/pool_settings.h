#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "base/clock.h"
#include "base/random.h"
#include "base/result.h"
#include "runtime/topology/cost_model.h"

namespace millrace::trace {
class TraceCollector;
}  // namespace millrace::trace

namespace millrace::runtime {

/// Settings of a worker pool. The names are those of the configuration of a plan executor.
struct ExecutorConfig {
  std::uint32_t compute_threads = 0;  ///< workers, including a helping caller; 0 = all cores
  bool callers_help = true;  ///< false: `compute_threads` threads are started and callers only wait
  bool enable_inline_execution = true;
  bool enable_continuation_chaining = true;
  /// Measured cost of what a strand runs before others that wait get a turn (D4).
  base::Duration strand_quantum = std::chrono::microseconds(100);
  /// The same as a number of nodes, besides; unset = no bound, 0 = no inlining.
  std::optional<std::uint32_t> max_inline_depth = {};
  base::Duration loop_inline_budget = std::chrono::microseconds(50);
  CostSettings costs = {};  ///< how costs are measured, and when nodes are inlined

  base::Duration spin_time = std::chrono::microseconds(50);  ///< idle time before a worker parks
  // The prices of `SharingPrices`. Unset: as measured on this machine, that of a hand-over all the
  // time; a pool without threads measures nothing and takes the usual ones.
  std::optional<base::Duration> hand_over_price = {};
  std::optional<base::Duration> wake_price = {};
  std::optional<base::Duration> bundle_price = {};
  base::Duration watch_period = std::chrono::milliseconds(1);  ///< how often an idle worker checks
  /// Puts each thread on a processor of its own: the first thread on the processor of this number
  /// among those that the process may use, the others on the following ones. Callers that help stay
  /// where they are. Unset: the kernel places the threads.
  std::optional<std::uint32_t> pin_from = {};
  std::uint32_t starvation_guard_every = 64;  ///< dispatches between two of the lowest class
  std::uint64_t seed = 1;                     ///< for the choice of workers to steal from
  /// Receives the trace events of traced runs: one buffer per worker and per loop. Must outlive the
  /// pool; null if nothing is traced.
  trace::TraceCollector* trace = nullptr;
};

[[nodiscard]] base::Status validate(const ExecutorConfig& config);

}  // namespace millrace::runtime
