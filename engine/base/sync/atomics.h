#pragma once

#include <atomic>
#include <cstddef>

#include <sched.h>

#include "base/sync/asymmetric_fence.h"

namespace millrace::base {

/// Distance that keeps two hot fields apart: two 64-byte lines, because the adjacent-line
/// prefetcher of x86 moves lines in pairs.
inline constexpr std::size_t kApartBytes = 128;

/// The atomic operations that the lock-free parts are written against. This is the production
/// policy; the small-model tests substitute one whose every operation is a scheduling point.
/// Threading: any thread.
struct StdAtomics {
  template <class T>
  using Atomic = std::atomic<T>;

  /// False where the race detector does not follow stand-alone fences: algorithms whose ordering
  /// argument rests on one then use sequentially consistent operations instead.
#ifdef MR_THREAD_SANITIZER
  static constexpr bool kFollowsFences = false;
#else
  static constexpr bool kFollowsFences = true;
#endif

  /// Orders every earlier load and store of this thread before every later one.
  static void fence_seq_cst() noexcept { full_fence(); }
  /// The two sides of an asymmetric fence, see asymmetric_fence.h.
  static void light_fence() noexcept { base::light_fence(); }
  static void heavy_fence() noexcept { base::heavy_fence(); }

  /// Tells the core that this is a spin loop.
  static void pause() noexcept {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
  }
  /// Gives the core away, for a spin loop whose peer may not be running.
  static void yield() noexcept { static_cast<void>(sched_yield()); }
};

}  // namespace millrace::base
