#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/clock.h"

// How many runs may be under way, by the delay that the process itself causes (S31).
//
// Own delay is the time in which a run could have gone on but waited for a loop or a worker. A slow
// store does not add to it, so a slow store does not lower the limit; a full queue of ours does.
//
//   d = lower quartile of the window's samples, T = target
//   d <= T/2   limit = limit * 1.1 + 1      there is room
//   d <= T     limit = limit + 1            close to the target: feel the way
//   d >  T     limit = limit * (1 + T/d)/2  half way to where the queue would be T long
//
// The lower quartile, because a few long bodies delay few runs a lot, and that is no overload. A
// window in which runs in flight did not reach 0.4 of the limit says nothing about the limit and
// does not move it.

namespace millrace::runtime {

struct AdaptiveLimitSettings {
  base::Duration target_delay = std::chrono::milliseconds(5);
  std::int64_t least = 4;
  std::int64_t most = 1024;
  std::int64_t start = 256;
};

/// The limit as a function of samples and time: it has no clock, no thread and no lock.
/// Threading: not shared.
class AdaptiveLimit {
 public:
  static constexpr base::Duration kWindow = std::chrono::milliseconds(100);
  static constexpr std::size_t kSamplesMin = 16;
  /// Beyond that every second sample of the window is dropped.
  static constexpr std::size_t kSamplesMax = 1024;

  AdaptiveLimit(const AdaptiveLimitSettings& settings, base::TimePoint now);

  /// Notes the own delay of a run that was not cancelled and was no warm-up.
  void add_sample(base::Duration own_delay);
  /// Whether the window has enough time and samples to be ended.
  [[nodiscard]] bool is_window_full(base::TimePoint now) const;
  /// Ends the window and moves the limit. `inflight_peak` is the greatest number of runs in flight
  /// within the window.
  void end_window(base::TimePoint now, std::int64_t inflight_peak);

  [[nodiscard]] std::int64_t limit() const { return static_cast<std::int64_t>(limit_); }
  /// The same with its fraction.
  [[nodiscard]] double exact() const { return limit_; }
  /// d of the last window.
  [[nodiscard]] base::Duration last_delay() const { return last_delay_; }

 private:
  const AdaptiveLimitSettings settings_;
  double limit_;
  base::TimePoint window_begin_;
  base::Duration last_delay_{};
  std::vector<base::Duration> samples_;
  std::size_t stride_ = 1;  // one of so many samples is kept
  std::size_t skipped_ = 0;
};

}  // namespace millrace::runtime
