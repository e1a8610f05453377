#pragma once

#include <chrono>
#include <string>

#include "base/clock.h"

namespace millrace::base {

/// A point of calendar time in UTC.
using WallTime = std::chrono::sys_time<Duration>;

/// Where calendar time comes from. For logs and data only: it may jump, so no deadline, timeout or
/// measurement reads it (they use `Clock`).
/// Threading: any thread.
class WallClock {
 public:
  virtual ~WallClock() = default;
  [[nodiscard]] virtual WallTime now() const = 0;
};

/// The machine's calendar clock.
class SystemWallClock final : public WallClock {
 public:
  [[nodiscard]] WallTime now() const override { return std::chrono::system_clock::now(); }
};

/// A calendar that moves only when told to.
/// Threading: not shared.
class ManualWallClock final : public WallClock {
 public:
  explicit ManualWallClock(WallTime start = {}) : now_(start) {}
  [[nodiscard]] WallTime now() const override { return now_; }
  void advance(Duration step) { now_ += step; }

 private:
  WallTime now_;
};

/// The process-wide calendar clock, for callers that were given no other.
[[nodiscard]] const WallClock& system_wall_clock();

/// Gives RFC 3339 in UTC with microseconds, rounded down: `2024-02-29T12:00:00.000001Z`.
[[nodiscard]] std::string to_rfc3339(WallTime time);

}  // namespace millrace::base
