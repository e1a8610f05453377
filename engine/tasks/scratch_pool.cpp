#include "tasks/scratch_pool.h"

#include <memory>
#include <utility>

#include "base/mutex.h"

namespace millrace::tasks {

ScratchLease::~ScratchLease() {
  if (scratch_ != nullptr) pool_->give_back(std::move(scratch_));
}

ScratchLease ScratchPool::acquire() {
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
  const base::MutexLock lock(mutex_);
  idle_.push_back(std::move(scratch));
}

}  // namespace millrace::tasks
