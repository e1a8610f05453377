#pragma once

#include "base/sync/thread_annotations.h"

namespace millrace::base {

/// Holds a mutex for a scope. `M` is a capability with lock() and unlock(); its header names the
/// lock that goes with it, as `MutexLock` goes with `Mutex`.
template <class M>
class MR_SCOPED_CAPABILITY ScopedLock {
 public:
  explicit ScopedLock(M& mutex) MR_ACQUIRE(mutex) : mutex_(mutex) { mutex_.lock(); }
  ~ScopedLock() MR_RELEASE() { mutex_.unlock(); }
  ScopedLock(const ScopedLock&) = delete;
  ScopedLock& operator=(const ScopedLock&) = delete;

 private:
  M& mutex_;
};

}  // namespace millrace::base
