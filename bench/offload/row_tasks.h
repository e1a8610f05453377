#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace millrace::bench {

/// Times of one row task's body, by number of input rows.
struct TaskTimes {
  std::string op;
  std::vector<std::int64_t> rows;
  std::vector<double> ns;

  /// The number of rows from which the body takes at least `price_ns`, interpolated linearly
  /// between the measured sizes. 0 if the smallest size takes that long; negative if not even the
  /// largest does.
  [[nodiscard]] double rows_worth(double price_ns) const;
};

/// Runs the bodies of the row tasks as a plan would, without a scheduler.
[[nodiscard]] base::Result<std::vector<TaskTimes>> measure_row_tasks(
    const std::vector<std::int64_t>& sizes, double sample_ms);

}  // namespace millrace::bench
