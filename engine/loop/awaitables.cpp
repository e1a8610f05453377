#include "loop/awaitables.h"

#include "base/check.h"
#include "base/error.h"
#include "base/result.h"
#include "loop/loop.h"
#include "loop/one_shot_wait.h"
#include "loop/stop.h"
#include "loop/task_promise.h"

namespace millrace::loop {

Sleep::~Sleep() {
  // First, so that no stop request can end the wait from now on.
  disconnect();
  if (is_waiting()) MR_CHECK(loop_.disarm(*this));
}

bool Sleep::suspend(TaskPromise& task) {
  begin(task);
  loop_.arm(*this, when_);
  if (!try_connect(token_) && loop_.disarm(*this)) end(WaitEnd::kCancelled);
  return finish_suspending();
}

void Sleep::fired(Timer& timer) { static_cast<Sleep&>(timer).end(WaitEnd::kDone); }

void Sleep::dropped(Timer& timer) { static_cast<Sleep&>(timer).end(WaitEnd::kCancelled); }

void Sleep::stopped(StopCallback& callback) {
  auto& self = static_cast<Sleep&>(callback);
  // Posted, because the mutex of the source is held here.
  if (self.loop_.disarm(self)) self.end_posted(WaitEnd::kCancelled);
}

base::Status Sleep::await_resume() {
  disconnect();
  if (ended() == WaitEnd::kDone) return {};
  return base::fail(base::ErrorCode::kCancelled, "Sleep was cancelled");
}

}  // namespace millrace::loop
