#include "tasks/offload.h"

#include <memory>
#include <utility>

#include "base/check.h"
#include "base/error.h"
#include "base/result.h"
#include "loop/executor.h"
#include "loop/loop.h"
#include "loop/one_shot_wait.h"
#include "loop/stop.h"
#include "loop/task_promise.h"

namespace millrace::tasks {

using loop::WaitEnd;

void OffloadJob::post(std::shared_ptr<OffloadJob> self, loop::Executor& workers) {
  MR_CHECK(self.get() == this);
  self_ = std::move(self);
  workers.post(*this);
}

void OffloadJob::run_on_worker(Job& job) {
  auto& self = static_cast<OffloadJob&>(job);
  const std::shared_ptr<OffloadJob> keep = std::move(self.self_);
  if (self.wait.ended()) return;
  self.call();
  self.wait.end(WaitEnd::kDone);
}

bool OffloadWait::suspend(loop::TaskPromise& task, std::shared_ptr<OffloadJob> job) {
  MR_CHECK(options_.loop != nullptr);
  MR_CHECK(options_.workers != nullptr);
  MR_CHECK(options_.loop->is_current());
  job_ = std::move(job);
  job_->wait.begin(task);
  if (!try_connect(options_.stop)) {
    job_->wait.end(WaitEnd::kCancelled);
    return false;
  }
  if (options_.when) options_.loop->arm(*this, *options_.when);
  // Held by value: once the job runs, the coroutine may be gone before `finish_suspending` returns.
  const std::shared_ptr<OffloadJob> shared = job_;
  shared->post(shared, *options_.workers);
  return shared->wait.finish_suspending();
}

base::Status OffloadWait::finish() {
  const auto how = job_->wait.ended();
  leave();
  if (how == WaitEnd::kTimedOut) {
    return base::fail(base::ErrorCode::kTimeout, "Offloaded work took too long");
  }
  if (how == WaitEnd::kCancelled) {
    return base::fail(base::ErrorCode::kCancelled, "Offloaded work was given up");
  }
  return {};
}

void OffloadWait::leave() {
  disconnect();
  if (job_ == nullptr) return;
  // On the loop thread, where this is, the timer does not fire after this whatever it returns.
  static_cast<void>(options_.loop->disarm(*this));
  // A worker that has not begun yet then does nothing, and one that has resumes nobody.
  job_->wait.abandon();
  job_.reset();
}

void OffloadWait::fired(Timer& timer) {
  static_cast<OffloadWait&>(timer).job_->wait.end(WaitEnd::kTimedOut);
}

void OffloadWait::dropped(Timer& timer) {
  static_cast<OffloadWait&>(timer).job_->wait.end(WaitEnd::kCancelled);
}

void OffloadWait::stopped(StopCallback& callback) {
  // Posted, because the mutex of the source is held here.
  static_cast<OffloadWait&>(callback).job_->wait.end_posted(WaitEnd::kCancelled);
}

}  // namespace millrace::tasks
