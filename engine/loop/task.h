#pragma once

#include <coroutine>
#include <exception>
#include <type_traits>
#include <utility>
#include <variant>

#include "base/result.h"
#include "loop/executor.h"
#include "loop/task_promise.h"

namespace millrace::loop {

template <class T>
class Task;
template <class T>
class Completion;

/// What a `Completion<T>` is given: `T` itself when it is a Result, else a Result of `T`.
template <class T>
struct CompletionValue {
  using type = base::Result<T>;
};
template <class T>
struct CompletionValue<base::Result<T>> {
  using type = base::Result<T>;
};

/// Makes an exception that left a coroutine an error: kNodeFailed with its `what()`.
[[nodiscard]] base::Error error_from(const std::exception_ptr& exception);

/// Keeps the outcome of a coroutine: nothing yet, a value, or what it threw.
template <class T>
class TaskOutcome : public TaskPromise {
 public:
  // NOLINTNEXTLINE(bugprone-exception-escape): `emplace` cannot fail for an exception_ptr.
  void unhandled_exception() noexcept { outcome_.template emplace<2>(std::current_exception()); }
  /// Gives the value, or rethrows.
  [[nodiscard]] T take() {
    if (outcome_.index() == 2) std::rethrow_exception(std::get<2>(std::move(outcome_)));
    MR_CHECK(outcome_.index() == 1);
    if constexpr (!std::is_void_v<T>) return std::get<1>(std::move(outcome_));
  }
  /// Gives the value, or the exception as an error.
  [[nodiscard]] typename CompletionValue<T>::type take_result() {
    if (outcome_.index() == 2) return std::unexpected(error_from(std::get<2>(outcome_)));
    MR_CHECK(outcome_.index() == 1);
    if constexpr (std::is_void_v<T>) {
      return {};
    } else {
      return std::get<1>(std::move(outcome_));
    }
  }

 protected:
  using TaskPromise::TaskPromise;
  using Stored = std::conditional_t<std::is_void_v<T>, std::monostate, T>;
  std::variant<std::monostate, Stored, std::exception_ptr> outcome_;
};

/// The part of the promise that differs between tasks with a value and those without.
template <class T>
class TaskReturn : public TaskOutcome<T> {
 public:
  template <class Value = T>
    requires std::constructible_from<T, Value>
  void return_value(Value&& value) {
    this->outcome_.template emplace<1>(std::forward<Value>(value));
  }

 protected:
  using TaskOutcome<T>::TaskOutcome;
};
template <>
class TaskReturn<void> : public TaskOutcome<void> {
 public:
  void return_void() { outcome_.emplace<1>(); }

 protected:
  using TaskOutcome<void>::TaskOutcome;
};

/// A lazy coroutine: `Task<int> f();` does nothing until somebody says `co_await f()` or `start`.
///
/// It runs on the executor of the coroutine that awaits it, its home. `co_await on(executor)` gives
/// it another home; the awaiting coroutine still continues on its own. Awaiting uses neither a
/// queue nor more stack, however often or deeply it is done. An exception that leaves the body is
/// rethrown where the task is awaited.
///
/// Threading: not shared. Run by one thread at a time, on its executor.
/// Lifetime: owns the frame. Destroying a task destroys the coroutine and the children it waits
/// for, and takes back their timers. That is allowed before it started and after it ended; and
/// while it is suspended, if the caller is on its home, its home is a loop, and it neither runs nor
/// waits for anything on another executor. A coroutine takes its parameters by value.
template <class T = void>
class [[nodiscard]] Task {
  static_assert(!std::is_reference_v<T>, "A task gives a value, not a reference");

 public:
  // NOLINTNEXTLINE(readability-identifier-naming): the language asks for this name.
  class promise_type : public TaskReturn<T> {
   public:
    promise_type() : TaskReturn<T>(std::coroutine_handle<promise_type>::from_promise(*this)) {}
    Task get_return_object() { return Task(*this); }
    auto final_suspend() noexcept { return FinalAwaiter{}; }
  };

