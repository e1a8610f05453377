#pragma once

#include <thread>

#include "loop/stop.h"

namespace millrace::topoexec {

/// While it lives, the first SIGINT or SIGTERM requests a stop, and the second ends the process at
/// once with the exit code of a shell: 128 and the number of the signal.
///
/// A thread of its own waits for the signals, which all others block: make it before other threads.
/// Threading: one thread makes and destroys it. Lifetime: borrows the source; one at a time.
class StopOnSignal {
 public:
  explicit StopOnSignal(loop::StopSource& source);
  ~StopOnSignal();
  StopOnSignal(const StopOnSignal&) = delete;
  StopOnSignal& operator=(const StopOnSignal&) = delete;

 private:
  void wait_for_signals();

  loop::StopSource& source_;
  std::thread thread_;
};

}  // namespace millrace::topoexec
