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

  /// The number of rows from which the body takes at least `price_ns`, between the sizes by
  /// straight lines; nothing below the smallest; negative if not even the largest size does.
  [[nodiscard]] double rows_worth(double price_ns) const;
};

/// Runs the bodies of the row tasks as a plan would, without a scheduler.
[[nodiscard]] base::Result<std::vector<TaskTimes>> measure_row_tasks(
    const std::vector<std::int64_t>& sizes, double sample_ms);

}  // namespace millrace::bench
