#include "loop/stop.h"

#include <atomic>

#include "base/check.h"
#include "base/sync/mutex.h"

namespace millrace::loop {

StopSource::~StopSource() {
  const base::MutexLock lock(mutex_);
  MR_CHECK(first_ == nullptr);
}

bool StopSource::request_stop() {
  if (requested_.exchange(true, std::memory_order_relaxed)) return false;
  const base::MutexLock lock(mutex_);
  while (first_ != nullptr) {
    StopCallback& callback = *first_;
    unlink(callback);
    callback.run_(callback);
  }
  return true;
}

void StopSource::reset() {
  const base::MutexLock lock(mutex_);
  MR_CHECK(first_ == nullptr);
  requested_.store(false, std::memory_order_relaxed);
}

bool StopSource::try_link(StopCallback& callback) {
  const base::MutexLock lock(mutex_);
  // The requester sets the flag before it takes the mutex, so a callback is either refused here or
  // found by the requester.
  if (stop_requested()) return false;
  callback.previous_ = last_;
  callback.next_ = nullptr;
  (last_ == nullptr ? first_ : last_->next_) = &callback;
  last_ = &callback;
  callback.linked_ = true;
  return true;
}

void StopSource::unlink(StopCallback& callback) {
  if (!callback.linked_) return;
  (callback.previous_ == nullptr ? first_ : callback.previous_->next_) = callback.next_;
  (callback.next_ == nullptr ? last_ : callback.next_->previous_) = callback.previous_;
  callback.linked_ = false;
}

bool StopCallback::try_connect(StopToken token) {
  MR_CHECK(source_ == nullptr);
  if (token.source_ == nullptr) return true;
  if (!token.source_->try_link(*this)) return false;
  source_ = token.source_;
  return true;
}

void StopCallback::disconnect() {
  if (source_ == nullptr) return;
  {
    const base::MutexLock lock(source_->mutex_);
    source_->unlink(*this);
  }
  source_ = nullptr;
}

}  // namespace millrace::loop
