#include "tasks/offload.h"

#include <atomic>
#include <memory>
#include <utility>

#include "base/check.h"
#include "base/error.h"
#include "base/result.h"
#include "loop/executor.h"
#include "loop/loop.h"
#include "loop/stop.h"
#include "loop/task_promise.h"

namespace millrace::tasks {

void OffloadJob::post(std::shared_ptr<OffloadJob> self, loop::Executor& workers) {
  MR_CHECK(self.get() == this);
  self_ = std::move(self);
  workers.post(*this);
}

bool OffloadJob::end(Phase how) {
  Phase now = phase_.load(std::memory_order_acquire);
  while (now == Phase::kSuspending || now == Phase::kWaiting) {
    if (phase_.compare_exchange_weak(
            now, how, std::memory_order_acq_rel, std::memory_order_acquire)) {
      return now == Phase::kWaiting;
    }
  }
  return false;
}

bool OffloadJob::suspended() {
  Phase expected = Phase::kSuspending;
  // After success the coroutine may go on elsewhere: nothing of its frame may be touched.
  return phase_.compare_exchange_strong(
      expected, Phase::kWaiting, std::memory_order_acq_rel, std::memory_order_acquire);
}

void OffloadJob::run_on_worker(Job& job) {
  auto& self = static_cast<OffloadJob&>(job);
  const std::shared_ptr<OffloadJob> keep = std::move(self.self_);
  if (!self.is_open()) return;
  self.call();
  if (self.end(Phase::kDone)) self.task->resume_at_home();
}

bool OffloadWait::suspend(loop::TaskPromise& task, std::shared_ptr<OffloadJob> job) {
  MR_CHECK(options_.loop != nullptr);
  MR_CHECK(options_.workers != nullptr);
  MR_CHECK(options_.loop->is_current());
  job_ = std::move(job);
  job_->task = &task;
  if (!try_connect(options_.stop)) {
    static_cast<void>(job_->end(OffloadJob::Phase::kCancelled));
    return false;
  }
  if (options_.when) options_.loop->arm(*this, *options_.when);
  // Held by value: once the job runs, the coroutine may be gone before `suspended` returns.
  const std::shared_ptr<OffloadJob> shared = job_;
  shared->post(shared, *options_.workers);
  return shared->suspended();
}

base::Status OffloadWait::finish() {
  const OffloadJob::Phase phase = job_->phase();
  leave();
  switch (phase) {
    case OffloadJob::Phase::kTimedOut:
      return base::fail(base::ErrorCode::kTimeout, "Offloaded work took too long");
    case OffloadJob::Phase::kCancelled:
      return base::fail(base::ErrorCode::kCancelled, "Offloaded work was given up");
    case OffloadJob::Phase::kSuspending:
    case OffloadJob::Phase::kWaiting:
    case OffloadJob::Phase::kDone:
      break;
  }
  return {};
}

void OffloadWait::leave() {
  disconnect();
  if (job_ == nullptr) return;
  // On the loop thread, where this is, the timer does not fire after this whatever it returns.
  static_cast<void>(options_.loop->disarm(*this));
  static_cast<void>(job_->end(OffloadJob::Phase::kCancelled));
  job_.reset();
}

void OffloadWait::fired(Timer& timer) {
  auto& self = static_cast<OffloadWait&>(timer);
  if (self.job_->end(OffloadJob::Phase::kTimedOut)) self.job_->task->resume_at_home();
}

void OffloadWait::dropped(Timer& timer) {
  auto& self = static_cast<OffloadWait&>(timer);
  if (self.job_->end(OffloadJob::Phase::kCancelled)) self.job_->task->resume_at_home();
}

void OffloadWait::stopped(StopCallback& callback) {
  auto& self = static_cast<OffloadWait&>(callback);
  // Never resumes here, where the mutex of the source is held.
  if (self.job_->end(OffloadJob::Phase::kCancelled)) self.job_->task->post_home();
}

}  // namespace millrace::tasks
