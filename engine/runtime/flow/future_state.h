#pragma once

#include <atomic>
#include <optional>
#include <utility>

#include "base/result.h"
#include "loop/loop.h"
#include "loop/one_shot_wait.h"
#include "loop/task_promise.h"
#include "runtime/run.h"
#include "runtime/run_pool.h"
#include "runtime/worker_pool.h"

namespace millrace::runtime {

/// What a future and its run share. The run's answer ends two kinds of waiting: that of a thread,
/// by `open_`, and that of a coroutine, by `waiting_`.
/// Threading: any thread. Lifetime: until both the future and the run have dropped it.
class FutureState {
 public:
  FutureState(WorkerPool& pool, const RunOptions& options)
      : pool_(pool),
        loop_(options.loop),
        has_deadline_(options.deadline.has_value() || options.budget.has_value()) {
    open_.add(1);
  }
  FutureState(const FutureState&) = delete;
  FutureState& operator=(const FutureState&) = delete;

  /// For `RunPool::submit`: the run's share of this state, dropped with its answer.
  [[nodiscard]] RunObserver observer();
  /// The run was not started after all: nobody will call the observer.
  void forget_run() { drop(); }
  void keep(RunHandle handle) { handle_ = std::move(handle); }
  [[nodiscard]] const RunHandle& handle() const { return handle_; }

  [[nodiscard]] bool is_ready() const { return !open_.is_open(); }
  /// Waits until the answer is there. Helps the pool meanwhile, unless the answer has a deadline: a
  /// body could keep the helper beyond it. Fails on the run's own loop, which it would block.
  [[nodiscard]] base::Status wait();
  /// Suspends `task` until the answer is there. False: it is there.
  [[nodiscard]] bool suspend(loop::TaskPromise& task);
  /// Only when it is ready.
  [[nodiscard]] base::Status status() const;
  void drop();

 private:
  ~FutureState() = default;
  static void on_answer(Run& run, void* state);

  WorkerPool& pool_;
  loop::Loop* const loop_;
  const bool has_deadline_;
  // Written by the answer, before it ends the waits; read after.
  std::optional<base::Status> status_;
  WaitGroup open_;                        // for a thread that helps
  std::atomic<bool> is_answered_{false};  // for a thread that only waits; publishes `status_`
  loop::OneShotWait waiting_;
  // What the awaiting coroutine and the answer have done; publishes `waiting_` to the answer.
  std::atomic<bool> has_waiter_or_answer_{false};
  RunHandle handle_;  // of the future
  std::atomic<int> holders_{2};
};

}  // namespace millrace::runtime
