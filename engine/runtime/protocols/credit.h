#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "base/sync/atomics.h"

namespace millrace::runtime {

/// Tells when the work of a run is over, without counting nodes. A run starts with one sum of
/// credit in one hand. Whoever hands work over hands a part of its credit along; whoever runs out
/// of work gives back what it holds, by one atomic subtraction (D8). A hand-over changes no shared
/// counter.
///
/// Invariant: the sum of all credit in hands and queues is `outstanding_`. So the one
/// subtraction that reaches zero is the last of the run, and has seen the effects of all others.
/// tests/model/credit_model_test.cpp tries every interleaving.
///
/// Threading: any thread that holds credit; others `try_join`.
template <class Atomics = base::StdAtomics>
class CreditAccount {
 public:
  using Credit = std::uint64_t;
  static constexpr Credit kFull = Credit{1} << 31U;

  /// Starts a run, whose whole credit the caller now holds.
  void open() { outstanding_.store(kFull, std::memory_order_relaxed); }

  /// Takes a share of `held` for something that is handed over; it fits 32 bits. Makes more credit
  /// when little is left, which is safe because what the holder keeps is not given back meanwhile.
  [[nodiscard]] std::uint32_t split(Credit& held) {
    if (held < kSplitMin) [[unlikely]] {
      outstanding_.fetch_add(kFull, std::memory_order_relaxed);
      held += kFull;
    }
    const auto share = static_cast<std::uint32_t>(std::min<Credit>(held >> 3U, UINT32_MAX));
    held -= share;
    return share;
  }
  /// For a thread that holds no credit and whose storage outlives this call: takes part in the work
  /// unless it is over. Only in runs whose credit is counted.
  [[nodiscard]] bool try_join(Credit& held) {
    Credit now = outstanding_.load(std::memory_order_relaxed);
    while (now != 0) {
      if (!outstanding_.compare_exchange_weak(
              now, now + kFull, std::memory_order_acquire, std::memory_order_relaxed))
        continue;
      held = kFull;
      return true;
    }
    return false;
  }
  /// True: it was the last, and the work is over. False: the caller must not touch the run again.
  [[nodiscard]] bool give_back(Credit held) {
    // One operation: whoever is not the last must not look again, the run may be gone.
    return outstanding_.fetch_sub(held, std::memory_order_acq_rel) == held;
  }

 private:
  static constexpr Credit kSplitMin = 16;

  // The subtraction to zero publishes all effects of the run to the thread that makes it.
  typename Atomics::template Atomic<Credit> outstanding_{kFull};
};

}  // namespace millrace::runtime
