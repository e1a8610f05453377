#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"

namespace millrace::bench {

/// The result of an operation, as numbers by which all engines can be compared.
using Answer = std::vector<double>;

/// One engine's implementation of a case.
struct Contestant {
  std::string engine;
  /// Does the operation once and gives its result.
  std::function<base::Result<Answer>()> answer;
  /// Does the operation for about `milliseconds` and gives the time of one in nanoseconds.
  std::function<base::Result<double>(double milliseconds)> sample;
  /// Allocations of one warm operation; unset if they cannot be counted.
  std::function<std::size_t()> allocations = nullptr;
};

/// A case at one size, with all contestants. An engine may take part with several implementations:
/// the fastest counts.
struct Contest {
  std::string name;
  std::size_t rows = 0;
  std::vector<Contestant> contestants;
};

/// Makes a contestant from functions in this process: `run()` does the operation; `answer()` does
/// it and gives its result.
[[nodiscard]] Contestant make_local(std::string engine,
                                    std::function<void()> run,
                                    std::function<Answer()> answer);

struct Measured {
  std::string name;
  std::size_t rows = 0;
  std::string engine;
  double median_ns = 0;  ///< time of one operation
  double least_ns = 0;
  double most_ns = 0;
  double allocations = -1;  ///< of one warm operation; -1: not counted
};

struct MeasureOptions {
  std::size_t repetitions = 7;
  double sample_ms = 20;
};

/// Compares the answers of all contestants, then measures them in turns, so that a change of the
/// machine's speed affects all alike.
[[nodiscard]] base::Result<std::vector<Measured>> measure(const Contest& contest,
                                                          const MeasureOptions& options);

}  // namespace millrace::bench
