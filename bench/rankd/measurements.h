#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "bench/rankd/bench_project.h"
#include "support/figures.h"

namespace millrace::bench {

/// How long to measure.
struct Effort {
  // Many short rounds, so that both contestants run under the same conditions.
  int rounds = 41;
  std::int64_t requests = 2'000;  ///< per round and contestant
  int processes = 11;             ///< processes started to measure the time to the first answer
  int plans = 100;                ///< plans that each of them loads
  int piped_turns = 5;            ///< of `run` and `bench`
  std::int64_t piped_requests = 100'000;  ///< that one process reads from stdin
};

/// CPU per request of the engine at concurrency 64 against `HandWritten`, in turns, and heap
/// allocations per request. Fails if the answers differ.
[[nodiscard]] base::Status measure_cpu(const DataSize& size,
                                       const Effort& effort,
                                       std::vector<Figure>& figures);

/// The time that the engine adds to the bodies on the critical path when no other request is
/// running.
[[nodiscard]] base::Status measure_overhead(const Effort& effort, std::vector<Figure>& figures);

/// Requests with and without `explain`, in turns.
[[nodiscard]] base::Status measure_explain(const Effort& effort, std::vector<Figure>& figures);

/// Heap allocations of the scheduler alone, in a DAG of the plan's shape whose nodes do nothing.
[[nodiscard]] base::Status count_scheduler_allocations(const Effort& effort,
                                                       std::vector<Figure>& figures);

/// From the start of a process that loads many plans to its first answer.
[[nodiscard]] base::Status measure_start(const Effort& effort, std::vector<Figure>& figures);

/// `rankd run` from a file against `rankd bench` with the same requests, in turns. Fails if answers
/// are missing or out of order.
[[nodiscard]] base::Status measure_pipe(const Effort& effort, std::vector<Figure>& figures);

}  // namespace millrace::bench
