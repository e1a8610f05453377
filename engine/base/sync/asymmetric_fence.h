#pragma once

#include <atomic>

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define MR_THREAD_SANITIZER 1
#endif
#endif

namespace millrace::base {

// A Dekker handshake (each side stores, then loads what the other stored) needs a full fence
// between store and load on both sides. When one side runs millions of times per second and the
// other seldom, the kernel can execute the fence of the fast side on its behalf:
//
//   fast side                         slow side
//   mine = 1      (store)             theirs = 1   (store)
//   light_fence() compiler barrier    heavy_fence() membarrier: every running thread of the process
//   if (theirs)   (load)                            passes a full fence before the call returns
//                                     if (mine)    (load)
//
// At least one side sees the other's store, exactly as with two seq_cst fences. A light fence gives
// nothing against another light fence.

/// Orders every earlier load and store of this thread before every later one.
inline void full_fence() noexcept {
#if defined(__x86_64__) && !defined(MR_THREAD_SANITIZER)
  // Clang emits mfence for a seq_cst fence. A locked operation orders ordinary memory just as well
  // for a fifth of the time; below the stack pointer it hits no store that is still in flight.
  asm volatile("lock; orl $0, -64(%%rsp)" ::: "memory", "cc");
#else
  std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
}

namespace asymmetric_fence_detail {
// Constant after static initialisation. Zero until then, which selects the full fence: safe.
extern const bool kMembarrierReady;
}  // namespace asymmetric_fence_detail

/// Is true when the kernel executes light fences for us, so that they cost nothing. Otherwise, and
/// always under the thread sanitizer, both sides are full fences. Decided once, before main().
[[nodiscard]] inline bool light_fence_is_free() noexcept {
  return asymmetric_fence_detail::kMembarrierReady;
}

/// The fast side.
/// Threading: any thread.
inline void light_fence() noexcept {
  if (light_fence_is_free()) [[likely]] {
    std::atomic_signal_fence(std::memory_order_seq_cst);
  } else {
    full_fence();
  }
}

/// The slow side: interrupts every core that runs a thread of this process (microseconds).
/// Threading: any thread.
void heavy_fence() noexcept;

}  // namespace millrace::base
