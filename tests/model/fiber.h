#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include <ucontext.h>

namespace millrace::model {

/// A separate stack on which a function runs until it switches to another fiber. Known to the
/// address and thread sanitizers.
/// Threading: all fibers belong to one thread.
class Fiber {
 public:
  /// Represents the thread's own stack: the fiber that is already running.
  Fiber();
  /// Makes a fiber that calls `entry` when first switched to. `entry` must never return.
  explicit Fiber(std::function<void()> entry);
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Leaves this fiber, which must be the running one, for `next`. Returns when another fiber
  /// switches back.
  void switch_to(Fiber& next);

 private:
  static void start(unsigned low, unsigned high);
  void note_arrival();

  std::function<void()> entry_;
  std::unique_ptr<char[]> stack_;
  [[maybe_unused]] const void* stack_bottom_ = nullptr;
  [[maybe_unused]] std::size_t stack_bytes_ = 0;
  ucontext_t context_{};
  // What the address and the thread sanitizer keep about this fiber.
  [[maybe_unused]] void* fake_stack_ = nullptr;
  [[maybe_unused]] void* tsan_fiber_ = nullptr;
  // The fiber that switched here last.
  [[maybe_unused]] Fiber* previous_ = nullptr;
};

}  // namespace millrace::model
