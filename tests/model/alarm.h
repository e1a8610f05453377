#pragma once

#include <atomic>
#include <cstdint>

namespace millrace::model {

/// A timer of a loop: whoever takes it out of the queue decides whether it fires.
template <class Atomics>
class Alarm {
 public:
  void arm(std::int64_t when_ns) {
    when_ns_.store(when_ns, std::memory_order_relaxed);
    armed_.store(true, std::memory_order_release);
  }
  [[nodiscard]] bool disarm() { return armed_.exchange(false, std::memory_order_acq_rel); }
  [[nodiscard]] std::int64_t time() const { return when_ns_.load(std::memory_order_relaxed); }

 private:
  typename Atomics::template Atomic<bool> armed_{false};
  typename Atomics::template Atomic<std::int64_t> when_ns_{0};
};

}  // namespace millrace::model
