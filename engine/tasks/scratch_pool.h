#pragma once

#include <atomic>
#include <memory>
#include <utility>
#include <vector>

#include "base/arena.h"
#include "base/sync/mutex.h"
#include "base/sync/thread_annotations.h"
#include "expr/machine/evaluation.h"
#include "rows/row_scratch.h"

namespace millrace::tasks {

/// Memory that bodies reuse: blocks for rows, registers for expressions, an arena.
/// Threading: one body at a time; on a loop, all bodies of that loop.
class TaskScratch {
 public:
  TaskScratch() : eval_(rows_) {}
  TaskScratch(const TaskScratch&) = delete;
  TaskScratch& operator=(const TaskScratch&) = delete;

  [[nodiscard]] rows::RowScratch& rows() { return rows_; }
  [[nodiscard]] expr::EvalScratch& eval() { return eval_; }
  [[nodiscard]] base::Arena& arena() { return arena_; }

 private:
  rows::RowScratch rows_;
  expr::EvalScratch eval_;
  base::Arena arena_;
};

class ScratchPool;

/// Exclusive use of a scratch until destruction.
/// Threading: not shared. Lifetime: borrows the pool.
class ScratchLease {
 public:
  ScratchLease(ScratchLease&& other) noexcept
      : pool_(other.pool_), scratch_(std::move(other.scratch_)) {}
  ScratchLease& operator=(ScratchLease&&) = delete;
  ScratchLease(const ScratchLease&) = delete;
  ScratchLease& operator=(const ScratchLease&) = delete;
  /// Resets the arena and gives the scratch back.
  ~ScratchLease();

  [[nodiscard]] TaskScratch& operator*() const { return *scratch_; }
  [[nodiscard]] TaskScratch* operator->() const { return scratch_.get(); }
  [[nodiscard]] TaskScratch* get() const { return scratch_.get(); }

 private:
  friend class ScratchPool;
  ScratchLease(ScratchPool& pool, std::unique_ptr<TaskScratch> scratch)
      : pool_(&pool), scratch_(std::move(scratch)) {}

  ScratchPool* pool_;
  std::unique_ptr<TaskScratch> scratch_;
};

/// Lends scratches to bodies. It holds as many as bodies ever ran at the same time, and lends the
/// one that was returned last, whose memory is still in the cache.
/// Threading: any thread. Lifetime: outlives its leases.
class ScratchPool {
 public:
  ScratchPool() = default;
  ScratchPool(const ScratchPool&) = delete;
  ScratchPool& operator=(const ScratchPool&) = delete;
  ~ScratchPool();

  [[nodiscard]] ScratchLease acquire() MR_EXCLUDES(mutex_);

 private:
  friend class ScratchLease;
  void give_back(std::unique_ptr<TaskScratch> scratch) MR_EXCLUDES(mutex_);

  // The scratch that was returned last, kept here so that a body that follows another takes no
  // lock. Taking it acquires everything that its last user wrote.
  std::atomic<TaskScratch*> last_{nullptr};
  base::Mutex mutex_;
  std::vector<std::unique_ptr<TaskScratch>> idle_ MR_GUARDED_BY(mutex_);
};

}  // namespace millrace::tasks
