#pragma once

#include <chrono>

namespace millrace::base {

using Duration = std::chrono::nanoseconds;
/// A point on a monotonic clock. Zero is the clock's own origin.
using TimePoint = std::chrono::time_point<std::chrono::steady_clock, Duration>;

/// Where time comes from. Everything that reads time takes one, so that the simulator can own it.
/// Threading: any thread.
class Clock {
 public:
  virtual ~Clock() = default;
  [[nodiscard]] virtual TimePoint now() const = 0;
  /// Says whether it is the machine's own, which the machine's other means of telling time follow.
  [[nodiscard]] virtual bool is_steady_clock() const { return false; }
};

/// The machine's monotonic clock.
class SteadyClock final : public Clock {
 public:
  [[nodiscard]] TimePoint now() const override { return std::chrono::steady_clock::now(); }
  [[nodiscard]] bool is_steady_clock() const override { return true; }
};

/// A clock that moves only when told to.
/// Threading: not shared.
class ManualClock final : public Clock {
 public:
  [[nodiscard]] TimePoint now() const override { return now_; }
  void advance(Duration step) { now_ += step; }
  void set(TimePoint time) { now_ = time; }

 private:
  TimePoint now_{};
};

/// The process-wide steady clock, for callers that were given no other.
[[nodiscard]] const Clock& steady_clock();

}  // namespace millrace::base
