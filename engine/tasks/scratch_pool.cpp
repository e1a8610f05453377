#include "tasks/scratch_pool.h"

#include <atomic>
#include <memory>
#include <utility>

#include "base/sync/mutex.h"

namespace millrace::tasks {

ScratchLease::~ScratchLease() {
  if (scratch_ != nullptr) pool_->give_back(std::move(scratch_));
}

ScratchPool::~ScratchPool() { delete last_.load(std::memory_order_acquire); }

ScratchLease ScratchPool::acquire() {
  if (TaskScratch* const last = last_.exchange(nullptr, std::memory_order_acquire))
    return {*this, std::unique_ptr<TaskScratch>(last)};
  {
    const base::MutexLock lock(mutex_);
    if (!idle_.empty()) {
      std::unique_ptr<TaskScratch> scratch = std::move(idle_.back());
      idle_.pop_back();
      return {*this, std::move(scratch)};
    }
  }
  return {*this, std::make_unique<TaskScratch>()};
}

void ScratchPool::give_back(std::unique_ptr<TaskScratch> scratch) {
  scratch->arena().reset();
  scratch.reset(last_.exchange(scratch.release(), std::memory_order_acq_rel));
  if (scratch == nullptr) return;
  const base::MutexLock lock(mutex_);
  idle_.push_back(std::move(scratch));
}

}  // namespace millrace::tasks
