#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scheduler/result.h"

namespace millrace::bench {

/// A figure that the subject engine has to reach. All are ratios of figures of one process, or
/// counts, so that they mean the same on every machine.
struct Bar {
  std::string name;
  /// Empty when the run did not measure what the bar needs.
  std::optional<double> value;
  double limit = 0;
  bool at_most = true;

  [[nodiscard]] bool passed() const {
    return value && (at_most ? *value <= limit : *value >= limit);
  }
};

/// Computes every bar from what one process measured, always the same list in the same order.
[[nodiscard]] std::vector<Bar> evaluate_bars(const ProcessResult& process,
                                             std::string_view subject);

/// Computes the bars of each process and takes the median value of each bar.
[[nodiscard]] std::vector<Bar> evaluate_bars(const std::vector<ProcessResult>& processes,
                                             std::string_view subject);

}  // namespace millrace::bench
