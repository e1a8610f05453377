#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "scheduler/engine.h"
#include "scheduler/placement.h"
#include "scheduler/result.h"
#include "scheduler/suite.h"

namespace millrace::bench {

/// How long and how often to measure.
struct Effort {
  unsigned repetitions = 7;
  /// Length that a throughput sample is sized for; a sample is one run at least.
  base::Duration sample_time = std::chrono::milliseconds(3);
  /// Least time that an engine runs a case before the first sample, so that it has learnt costs and
  /// filled its pools and caches.
  base::Duration warm_up_time = std::chrono::milliseconds(20);
  /// Least number of runs before it, whatever they take: costs are learnt from runs.
  std::uint64_t warm_up_runs = 8;
  /// Pause before each sample, in which the threads of the previous engine fall asleep.
  base::Duration rest = std::chrono::microseconds(500);
  /// Whether to measure latencies and waits in queues as well, which takes as long again.
  bool with_latency = true;
};

struct EngineUnderTest {
  std::string_view name;
  Engine* engine;
  unsigned workers = 1;
};

/// What all cases of a process share.
struct Bench {
  const Placement& placement;
  /// Speed of `spin`, measured at the start of the process.
  double steps_per_ns = 1;
  std::vector<EngineUnderTest> engines;
};

/// Measures one case on all engines, with one worker and with several: each repetition takes one
/// sample of every engine, starting with another engine each time, so that changes of the machine's
/// speed affect all alike.
/// Threading: the caller is the submitter.
[[nodiscard]] std::vector<Measurement> measure_case(const Case& entry,
                                                    const Bench& bench,
                                                    const Effort& effort);

}  // namespace millrace::bench
