#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <semaphore>
#include <utility>

#include "base/check.h"
#include "loop/executor.h"
#include "loop/loop.h"
#include "loop/task.h"

// What the tests of loops and tasks share.

namespace millrace::loop {

/// A job made of a function object.
template <class Function>
class FunctionJob : public Job {
 public:
  explicit FunctionJob(Function function) : Job(&call), function_(std::move(function)) {}

 private:
  static void call(Job& job) { static_cast<FunctionJob&>(job).function_(); }
  Function function_;
};

/// A timer made of a function object.
template <class Function>
class FunctionTimer : public Timer {
 public:
  explicit FunctionTimer(Function function) : Timer(&call), function_(std::move(function)) {}

 private:
  static void call(Timer& timer) { static_cast<FunctionTimer&>(timer).function_(); }
  Function function_;
};

/// Keeps the result of a started task.
template <class T>
class Outcome : public Completion<T> {
 public:
  using Value = typename Completion<T>::Value;
  Outcome() : Completion<T>(&keep) {}

  [[nodiscard]] bool is_done() const { return value_.has_value(); }
  [[nodiscard]] const Value& value() const {
    MR_CHECK(value_.has_value());
    return *value_;
  }

 private:
  static void keep(Completion<T>& completion, Value value) {
    static_cast<Outcome&>(completion).value_.emplace(std::move(value));
  }
  std::optional<Value> value_;
};

/// The same, for a thread that waits.
template <class T>
class AwaitedOutcome : public Completion<T> {
 public:
  using Value = typename Completion<T>::Value;
  AwaitedOutcome() : Completion<T>(&keep) {}

  [[nodiscard]] const Value& wait() {
    done_.acquire();
    MR_CHECK(value_.has_value());
    return *value_;
  }

 private:
  static void keep(Completion<T>& completion, Value value) {
    auto& self = static_cast<AwaitedOutcome&>(completion);
    self.value_.emplace(std::move(value));
    self.done_.release();
  }
  std::optional<Value> value_;
  std::binary_semaphore done_{0};
};

/// Runs `function` on `executor` and waits for it.
template <class Function>
void run_and_wait(Executor& executor, Function function) {
  std::binary_semaphore done{0};
  FunctionJob job([&] {
    function();
    done.release();
  });
  executor.post(job);
  done.acquire();
}

/// Records how far apart the stack addresses of the calls were.
class StackSpan {
 public:
  void touch() {
    // Not the address of a local: the address sanitizer may keep those elsewhere.
    const auto address = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
    lowest_ = std::min(lowest_, address);
    highest_ = std::max(highest_, address);
  }
  [[nodiscard]] std::size_t bytes() const { return highest_ - lowest_; }

 private:
  std::uintptr_t lowest_ = UINTPTR_MAX;
  std::uintptr_t highest_ = 0;
};
/// A span below this does not depend on how often or how deep the calls went.
inline constexpr std::size_t kFlatBytes = std::size_t{16} * 1024;

}  // namespace millrace::loop
