#include "scheduler/statistics.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "base/check.h"

namespace millrace::bench {

double quantile(std::vector<double> values, double q) {
  MR_CHECK(!values.empty());
  std::ranges::sort(values);
  const double position = q * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  const double share = position - static_cast<double>(below);
  return values[below] + share * (values[above] - values[below]);
}

double median(std::vector<double> values) { return quantile(std::move(values), 0.5); }

double geometric_mean(std::span<const double> values) {
  MR_CHECK(!values.empty());
  double sum = 0;
  for (const double value : values) sum += std::log(value);
  return std::exp(sum / static_cast<double>(values.size()));
}

double relative_spread(const std::vector<double>& values) {
  const double middle = median(values);
  if (middle == 0) return 0;
  return (quantile(values, 0.75) - quantile(values, 0.25)) / 2 / middle;
}

}  // namespace millrace::bench
