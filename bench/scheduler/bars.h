#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scheduler/result.h"

namespace millrace::bench {

/// A figure that the subject engine has to reach. All are ratios of figures of one process, or
/// counts, so that they are comparable between machines.
struct Bar {
  std::string name;
  /// Empty if the run did not measure what the bar needs.
  std::optional<double> value;
  double limit = 0;
  bool at_most = true;

  [[nodiscard]] bool passed() const {
    return value && (at_most ? *value <= limit : *value >= limit);
  }
};

/// Computes every bar, always the same list in the same order. Each is the median over the
/// processes; for the 1 ms siblings, medians are taken first and then the worst width.
[[nodiscard]] std::vector<Bar> evaluate_bars(const std::vector<ProcessResult>& processes,
                                             std::string_view subject);

}  // namespace millrace::bench
