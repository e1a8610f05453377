#pragma once

#include <coroutine>
#include <exception>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "base/check.h"
#include "base/clock.h"
#include "base/result.h"
#include "loop/executor.h"
#include "loop/loop.h"
#include "loop/one_shot_wait.h"
#include "loop/stop.h"
#include "loop/task.h"
#include "loop/task_promise.h"

// CPU work of an async body, on a worker and with a time limit.
//
// The wait ends when the work is done, when the time is over or when a stop is requested. The work,
// its result and the state of the wait live in a block that the worker and the waiting coroutine
// share, so either may leave first.

namespace millrace::tasks {

/// Where the work of an `Offload` goes, and how long its coroutine waits.
struct OffloadOptions {
  loop::Loop* loop = nullptr;         ///< home of the coroutine
  loop::Executor* workers = nullptr;  ///< where the function runs
  std::optional<base::TimePoint> when = {};
  loop::StopToken stop = {};
};

/// The work as a worker sees it.
class OffloadJob : public loop::Job {
 public:
  OffloadJob() : Job(&run_on_worker) {}
  virtual ~OffloadJob() = default;

  /// Queues the job, which keeps itself alive until it has run.
  void post(std::shared_ptr<OffloadJob> self, loop::Executor& workers);

  loop::OneShotWait wait;

 private:
  static void run_on_worker(Job& job);
  /// Calls the function and keeps its result.
  virtual void call() = 0;

  // Owners: the coroutine that waits, and this while the job is queued or runs.
  std::shared_ptr<OffloadJob> self_;
};

/// The waiting half that does not depend on the function.
/// Threading: loop thread, but for the stop callback. Lifetime: in the frame of the coroutine.
class OffloadWait : private loop::Timer, private loop::StopCallback {
 public:
  explicit OffloadWait(const OffloadOptions& options)
      : Timer(&fired, &dropped), StopCallback(&stopped), options_(options) {}
  ~OffloadWait() { leave(); }

 protected:
  [[nodiscard]] bool suspend(loop::TaskPromise& task, std::shared_ptr<OffloadJob> job);
  /// Takes back timer and callback, then says how the wait ended.
  [[nodiscard]] base::Status finish();

 private:
  static void fired(Timer& timer);
  static void dropped(Timer& timer);
  static void stopped(StopCallback& callback);
  void leave();

  const OffloadOptions options_;
  std::shared_ptr<OffloadJob> job_;
};

/// What `TaskContext::offload` gives: await it at once.
template <class Function>
class [[nodiscard]] Offload : private OffloadWait {
  using Returned = std::invoke_result_t<Function&>;

 public:
  using Value = typename loop::CompletionValue<Returned>::type;

  Offload(Function function, const OffloadOptions& options)
      : OffloadWait(options), work_(std::make_shared<Work>(std::move(function))) {}

  [[nodiscard]] bool await_ready() const noexcept { return false; }
  template <loop::TaskLike Promise>
  [[nodiscard]] bool await_suspend(std::coroutine_handle<Promise> task) {
    return suspend(task.promise(), work_);
  }
  [[nodiscard]] Value await_resume() {
    MR_TRY_STATUS(finish());
    return std::move(*work_->value);
  }

 private:
  struct Work final : OffloadJob {
    explicit Work(Function moved) : function(std::move(moved)) {}
    void call() override {
      try {
        if constexpr (std::is_void_v<Returned>) {
          function();
          value.emplace();
        } else {
          value.emplace(function());
        }
      } catch (...) {
        value.emplace(std::unexpected(loop::error_from(std::current_exception())));
      }
    }
    Function function;
    std::optional<Value> value;
  };

  // Owners: this and the queued job.
  std::shared_ptr<Work> work_;
};

}  // namespace millrace::tasks
