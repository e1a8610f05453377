#include "runtime/flow/future_state.h"

#include <atomic>

#include "base/check.h"
#include "base/error.h"
#include "base/result.h"
#include "loop/loop.h"
#include "loop/one_shot_wait.h"
#include "loop/task_promise.h"
#include "runtime/run.h"
#include "runtime/worker_pool.h"

namespace millrace::runtime {

RunObserver FutureState::observer() { return {.on_answer = &on_answer, .data = this}; }

void FutureState::on_answer(Run& run, void* state) {
  FutureState& self = *static_cast<FutureState*>(state);
  self.status_ = run.status();
  // Whoever comes second ends the coroutine's wait: the answer here, or the coroutine in `suspend`.
  if (self.has_waiter_or_answer_.exchange(true, std::memory_order_acq_rel))
    self.waiting_.end_posted(loop::WaitEnd::kDone);
  self.is_answered_.store(true, std::memory_order_release);
  self.is_answered_.notify_all();
  self.open_.done();
  self.drop();
}

base::Status FutureState::wait() {
  if (!is_ready() && loop_ != nullptr && loop_->is_current()) {
    return base::fail(base::ErrorCode::kInvalidArgument,
                      "Waiting on the loop of the run would block it: co_await the future instead");
  }
  if (has_deadline_ && !pool_.is_current()) {
    is_answered_.wait(false, std::memory_order_acquire);
  } else {
    pool_.help_until_done(open_);
  }
  return {};
}

bool FutureState::suspend(loop::TaskPromise& task) {
  waiting_.begin(task);
  if (has_waiter_or_answer_.exchange(true, std::memory_order_acq_rel))
    waiting_.end(loop::WaitEnd::kDone);
  return waiting_.finish_suspending();
}

base::Status FutureState::status() const {
  MR_CHECK(status_.has_value());
  return *status_;
}

void FutureState::drop() {
  if (holders_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
}

}  // namespace millrace::runtime
