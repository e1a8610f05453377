#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include <sched.h>

#include "scheduler/engine.h"

namespace millrace::bench {

/// Puts the threads of engines on separate processors.
///
/// If threads are not placed, the kernel often wakes a worker on its waker's processor while
/// another processor is idle, for whole samples; whether this happens changes the figures of a
/// process more than the choice of scheduler does. So every engine gets the same placement: the
/// caller on the first processor, its threads on the following ones. If there are not enough
/// processors, threads share them.
/// Threading: main thread.
class Placement {
 public:
  /// Remembers the processors that the process may use. If `enabled` is false, nothing is placed.
  explicit Placement(bool enabled);

  /// Makes an engine, lets it start its threads by running something, and places them.
  [[nodiscard]] std::unique_ptr<Engine> make_engine(const EngineEntry& entry, unsigned workers);

  /// Places the calling thread on the processor of worker `index`.
  void place_this_thread(unsigned index) const;

  [[nodiscard]] std::size_t processor_count() const { return processors_.size(); }

 private:
  void place(pid_t thread, unsigned index) const;
  void release_this_thread() const;

  bool enabled_;
  std::vector<int> processors_;
};

}  // namespace millrace::bench
