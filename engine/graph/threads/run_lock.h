#pragma once

#include "base/sync/mutex.h"
#include "base/sync/thread_annotations.h"

namespace millrace::graph {

/// Guards the tables of a run in wall time: channels, triggers, state, counters. The thread of a
/// domain holds it while it crosses a boundary, asks triggers and commits, and lets go of it while
/// a body runs or waits, so that bodies of different domains overlap. In virtual time one thread
/// does all and locking does nothing. Threading: any thread.
class RunLock {
 public:
  explicit RunLock(bool is_shared) : is_shared_(is_shared) {}
  RunLock(const RunLock&) = delete;
  RunLock& operator=(const RunLock&) = delete;

  // Whether it locks at all is known at run time only, which the analysis cannot follow.
  void lock() MR_NO_THREAD_SAFETY_ANALYSIS {
    if (is_shared_) mutex_.lock();
  }
  void unlock() MR_NO_THREAD_SAFETY_ANALYSIS {
    if (is_shared_) mutex_.unlock();
  }
  [[nodiscard]] bool is_shared() const { return is_shared_; }

 private:
  const bool is_shared_;
  base::Mutex mutex_;
};

/// Holds the lock for a scope.
class RunLocked {
 public:
  explicit RunLocked(RunLock& lock) : lock_(lock) { lock_.lock(); }
  ~RunLocked() { lock_.unlock(); }
  RunLocked(const RunLocked&) = delete;
  RunLocked& operator=(const RunLocked&) = delete;

 private:
  RunLock& lock_;
};

}  // namespace millrace::graph
