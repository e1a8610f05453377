#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "base/check.h"
#include "base/clock.h"
#include "base/sync/atomics.h"
#include "base/sync/futex.h"

namespace millrace::base {

/// Where one thread sleeps until any of many others has work for it. No wake-up is lost when both
/// sides keep to this order (Dekker's):
///
///   sleeper                                   producer
///   announce()        contains a full fence   publish the work
///   look at every queue again                 full fence (notify() contains one)
///   work? cancel() : wait()                   if (is_waiting()) notify()
///
/// Either the sleeper's second look finds the work, or the producer sees the announcement. Where
/// producing is frequent and sleeping rare, a heavy_fence() behind announce() lets the producer do
/// with a light_fence() before is_waiting().
///
///              announce          wait                     notify
///     awake ────────────► announced ──► parked     announced, parked ──► notified
///       ▲ cancel, timeout     │            │                                │
///       └─────────────────────┴────────────┘◄── cancel, wait consume it ────┘
///
/// Threading: announce, cancel and wait belong to the one sleeper; notify and is_waiting to any
/// thread.
/// Lifetime: must outlive every call of notify(), which may still touch it after wait() returned.
template <class Atomics = StdAtomics, class Futex = LinuxFutex>
class ParkingSpot {
 public:
  ParkingSpot() = default;
  ParkingSpot(const ParkingSpot&) = delete;
  ParkingSpot& operator=(const ParkingSpot&) = delete;

  /// Says that the sleeper is about to sleep. It then looks at every queue once more and calls
  /// cancel() or wait(). What a producer published before its full fence is either seen by that
  /// look, or followed by an is_waiting() that is true.
  void announce() noexcept {
    MR_DCHECK(state_.load(std::memory_order_relaxed) == kAwake);
    state_.store(kAnnounced, std::memory_order_relaxed);
    Atomics::fence_seq_cst();
  }

  /// Takes the announcement back. False when a notification came first; it is consumed, and its
  /// sender believes that it woke this thread.
  [[nodiscard]] bool cancel() noexcept {
    return state_.exchange(kAwake, std::memory_order_acquire) == kAnnounced;
  }

  /// Sleeps until notified (true), or until the timeout has passed and the announcement is taken
  /// back (false). Without a timeout it sleeps until notified.
  [[nodiscard]] bool wait(std::optional<base::Duration> timeout) noexcept {
    std::uint32_t state = kAnnounced;
    if (state_.compare_exchange_strong(
            state, kParked, std::memory_order_acquire, std::memory_order_acquire)) {
      if (!sleep(timeout)) return false;
    }
    // Notified: nobody else writes until the next announce().
    state_.store(kAwake, std::memory_order_relaxed);
    return true;
  }

  /// Wakes the sleeper. True if and only if this call did it: of all calls between one announce()
  /// and its end exactly one can. A sleeper that is still looking at its queues costs no system
  /// call.
  bool notify() noexcept {
    Atomics::fence_seq_cst();
    std::uint32_t state = state_.load(std::memory_order_relaxed);
    while (state == kAnnounced || state == kParked) {
      if (state_.compare_exchange_weak(
              state, kNotified, std::memory_order_release, std::memory_order_relaxed)) {
        if (state == kParked) Futex::wake_one(state_);
        return true;
      }
    }
    return false;
  }

  /// Is true from announce() until somebody notifies or the sleeper gives up. The caller must have
  /// passed its fence after publishing; then false means that the sleeper will find the work.
  [[nodiscard]] bool is_waiting() const noexcept {
    const std::uint32_t state = state_.load(std::memory_order_relaxed);
    return state == kAnnounced || state == kParked;
  }

 private:
  static constexpr std::uint32_t kAwake = 0;
  static constexpr std::uint32_t kAnnounced = 1;
  static constexpr std::uint32_t kParked = 2;
  static constexpr std::uint32_t kNotified = 3;

  // True when notified, false when the time was up and `state_` is awake again.
  [[nodiscard]] bool sleep(std::optional<base::Duration> timeout) noexcept {
    const std::optional<base::TimePoint> deadline =
        timeout ? Futex::deadline_after(*timeout) : std::nullopt;
    while (state_.load(std::memory_order_acquire) == kParked) {
      if (Futex::wait(state_, kParked, deadline)) continue;
      std::uint32_t state = kParked;
      return !state_.compare_exchange_strong(
          state, kAwake, std::memory_order_acquire, std::memory_order_acquire);
    }
    return true;
  }

  // Publishes what the notifier wrote before notify() to the sleeper; the futex word.
  alignas(kApartBytes) typename Atomics::template Atomic<std::uint32_t> state_{kAwake};
};

}  // namespace millrace::base