  Task() = default;
  Task(Task&& other) noexcept : promise_(std::exchange(other.promise_, nullptr)) {}
  Task& operator=(Task&& other) noexcept {
    Task(std::move(other)).swap(*this);
    return *this;
  }
  ~Task() {
    if (promise_ != nullptr) promise_->destroy();
  }

  /// Is false for the empty task, which may be neither awaited nor started.
  [[nodiscard]] bool has_coroutine() const { return promise_ != nullptr; }

  /// Runs the task inside the awaiting one and gives its value.
  auto operator co_await() && { return Awaiter(std::move(*this)); }

 private:
  friend class Completion<T>;

  struct FinalAwaiter {
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    [[nodiscard]] std::coroutine_handle<> await_suspend(
        std::coroutine_handle<promise_type> ended) const noexcept {
      return ended.promise().end();
    }
    void await_resume() const noexcept {}
  };

  class [[nodiscard]] Awaiter {
   public:
    explicit Awaiter(Task&& task) : slot_{std::exchange(task.promise_, nullptr)} {
      MR_CHECK(slot_.child != nullptr);
    }
    ~Awaiter() {
      if (slot_.child != nullptr) slot_.child->destroy();
    }
    Awaiter(const Awaiter&) = delete;
    Awaiter& operator=(const Awaiter&) = delete;

    [[nodiscard]] bool await_ready() const noexcept { return false; }
    template <TaskLike Parent>
    [[nodiscard]] std::coroutine_handle<> await_suspend(std::coroutine_handle<Parent> parent) {
      return slot_.child->begin_child(parent.promise(), slot_);
    }
    T await_resume() { return static_cast<promise_type*>(slot_.child)->take(); }

   private:
    ChildSlot slot_;
  };

  explicit Task(promise_type& promise) : promise_(&promise) {}
  void swap(Task& other) noexcept { std::swap(promise_, other.promise_); }

  promise_type* promise_ = nullptr;
};

/// Takes the result of a started task: embed one, or derive from it. Does not allocate.
///
/// `done` is called once, on the thread on which the body ended: that is the home given to `start`
/// unless the body moved. The frame is gone by then, and `done` may destroy the completion or start
/// another task with it. What the body threw comes as kNodeFailed.
///
/// Threading: start and destroy it where its task may be destroyed, see `Task`.
/// Lifetime: owns the task while it is in flight; destroying it then abandons the task, and `done`
/// is not called.
template <class T>
class Completion {
 public:
  using Value = typename CompletionValue<T>::type;
  using Done = void (*)(Completion& completion, Value value);

  explicit Completion(Done done) : done_(done) {}
  ~Completion() { abandon(); }
  Completion(const Completion&) = delete;
  Completion& operator=(const Completion&) = delete;

  /// Is true from `start` until just before `done` is called.
  [[nodiscard]] bool in_flight() const { return chain_ != nullptr; }

  /// Destroys the task that is in flight, if any; `done` is not called.
  void abandon() {
    if (chain_ == nullptr) return;
    task_ = Task<T>();
    std::exchange(chain_, nullptr)->release();
  }

 private:
  template <class U>
  friend void start(Executor& home, Task<U> task, Completion<U>& completion);

  void begin(Executor& home, Task<T> task) {
    MR_CHECK(task.has_coroutine());
    MR_CHECK(chain_ == nullptr);
    task_ = std::move(task);
    chain_ = &TaskChain::make(&finish, this);
    task_.promise_->begin(home, *chain_);
  }
  static void finish(void* owner) {
    Completion& self = *static_cast<Completion*>(owner);
    Value value = self.task_.promise_->take_result();
    self.abandon();
    self.done_(self, std::move(value));
  }

  const Done done_;
  Task<T> task_;
  TaskChain* chain_ = nullptr;
};

/// Runs `task` on `home` and gives its result to `completion`. On a thread of `home` the task runs
/// inside this call until it first suspends, and `done` is called inside it if it never does; on
/// another thread the task is posted. Make and start tasks at home: then their memory comes from,
/// and goes back to, the frame pool of one thread, and a warm start allocates nothing.
template <class T>
void start(Executor& home, Task<T> task, Completion<T>& completion) {
  completion.begin(home, std::move(task));
}

}  // namespace millrace::loop
