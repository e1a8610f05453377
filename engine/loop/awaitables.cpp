#include "loop/awaitables.h"

#include <atomic>

#include "base/check.h"
#include "base/error.h"
#include "base/result.h"
#include "loop/loop.h"
#include "loop/stop.h"
#include "loop/task_promise.h"

namespace millrace::loop {

Sleep::~Sleep() {
  // First, so that no stop request can end the wait behind our back.
  disconnect();
  if (phase_.load(std::memory_order_relaxed) == Phase::kWaiting) MR_CHECK(loop_.disarm(*this));
}

bool Sleep::suspend(TaskPromise& task) {
  task_ = &task;
  loop_.arm(*this, when_);
  if (!try_connect(token_) && loop_.disarm(*this)) {
    static_cast<void>(end(true));
    return false;
  }
  Phase expected = Phase::kSuspending;
  // After success the coroutine may run on another thread: nothing of it may be touched.
  return phase_.compare_exchange_strong(
      expected, Phase::kWaiting, std::memory_order_release, std::memory_order_acquire);
}

bool Sleep::end(bool cancelled) {
  cancelled_ = cancelled;
  return phase_.exchange(Phase::kEnded, std::memory_order_acq_rel) == Phase::kWaiting;
}

void Sleep::fired(Timer& timer) {
  auto& self = static_cast<Sleep&>(timer);
  if (self.end(false)) self.task_->resume_at_home();
}

void Sleep::dropped(Timer& timer) {
  auto& self = static_cast<Sleep&>(timer);
  if (self.end(true)) self.task_->resume_at_home();
}

void Sleep::stopped(StopCallback& callback) {
  auto& self = static_cast<Sleep&>(callback);
  // Never resumes here, where the mutex of the source is held.
  if (self.loop_.disarm(self) && self.end(true)) self.task_->post_home();
}

base::Status Sleep::await_resume() {
  disconnect();
  if (cancelled_) return base::fail(base::ErrorCode::kCancelled, "Sleep was cancelled");
  return {};
}

}  // namespace millrace::loop
