#pragma once

#include <vector>

#include "base/result.h"
#include "support/figures.h"

// The measurements of `./dev bench nats`. With `smoke` they run with tiny sizes, check the answers,
// and their figures mean nothing.

namespace millrace::bench {

struct NatsReport {
  BenchOptions options;
  std::vector<Figure> figures = {};
};

/// A trivial plan beside an echo.
[[nodiscard]] base::Status measure_requests(NatsReport& report);
/// Two processes, equal ones and one that is ten times slower.
[[nodiscard]] base::Status measure_shares(NatsReport& report);
/// A job beside `rankd bench` and messages that are only stored.
[[nodiscard]] base::Status measure_batch(NatsReport& report);

}  // namespace millrace::bench
