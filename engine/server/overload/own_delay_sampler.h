#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/clock.h"
#include "base/metrics/metric_cell.h"
#include "base/metrics/metric_descriptor.h"
#include "server/overload/limit_controller.h"

namespace millrace::server {

/// Takes samples of the own delay of one loop's requests and hands them to the controller, some at
/// a time, so that requests do not meet at its lock.
/// Threading: loop thread. Lifetime: borrows the controller, which may be null: then samples are
/// only counted.
class OwnDelaySampler {
 public:
  explicit OwnDelaySampler(LimitController* controller) : controller_(controller) {}

  /// Whether this request is to be sampled: every one, or above 1 000 per second one of four.
  [[nodiscard]] bool wants_sample(base::TimePoint now);
  /// Notes what a request waited for its loop.
  void add(base::Duration loop_delay, base::TimePoint now);

  /// All samples, in seconds, with what nodes waited for a worker.
  [[nodiscard]] const base::HistogramCell& delays() const { return delays_; }

 private:
  static constexpr std::uint64_t kRateSpan = 64;  // requests from one look at the rate to the next
  static constexpr base::Duration kBusySpan = std::chrono::milliseconds(64);  // 1 000 per second
  static constexpr std::uint64_t kBusyStride = 4;
  static constexpr std::size_t kGroupMax = 16;
  static constexpr base::Duration kGroupAge = std::chrono::milliseconds(20);

  LimitController* const controller_;
  base::HistogramCell delays_{base::kDurationBuckets};
  std::vector<base::Duration> group_;
  base::TimePoint group_begin_{};
  base::TimePoint rate_begin_{};
  std::uint64_t seen_ = 0;
  std::uint64_t stride_ = 1;
};

}  // namespace millrace::server
