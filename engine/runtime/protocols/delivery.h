#pragma once

#include <atomic>
#include <cstdint>

#include "base/sync/atomics.h"

namespace millrace::runtime {

/// Brings a run's answer to a thread that waits in `run()`, which may take run, worker and pool
/// away as soon as it sees it. So the word is written twice, before and after the waiter is woken.
///
/// Invariant: whoever has seen `is_done` finds the answer, and the thread that delivered it touches
/// neither the run nor the waiter any more. No wake-up is lost: the waiter announces itself, passes
/// a heavy fence and then asks `is_done`; `deliver` says that it is calling, passes a light fence
/// and then looks for the waiter. tests/model/delivery_model_test.cpp tries every interleaving.
///
/// Threading: `deliver` by the thread that answers, once; `is_done` by the one that waits.
template <class Atomics = base::StdAtomics>
class AnswerDelivery {
 public:
  /// Before the run is visible to others.
  void open() { phase_.store(Phase::kOpen, std::memory_order_relaxed); }

  /// Calls `wake`, which wakes the waiter if it sleeps. The last touch.
  template <class Wake>
  void deliver(Wake wake) {
    phase_.store(Phase::kCalling, std::memory_order_release);
    Atomics::light_fence();
    wake();
    phase_.store(Phase::kDone, std::memory_order_release);
  }
  [[nodiscard]] bool is_done() const {
    Phase phase = phase_.load(std::memory_order_acquire);
    // From the answer to the end of the call that wakes the waiter: a few instructions.
    while (phase == Phase::kCalling) [[unlikely]] {
      Atomics::yield();
      phase = phase_.load(std::memory_order_acquire);
    }
    return phase == Phase::kDone;
  }

 private:
  enum class Phase : std::uint8_t { kOpen, kCalling, kDone };

  // Publishes the answer to the waiter.
  typename Atomics::template Atomic<Phase> phase_{Phase::kOpen};
};

}  // namespace millrace::runtime
