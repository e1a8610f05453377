#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/result.h"

namespace millrace::base {

enum class MetricKind : std::uint8_t {
  kCounter,    ///< only grows
  kGauge,      ///< a value now
  kHistogram,  ///< how many observations fell into each bucket
};

/// Gives `counter`, `gauge` or `histogram`.
[[nodiscard]] std::string_view to_string(MetricKind kind);

/// Upper bounds of buckets for durations, in seconds: 0.1 ms to 10 s.
inline constexpr std::array<double, 16> kDurationBuckets{
    .0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10};

/// What readers of a metric need to know besides its values. Descriptors are constants of the code
/// that writes the metric; two with the same name must be equal.
/// Lifetime: borrows its texts and lists, which outlive every registry that has seen it.
struct MetricDescriptor {
  std::string_view name;  ///< letters, digits, `_` and `.`: `rankd_requests_total`
  std::string_view help;  ///< one sentence for people
  /// `seconds`, `bytes`; empty if the values are counts. The name repeats it, as readers expect.
  std::string_view unit = {};
  MetricKind kind = MetricKind::kCounter;
  std::span<const std::string_view> label_names = {};
  /// Of a histogram: inclusive upper bounds, ascending. One more bucket takes the rest.
  std::span<const double> bucket_bounds = {};
  /// What one count of a counter is worth in `unit`: 1e-9 if nanoseconds are counted and the unit
  /// is seconds.
  double scale = 1;
};

/// Says what is wrong with a descriptor, if anything: a name or label that no exporter could write,
/// no help, bounds that do not ascend, or fields that do not belong to the kind.
[[nodiscard]] Status check(const MetricDescriptor& descriptor);

/// Whether two descriptors say the same.
[[nodiscard]] bool is_same(const MetricDescriptor& left, const MetricDescriptor& right);

}  // namespace millrace::base
