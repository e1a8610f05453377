#pragma once

#include <span>
#include <vector>

namespace millrace::bench {

/// Gives the value below which a share `q` in [0, 1] of the values lies, interpolated linearly.
/// `values` must not be empty; its order is free.
[[nodiscard]] double quantile(std::vector<double> values, double q);

/// Gives the middle value; `values` must not be empty.
[[nodiscard]] double median(std::vector<double> values);

/// Gives the n-th root of the product; `values` must be positive and not empty.
[[nodiscard]] double geometric_mean(std::span<const double> values);

/// Gives half the distance between the quartiles as a share of the median: 0.05 reads "± 5 %".
[[nodiscard]] double relative_spread(const std::vector<double>& values);

}  // namespace millrace::bench
