#pragma once

#include "base/check.h"
#include "base/sync/thread_annotations.h"

namespace millrace::loop {

/// The right to touch what belongs to one event loop, as a Clang capability.
///
/// Fields say `MR_GUARDED_BY(loop.thread())`, functions say `MR_REQUIRES(loop.thread())`, and the
/// few entry points where the loop calls in (jobs, timers, I/O callbacks) say
/// `loop.thread().assert_current()`, which is checked when it runs.
///
/// Threading: any thread.
class MR_CAPABILITY("loop thread") LoopThread {
 public:
  LoopThread() = default;
  LoopThread(const LoopThread&) = delete;
  LoopThread& operator=(const LoopThread&) = delete;

  [[nodiscard]] bool is_current() const { return current_ == this; }

  /// Ends the process when called on another thread. After the call the compiler knows that this is
  /// the loop thread.
  void assert_current() const MR_ASSERT_CAPABILITY(this) { MR_CHECK(is_current()); }

  /// Makes the calling thread the loop thread until the end of the scope. Scopes nest; the
  /// innermost one counts.
  class MR_SCOPED_CAPABILITY Scope {
   public:
    explicit Scope(const LoopThread& thread) MR_ACQUIRE(thread) : outer_(current_) {
      current_ = &thread;
    }
    ~Scope() MR_RELEASE() { current_ = outer_; }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    const LoopThread* outer_;
  };

 private:
  // A thread serves one loop at a time, so one pointer per thread answers `is_current`.
  // NOLINTNEXTLINE(readability-identifier-naming)
  static inline constinit thread_local const LoopThread* current_ = nullptr;
};

}  // namespace millrace::loop
