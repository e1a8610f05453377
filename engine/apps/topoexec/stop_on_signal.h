#pragma once

#include <condition_variable>
#include <functional>
#include <thread>

#include "base/sync/mutex.h"
#include "base/sync/thread_annotations.h"
#include "loop/stop.h"

namespace millrace::topoexec {

/// While it lives, the first SIGINT or SIGTERM requests a stop, and the second ends the process at
/// once with the exit code of a shell: 128 and the number of the signal. SIGHUP calls what
/// `set_on_hangup` was given, and is ignored if that is nothing.
///
/// A thread of its own waits for the signals, which all others block: make it before other threads.
/// Another one does what SIGHUP asks for, which may take long: a stop does not wait for it.
/// Threading: one thread makes and destroys it. Lifetime: borrows the source; one at a time.
class StopOnSignal {
 public:
  explicit StopOnSignal(loop::StopSource& source);
  ~StopOnSignal();
  StopOnSignal(const StopOnSignal&) = delete;
  StopOnSignal& operator=(const StopOnSignal&) = delete;

  /// Called on a thread of its own, once for all SIGHUPs that came since it was called last. Waits
  /// for a call that is under way.
  void set_on_hangup(std::function<void()> on_hangup) MR_EXCLUDES(mutex_);

 private:
  void wait_for_signals();
  void handle_hangups();

  loop::StopSource& source_;
  base::Mutex mutex_;
  std::condition_variable_any changed_;
  std::function<void()> on_hangup_ MR_GUARDED_BY(mutex_);
  bool has_hangup_ MR_GUARDED_BY(mutex_) = false;
  bool is_calling_ MR_GUARDED_BY(mutex_) = false;
  bool is_ending_ MR_GUARDED_BY(mutex_) = false;
  std::thread thread_;
  std::thread hangup_thread_;
};

}  // namespace millrace::topoexec
