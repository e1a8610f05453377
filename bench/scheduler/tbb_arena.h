#pragma once

#include <tbb/global_control.h>
#include <tbb/task_arena.h>

namespace millrace::bench {

/// A oneTBB arena of exactly `workers` threads, one of which is the caller. The process-wide limit
/// is set too, so that as many threads exist and no other thread helps.
class TbbArena {
 public:
  explicit TbbArena(unsigned workers)
      : limit_(tbb::global_control::max_allowed_parallelism, workers),
        arena_(static_cast<int>(workers), 1) {}

  /// Calls `work` with the caller as a member of the arena.
  template <class Work>
  decltype(auto) execute(Work&& work) {
    return arena_.execute(work);
  }

 private:
  tbb::global_control limit_;
  tbb::task_arena arena_;
};

}  // namespace millrace::bench
