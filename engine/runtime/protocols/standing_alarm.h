#pragma once

#include <atomic>
#include <cstdint>

#include "base/sync/atomics.h"
#include "base/sync/mutex.h"
#include "base/sync/scoped_lock.h"

namespace millrace::runtime {

/// One alarm for all deadlines of a run object, use after use. Nearly every use is over long before
/// its deadline, so nobody takes the alarm back: the next use finds it set for a time that comes
/// before its own deadline, and does nothing at all. When it goes off, its thread looks whether a
/// use is under way, and sets it again for that one's deadline.
///
/// Whoever begins a use makes it visible, passes a light fence and reads the time of the alarm
/// (`goes_off_by`). Whoever it goes off for calls `go_off`, which ends with a heavy fence, and then
/// looks for a use. So either the look finds the use, or its beginner finds that the alarm is not
/// set and sets it.
///
/// An alarm that is set or going off is *open*, and may touch its owner; `close` waits until none
/// is.
///
/// tests/model/standing_alarm_model_test.cpp tries every interleaving.
///
/// `Alarm` has `arm(when_ns)` and `disarm()`, which is false if the alarm is going off.
/// Threading: any thread; `close` by whoever owns it, while no use is under way.
template <class Atomics = base::StdAtomics, class Lock = base::Mutex>
class StandingAlarm {
 public:
  /// For whoever has just made a use visible: whether the alarm goes off at `when_ns` or before.
  [[nodiscard]] bool goes_off_by(std::int64_t when_ns) const {
    Atomics::light_fence();
    return when_ns_.load(std::memory_order_relaxed) <= when_ns;
  }
  /// Makes sure of it.
  template <class Alarm>
  void set_by(std::int64_t when_ns, Alarm&& alarm) {
    base::ScopedLock<Lock> lock(lock_);
    if (when_ns_.load(std::memory_order_relaxed) <= when_ns) return;
    // One that was not taken back goes off and leaves by itself.
    if (!alarm.disarm()) {
      ++set_count_;
      open_count_.fetch_add(1, std::memory_order_relaxed);
    }
    when_ns_.store(when_ns, std::memory_order_relaxed);
    alarm.arm(when_ns);
  }
  /// It goes off. Its thread then looks for a use, and leaves.
  void go_off() {
    {
      base::ScopedLock<Lock> lock(lock_);
      --set_count_;
      when_ns_.store(kNever, std::memory_order_relaxed);
    }
    Atomics::heavy_fence();
  }
  /// The thread for which it went off does not touch the owner again.
  void leave() { open_count_.fetch_sub(1, std::memory_order_release); }
  /// Afterwards nothing of the alarm touches the owner any more. What the alarm belongs to may go
  /// at any time, as soon as the alarm has gone off there.
  template <class Alarm>
  void close(Alarm&& alarm) {
    // Whoever left has read the owner before.
    if (open_count_.load(std::memory_order_acquire) == 0) return;
    {
      base::ScopedLock<Lock> lock(lock_);
      // As long as one has not gone off, its thread needs this lock, so what it belongs to is
      // there.
      if (set_count_ != 0 && alarm.disarm()) {
        --set_count_;
        open_count_.fetch_sub(1, std::memory_order_relaxed);
      }
      when_ns_.store(kNever, std::memory_order_relaxed);
    }
    while (open_count_.load(std::memory_order_acquire) != 0) Atomics::yield();
  }

 private:
  static constexpr std::int64_t kNever = INT64_MAX;

  Lock lock_;  // of those who set the alarm
  typename Atomics::template Atomic<std::int64_t> when_ns_{kNever};
  std::uint32_t set_count_ = 0;  // alarms that have not gone off; guarded by the lock
  // Alarms that are set or going off. Adding one is ordered by the lock.
  typename Atomics::template Atomic<std::uint32_t> open_count_{0};
};

}  // namespace millrace::runtime
