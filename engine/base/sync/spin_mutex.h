#pragma once

#include <atomic>

#include "base/sync/scoped_lock.h"
#include "base/sync/thread_annotations.h"

namespace millrace::base {

/// A mutex for a handful of instructions, never around a call that may wait or allocate: one atomic
/// exchange to lock and a plain store to unlock, where `Mutex` pays two exchanges and two calls.
/// A thread that finds it locked tries again a few times and then yields its processor.
/// Threading: any thread.
class MR_CAPABILITY("mutex") SpinMutex {
 public:
  void lock() MR_ACQUIRE() {
    if (is_locked_.exchange(true, std::memory_order_acquire)) [[unlikely]]
      wait_and_lock();
  }
  void unlock() MR_RELEASE() { is_locked_.store(false, std::memory_order_release); }

 private:
  [[gnu::cold]] void wait_and_lock();

  // Publishes what was written under the lock to the next who locks.
  std::atomic<bool> is_locked_{false};
};

/// Holds a `SpinMutex` for a scope.
using SpinLock = ScopedLock<SpinMutex>;

}  // namespace millrace::base
