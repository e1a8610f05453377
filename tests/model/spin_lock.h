#pragma once

#include <atomic>

#include "base/sync/thread_annotations.h"

namespace millrace::model {

/// A mutex for the explorer.
template <class Atomics>
class MR_CAPABILITY("mutex") SpinLock {
 public:
  void lock() MR_ACQUIRE() {
    // Writes only when it gets the lock: a pause ends when memory has changed.
    for (bool free = false; !held_.compare_exchange_strong(
             free, true, std::memory_order_acquire, std::memory_order_relaxed);
         free = false) {
      Atomics::pause();
    }
  }
  void unlock() MR_RELEASE() { held_.store(false, std::memory_order_release); }

 private:
  typename Atomics::template Atomic<bool> held_{false};
};

}  // namespace millrace::model
