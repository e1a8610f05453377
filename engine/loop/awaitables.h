#pragma once

#include <coroutine>

#include "base/clock.h"
#include "base/result.h"
#include "loop/executor.h"
#include "loop/loop.h"
#include "loop/one_shot_wait.h"
#include "loop/stop.h"
#include "loop/task_promise.h"

namespace millrace::loop {

/// Moves the awaiting task; see `on`.
class [[nodiscard]] MoveTo {
 public:
  explicit MoveTo(Executor& executor) : executor_(executor) {}

  [[nodiscard]] bool await_ready() const noexcept { return false; }
  template <TaskLike Promise>
  [[nodiscard]] bool await_suspend(std::coroutine_handle<Promise> task) {
    return task.promise().move_to(executor_);
  }
  void await_resume() const noexcept {}

 private:
  Executor& executor_;
};

/// `co_await on(pool);` makes `pool` the home of the task: what follows runs there. Goes on without
/// a hop when the task is there already. The task's parent stays where it is.
[[nodiscard]] inline MoveTo on(Executor& executor) { return MoveTo(executor); }

/// Waits for a point in time; see `sleep_until`.
///
/// Three events can end it: the timer fires, a loop that stops drops the timer, or a stop request
/// disarms it. Exactly one of them takes the timer out of its queue, and only that one ends the
/// wait.
class [[nodiscard]] Sleep : private Timer, private StopCallback, private OneShotWait {
 public:
  Sleep(Loop& loop, base::TimePoint when, StopToken token)
      : Timer(&fired, &dropped), StopCallback(&stopped), loop_(loop), when_(when), token_(token) {}
  /// Takes back the timer of a task that is destroyed while it sleeps.
  ~Sleep();

  [[nodiscard]] bool await_ready() const noexcept { return false; }
  template <TaskLike Promise>
  [[nodiscard]] bool await_suspend(std::coroutine_handle<Promise> task) {
    return suspend(task.promise());
  }
  /// Gives ok, or kCancelled when a stop was requested or the loop stops.
  [[nodiscard]] base::Status await_resume();

 private:
  static void fired(Timer& timer);
  static void dropped(Timer& timer);
  static void stopped(StopCallback& callback);

  [[nodiscard]] bool suspend(TaskPromise& task);

  Loop& loop_;
  const base::TimePoint when_;
  const StopToken token_;
};

/// `co_await sleep_until(loop, when, token)` waits until `when` and gives ok, or returns early with
/// kCancelled as soon as a stop is requested on `token` or `loop` stops. The task goes on at home,
/// which need not be `loop`. Does not allocate.
[[nodiscard]] inline Sleep sleep_until(Loop& loop, base::TimePoint when, StopToken token = {}) {
  return Sleep(loop, when, token);
}
/// The same for a span from now.
[[nodiscard]] inline Sleep sleep_for(Loop& loop, base::Duration span, StopToken token = {}) {
  return Sleep(loop, loop.clock().now() + span, token);
}

}  // namespace millrace::loop
