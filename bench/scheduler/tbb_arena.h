#pragma once

#include <tbb/global_control.h>
#include <tbb/task_arena.h>

namespace millrace::bench {

/// A oneTBB arena of exactly `workers` threads, one of which is the caller if it `caller_works`.
/// The process-wide limit is set too while it works, so that no other thread helps.
class TbbArena {
 public:
  explicit TbbArena(unsigned workers, bool caller_works = true)
      // The limit counts the calling thread, whether it works or waits.
      : thread_max_(workers + (caller_works ? 0 : 1)),
        arena_(static_cast<int>(workers), caller_works ? 1 : 0) {}

  /// Calls `work` with the caller as a member of the arena.
  template <class Work>
  void execute(Work&& work) {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, thread_max_);
    arena_.execute(work);
  }
  /// Calls `with_arena`, which may enqueue work that the arena's own threads do.
  template <class WithArena>
  void use(WithArena&& with_arena) {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, thread_max_);
    with_arena(arena_);
  }

 private:
  // Limits of several arenas in one process would add up to the least of them, so each is set only
  // while its arena works.
  const unsigned thread_max_;
  tbb::task_arena arena_;
};

}  // namespace millrace::bench
