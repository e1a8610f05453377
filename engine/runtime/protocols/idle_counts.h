#pragma once

#include <atomic>
#include <cstdint>

#include "base/sync/atomics.h"

namespace millrace::runtime {

/// How many workers search, watch and sleep: three counts in one word, because whoever becomes idle
/// or busy changes two of them, while others wait for what it is about to do.
///
/// - searching: awake and looking for work, or just woken to.
/// - watching: idle, and looks at what busy workers hold back from time to time.
/// - sleeping: until it is woken.
///
/// Invariant: while a worker is in a strand and another one sleeps, somebody watches, or is about
/// to be woken to. A worker that enters a strand says so, passes a light fence and then asks
/// `is_watched`; a watcher that is about to sleep says so (`start_sleeping`), passes a heavy fence
/// and then looks for busy workers. At least one of the two sees the other.
/// tests/model/idle_counts_model_test.cpp tries every interleaving.
///
/// Threading: any thread. Counts publish nothing.
template <class Atomics = base::StdAtomics>
class IdleCounts {
 public:
  /// As a hint; 0 when all sleep.
  [[nodiscard]] std::int32_t searching_count() const {
    return static_cast<std::int32_t>(word_.load(std::memory_order_relaxed) >> kSearchingShift);
  }
  /// False: some worker sleeps and none watches.
  [[nodiscard]] bool is_watched() const {
    const auto watch = static_cast<std::uint32_t>(word_.load(std::memory_order_relaxed));
    return watch >= kWatcher || watch == 0;
  }
  void start_searching() { word_.fetch_add(kSearcher, std::memory_order_relaxed); }
  void stop_searching() { word_.fetch_sub(kSearcher, std::memory_order_relaxed); }
  void start_idling() { word_.fetch_add(kSearcher + kWatcher, std::memory_order_relaxed); }
  void stop_idling() { word_.fetch_sub(kSearcher + kWatcher, std::memory_order_relaxed); }
  /// A watcher goes to sleep until it is woken, or is back.
  void start_sleeping() { word_.fetch_sub(kWatcher - kSleeper, std::memory_order_relaxed); }
  void stop_sleeping() { word_.fetch_add(kWatcher - kSleeper, std::memory_order_relaxed); }
  /// Says that this thread is about to stop idling.
  void prefetch() const { __builtin_prefetch(this, 1); }

 private:
  static constexpr std::int64_t kSleeper = 1;                       // in bits 0 to 15
  static constexpr std::int64_t kWatcher = std::int64_t{1} << 16U;  // in bits 16 to 31
  static constexpr int kSearchingShift = 32;
  static constexpr std::int64_t kSearcher = std::int64_t{1} << kSearchingShift;

  typename Atomics::template Atomic<std::int64_t> word_{0};
};

}  // namespace millrace::runtime
