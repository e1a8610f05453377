#pragma once

#include <atomic>

namespace millrace::rankd {

/// Says once that a program is to come to its end.
/// Threading: any thread, and signal handlers.
class StopFlag {
 public:
  StopFlag();
  ~StopFlag();
  StopFlag(const StopFlag&) = delete;
  StopFlag& operator=(const StopFlag&) = delete;

  void raise() noexcept;
  [[nodiscard]] bool is_raised() const { return is_raised_.load(std::memory_order_acquire); }
  /// A descriptor that is readable once the flag is raised, for poll(2). -1 if the system gave
  /// none.
  [[nodiscard]] int descriptor() const { return descriptor_; }

 private:
  // Publishes what came before `raise` to whoever sees it.
  std::atomic<bool> is_raised_{false};
  const int descriptor_;
};

/// While it lives, the first SIGINT or SIGTERM raises the flag, and the second ends the process at
/// once with the exit code of a shell: 128 and the number of the signal.
/// Threading: one thread makes and destroys it. Lifetime: borrows the flag; one at a time.
class StopSignals {
 public:
  explicit StopSignals(StopFlag& flag);
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;
};

}  // namespace millrace::rankd
