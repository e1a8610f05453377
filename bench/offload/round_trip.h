#pragma once

#include "base/result.h"

namespace millrace::bench {

/// Medians of the way from a loop to a worker and back, in nanoseconds.
struct RoundTrips {
  double spinning_ns = 0;  ///< one after another: the worker is spinning
  double parked_ns = 0;    ///< after a pause: the worker must be woken
};

/// Sends a task from an event loop to a pool of one worker and back, `count` times each way.
[[nodiscard]] base::Result<RoundTrips> measure_round_trips(int count);

}  // namespace millrace::bench
