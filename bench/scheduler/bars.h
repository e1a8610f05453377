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
  std::string where = {};  ///< the shape that decides, where one does

  [[nodiscard]] bool passed() const {
    return value && (at_most ? *value <= limit : *value >= limit);
  }
};

/// Which bars to compute.
struct Judging {
  std::string_view subject = "millrace";
  bool full = false;  ///< those of the full form, over all of its shapes
};

/// Computes every bar, for one form always the same list in the same order. A ratio is formed
/// within each process; then comes the median over the processes, then the mean over shapes or the
/// worst of them: of a hundred cases some always meet a busy machine.
[[nodiscard]] std::vector<Bar> evaluate_bars(const std::vector<ProcessResult>& processes,
                                             const Judging& judging);

}  // namespace millrace::bench
