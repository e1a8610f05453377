#pragma once

#include <mutex>

#include "base/sync/scoped_lock.h"
#include "base/sync/thread_annotations.h"

namespace millrace::base {

/// `std::mutex` that Clang's thread-safety analysis can see.
/// Threading: any thread.
class MR_CAPABILITY("mutex") Mutex {
 public:
  void lock() MR_ACQUIRE() { mutex_.lock(); }
  void unlock() MR_RELEASE() { mutex_.unlock(); }
  [[nodiscard]] bool try_lock() MR_TRY_ACQUIRE(true) { return mutex_.try_lock(); }

 private:
  std::mutex mutex_;
};

/// Holds a `Mutex` for a scope.
using MutexLock = ScopedLock<Mutex>;

}  // namespace millrace::base
