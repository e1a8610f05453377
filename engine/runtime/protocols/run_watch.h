#pragma once

#include <atomic>
#include <cstdint>

#include "base/sync/atomics.h"
#include "base/sync/mutex.h"
#include "base/sync/scoped_lock.h"

namespace millrace::runtime {

/// One alarm for all nodes of a run that have a clock of their own. It is set for the earliest of
/// their times, and stays set when that node ends: nearly all nodes end in time, so most runs set
/// it once. When it goes off, its thread looks at every node and sets it again if one still has
/// time.
///
/// Whoever begins a node notes the node's time and that it runs, passes a light fence and reads
/// `time`. Whoever it goes off for calls `go_off`, passes a heavy fence and looks at the nodes. So
/// either the look finds the node, or its beginner finds no earlier time and sets the alarm.
///
/// The alarm holds no part of the run. When it goes off, its thread joins the run's work; if that
/// is over, it `leave`s, and whoever ended the work waits for that in `close`. So the run outlives
/// the alarm.
///
/// tests/model/run_watch_model_test.cpp tries every interleaving.
///
/// `Alarm` has `arm(when_ns)` and `disarm()`, which is false if the alarm is going off.
/// Threading: any thread.
template <class Atomics = base::StdAtomics, class Lock = base::Mutex>
class RunWatch {
 public:
  static constexpr std::int64_t kNever = INT64_MAX;

  /// When it goes off.
  [[nodiscard]] std::int64_t time() const { return when_ns_.load(std::memory_order_relaxed); }

  /// Makes sure that it goes off at `when_ns` or before. The caller holds credit.
  template <class Alarm>
  void set_before(std::int64_t when_ns, Alarm&& alarm) {
    base::ScopedLock<Lock> lock(lock_);
    const std::int64_t now_ns = time();
    if (when_ns >= now_ns) return;
    // If it is going off, its thread has not looked at the nodes yet, and will find this one.
    if (now_ns != kNever && !alarm.disarm()) return;
    when_ns_.store(when_ns, std::memory_order_relaxed);
    alarm.arm(when_ns);
  }
  /// It goes off, and its thread has credit.
  void go_off() {
    {
      base::ScopedLock<Lock> lock(lock_);
      when_ns_.store(kNever, std::memory_order_relaxed);
    }
    Atomics::heavy_fence();
  }
  /// It goes off after the work is over. The caller must not touch the run again.
  void leave() { when_ns_.store(kNever, std::memory_order_release); }
  /// The work is over: afterwards nothing of the alarm touches the run any more.
  template <class Alarm>
  void close(Alarm&& alarm) {
    // Whoever left has read the run before.
    if (when_ns_.load(std::memory_order_acquire) == kNever) return;
    if (alarm.disarm()) return when_ns_.store(kNever, std::memory_order_relaxed);
    while (when_ns_.load(std::memory_order_acquire) != kNever) Atomics::yield();
  }

 private:
  Lock lock_;  // of those who set the alarm
  typename Atomics::template Atomic<std::int64_t> when_ns_{kNever};
};

}  // namespace millrace::runtime
