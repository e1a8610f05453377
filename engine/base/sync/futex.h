#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "base/clock.h"

namespace millrace::base {

/// Sleeping on a word of memory, private to the process (futex(2)).
/// Threading: any thread.
struct LinuxFutex {
  /// Sleeps while `word` holds `expected`, until a wake, a signal or the deadline. False only when
  /// the deadline has passed. True promises nothing: look at the word again.
  [[nodiscard]] static bool wait(const std::atomic<std::uint32_t>& word,
                                 std::uint32_t expected,
                                 std::optional<base::TimePoint> deadline) noexcept;
  /// Wakes one thread that sleeps on `word`, if there is one.
  static void wake_one(const std::atomic<std::uint32_t>& word) noexcept;
  /// Gives the point in time `timeout` from now; none when that is beyond the range of the clock.
  /// A negative timeout counts as zero.
  [[nodiscard]] static std::optional<base::TimePoint> deadline_after(
      base::Duration timeout) noexcept;
};

}  // namespace millrace::base
