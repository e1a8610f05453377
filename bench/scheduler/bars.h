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

/// Computes every bar, always the same list in the same order: the median over the processes; of
/// the 1 ms siblings it takes medians first and the worst width then.
[[nodiscard]] std::vector<Bar> evaluate_bars(const std::vector<ProcessResult>& processes,
                                             std::string_view subject);

}  // namespace millrace::bench
