#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"

namespace millrace::bench {

/// What an operation gave, in numbers that all engines can be compared by.
using Answer = std::vector<double>;

/// One engine's way to do a case.
struct Contestant {
  std::string engine;
  /// Does the operation once and says what it gave.
  std::function<base::Result<Answer>()> answer;
  /// Does the operation for about `milliseconds` and gives the time of one in nanoseconds.
  std::function<base::Result<double>(double milliseconds)> sample;
  /// Allocations of one warm operation; unset where we cannot count them.
  std::function<std::size_t()> allocations = nullptr;
};

/// A case at one size, with everybody who takes part. An engine may take part in several ways: the
/// fastest counts.
struct Contest {
  std::string name;
  std::size_t rows = 0;
  std::vector<Contestant> contestants;
};

/// Makes a contestant of a function in this process: `run()` does the operation, `answer()` too and
/// says what it gave.
[[nodiscard]] Contestant make_local(std::string engine,
                                    std::function<void()> run,
                                    std::function<Answer()> answer);

struct Measured {
  std::string name;
  std::size_t rows = 0;
  std::string engine;
  double median_ns = 0;  ///< of one operation
  double least_ns = 0;
  double most_ns = 0;
  double allocations = -1;  ///< of one warm operation; -1: not counted
};

struct MeasureOptions {
  std::size_t repetitions = 7;
  double sample_ms = 20;
};

/// Compares the answers of all contestants, then measures them in turns, so that a change of the
/// machine's speed meets all alike.
[[nodiscard]] base::Result<std::vector<Measured>> measure(const Contest& contest,
                                                          const MeasureOptions& options);

}  // namespace millrace::bench
