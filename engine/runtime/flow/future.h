#pragma once

#include <coroutine>
#include <memory>
#include <utility>

#include "base/check.h"
#include "base/result.h"
#include "loop/task.h"
#include "runtime/flow/future_state.h"
#include "runtime/run.h"
#include "runtime/run_pool.h"
#include "runtime/worker_pool.h"

namespace millrace::runtime {

/// The answer of a run that was started, when it comes: the context that the run worked on, or the
/// error. Take it once, by `get` on a thread or by `co_await std::move(future)` in a task:
///
///   Future<Request> future = *flow.start(pool, request, {.budget = 20ms, .loop = &loop});
///   Result<std::shared_ptr<Request>> answer = std::move(future).get();
///
/// A run that failed or came too late gives an error and no context, because bodies may still be
/// writing to it. A future that is dropped lets its run go on; `cancel` stops it.
/// Threading: not shared. Lifetime: the flow and the pool outlive it. A task that awaits it must
/// not be destroyed before the answer is there.
template <class Context>
class [[nodiscard]] Future {
 public:
  Future() = default;
  Future(FutureState& state, std::shared_ptr<Context> context)
      : state_(&state), context_(std::move(context)) {}

  /// False for a future that was moved from or whose answer was taken.
  [[nodiscard]] bool has_run() const { return state_ != nullptr; }
  /// Whether the answer is there, so that `get` will not wait.
  [[nodiscard]] bool is_ready() const { return state_->is_ready(); }
  /// Asks the run to stop within one node boundary (C7); its answer is then kCancelled.
  void cancel() const { state_->handle().cancel(); }
  /// The run, to ask what it did: which nodes were pending, which fallbacks were used.
  [[nodiscard]] const RunHandle& handle() const { return state_->handle(); }

  /// Waits for the answer. The calling thread helps the pool meanwhile, but if the run has a
  /// deadline only on a thread of the pool. On the loop of the run, which it would block, it fails
  /// with kInvalidArgument instead and the run goes on.
  [[nodiscard]] base::Result<std::shared_ptr<Context>> get() && {
    MR_CHECK(state_ != nullptr);
    MR_TRY_STATUS(state_->wait());
    return take();
  }

  /// Waits in a task, which goes on at its home.
  auto operator co_await() && {
    MR_CHECK(state_ != nullptr);
    return Awaiter{std::move(*this)};
  }

 private:
  struct [[nodiscard]] Awaiter {
    Future future;

    [[nodiscard]] bool await_ready() const noexcept { return future.is_ready(); }
    template <loop::TaskLike Promise>
    [[nodiscard]] bool await_suspend(std::coroutine_handle<Promise> task) {
      return future.state_->suspend(task.promise());
    }
    [[nodiscard]] base::Result<std::shared_ptr<Context>> await_resume() { return future.take(); }
  };
  struct Drop {
    void operator()(FutureState* state) const { state->drop(); }
  };

  [[nodiscard]] base::Result<std::shared_ptr<Context>> take() {
    const auto state = std::exchange(state_, nullptr);
    MR_TRY_STATUS(state->status());
    return std::move(context_);
  }

  std::unique_ptr<FutureState, Drop> state_;
  std::shared_ptr<Context> context_;
};

/// Starts a run by `submit`, a function from an observer to a handle, and gives its future.
template <class Context, class Submit>
[[nodiscard]] base::Result<Future<Context>> start_future(WorkerPool& pool,
                                                         const RunOptions& options,
                                                         std::shared_ptr<Context> context,
                                                         Submit submit) {
  auto* const state = new FutureState(pool, options);
  Future<Context> future(*state, std::move(context));
  base::Result<RunHandle> handle = submit(state->observer());
  if (!handle) {
    state->forget_run();
    return std::unexpected(std::move(handle.error()));
  }
  state->keep(*std::move(handle));
  return future;
}

}  // namespace millrace::runtime
