#pragma once

#include <atomic>
#include <cstdint>

#include "base/sync/atomics.h"

namespace millrace::runtime {

/// Lets another thread act on behalf of an owner that is inside a user body and so does not touch
/// its own owner-only state. The owner pays two plain stores and one load per body; whoever wants
/// to act pays a heavy fence.
///
///   owner            scheduling ──enter_body()──► in body ──leave_body()──► scheduling
///   other thread                     try_hold() = true … owner-only state is mine … release()
///
/// Memory order. `try_hold()` publishes `held_`, passes the heavy fence and then reads `phase_`;
/// `leave_body()` publishes `phase_`, passes the light fence and then reads `held_`. So either the
/// holder sees that the owner has left and gives up, or the owner sees the hold and waits. The
/// owner-only state itself travels along `phase_` (release by enter_body, acquire by try_hold) and
/// back along `held_` (release by release, acquire by leave_body and by the next try_hold).
///
/// Threading: enter_body and leave_body are the owner's, the rest is for any other thread.
template <class Atomics = base::StdAtomics>
class alignas(base::kApartBytes) Handshake {
 public:
  Handshake() = default;
  Handshake(const Handshake&) = delete;
  Handshake& operator=(const Handshake&) = delete;

  /// Owner: from here to leave_body() others may act on the owner's state.
  void enter_body() noexcept { phase_.store(kInBody, std::memory_order_release); }

  /// Owner: takes its state back. Waits while somebody holds it; a hold is a few instructions long
  /// unless its thread loses the core, so the wait spins first and then yields.
  void leave_body() noexcept {
    phase_.store(kScheduling, std::memory_order_relaxed);
    Atomics::light_fence();
    if (held_.load(std::memory_order_acquire) != kFree) [[unlikely]]
      wait_until_released();
  }

  /// Any other thread: on true the caller owns the owner's state until it calls release(), which
  /// must be soon: the owner cannot go on before. False when the owner is not in a body, or
  /// somebody else holds it.
  [[nodiscard]] bool try_hold() noexcept {
    // A look first: the heavy fence is for attempts that will probably succeed.
    if (phase_.load(std::memory_order_relaxed) != kInBody) return false;
    std::uint32_t expected = kFree;
    if (!held_.compare_exchange_strong(
            expected, kHeld, std::memory_order_acquire, std::memory_order_relaxed)) {
      return false;
    }
    Atomics::heavy_fence();
    if (phase_.load(std::memory_order_acquire) == kInBody) return true;
    release();
    return false;
  }

  /// The holder: gives the owner's state back.
  void release() noexcept { held_.store(kFree, std::memory_order_release); }

  /// Is true while the owner is in a body; a hint that may be old when it arrives.
  [[nodiscard]] bool looks_in_body() const noexcept {
    return phase_.load(std::memory_order_relaxed) == kInBody;
  }

 private:
  static constexpr std::uint32_t kScheduling = 0;
  static constexpr std::uint32_t kInBody = 1;
  static constexpr std::uint32_t kFree = 0;
  static constexpr std::uint32_t kHeld = 1;
  static constexpr int kSpinCount = 64;

  [[gnu::noinline, gnu::cold]] void wait_until_released() noexcept {
    for (int spin = 0; held_.load(std::memory_order_acquire) == kHeld; ++spin) {
      if (spin < kSpinCount) {
        Atomics::pause();
      } else {
        Atomics::yield();
      }
    }
  }

  // Written by the owner: publishes its state to the holder.
  typename Atomics::template Atomic<std::uint32_t> phase_{kScheduling};
  // Written by the holder: publishes the state back to the owner and to the next holder.
  typename Atomics::template Atomic<std::uint32_t> held_{kFree};
};

}  // namespace millrace::runtime
