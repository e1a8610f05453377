#pragma once

#include <atomic>
#include <cstdint>

#include "base/clock.h"

// Times that are cheaper than a clock: the processor's time stamp counter, tied to a clock by a
// reading of both. One reading of the system's monotonic clock takes 30 ns on the machines that we
// measured, one of the counter 12. For traces only: deadlines, timeouts and measured costs stay
// with the clock.

namespace millrace::base {

/// Reads the counter. Does not wait for the instructions before it, nor holds back those after it.
[[nodiscard]] inline std::uint64_t read_ticks() {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#else
  return 0;
#endif
}

/// The same, after everything before it: what was seen from another thread came before this time.
[[nodiscard]] inline std::uint64_t read_ticks_in_order() {
#if defined(__x86_64__)
  __builtin_ia32_lfence();
#endif
  return read_ticks();
}

/// Says whether the counter runs at one speed, on all processors alike: whether the kernel, which
/// watches it, takes its own time from it.
[[nodiscard]] bool has_steady_ticks();

/// A moment on a clock, from which the counter carries on. Small, copied by value.
struct TickAnchor {
  TimePoint time{};
  std::uint64_t ticks = 0;
  std::uint64_t ns_per_tick = 0;  ///< fixed point, 32 bits behind the point; 0: ask the clock

  [[nodiscard]] bool has_rate() const { return ns_per_tick != 0; }
  /// The time at a reading of the counter, which may have been made on any processor.
  [[nodiscard]] TimePoint at(std::uint64_t now_ticks) const {
    // Another processor may be a few ticks behind.
    if (now_ticks < ticks) return time;
    __extension__ using Wide = unsigned __int128;
    const Wide scaled = static_cast<Wide>(now_ticks - ticks) * ns_per_tick;
    return time + Duration(static_cast<std::int64_t>(scaled >> 32U));
  }
};

/// Ties the counter to a clock, and finds how long a tick is by comparing the two over a while.
/// Until that is known, and where the counter is not steady, anchors have no rate.
/// Threading: any thread. Lifetime: borrows `clock`.
class TickClock {
 public:
  explicit TickClock(const Clock& clock);

  /// Reads the clock and, where it can be used, the counter beside it.
  [[nodiscard]] TickAnchor anchor();

  /// Takes note that the clock showed `time` when the counter showed `ticks`.
  void compare(TimePoint time, std::uint64_t ticks);
  /// As in `TickAnchor`; 0 until enough time has passed.
  [[nodiscard]] std::uint64_t ns_per_tick() const {
    return ns_per_tick_.load(std::memory_order_relaxed);
  }

 private:
  const Clock& clock_;
  const bool has_ticks_;
  // A value of its own; publishes nothing.
  std::atomic<std::uint64_t> ns_per_tick_{0};
  // When the next comparison is due, as time since the clock's origin; a hint.
  std::atomic<std::int64_t> due_ns_{0};
  // Held by the one thread that compares; whoever comes meanwhile leaves it to that one.
  std::atomic_flag is_comparing_;
  // What the next comparison begins with, and how long it takes at least. The holder's.
  bool has_begin_ = false;
  TimePoint begin_time_{};
  std::uint64_t begin_ticks_ = 0;
  Duration window_{};
};

}  // namespace millrace::base
