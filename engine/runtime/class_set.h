#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/sync/atomics.h"

namespace millrace::runtime {

/// A set of priority classes, 0 the highest.
/// Threading: `insert` and `remove` by one writer, `insert_shared` and `remove_shared` by any;
/// reading by any thread. It is a hint: it publishes nothing.
template <class Atomics = base::StdAtomics>
class ClassSet {
 public:
  [[nodiscard]] bool any() const { return bits() != 0; }
  [[nodiscard]] bool has(std::size_t priority) const { return (bits() >> priority & 1U) != 0; }
  [[nodiscard]] bool only(std::size_t priority) const { return bits() == 1U << priority; }

  /// Says whether it has a class that is as high as `priority` or higher.
  [[nodiscard]] bool any_up_to(std::size_t priority) const {
    return (bits() & ((2U << priority) - 1)) != 0;
  }

  /// Writes only on a change, so that readers keep the cache line.
  void insert(std::size_t priority) {
    if (!has(priority)) bits_.store(bits() | 1U << priority, std::memory_order_relaxed);
  }
  void remove(std::size_t priority) {
    if (has(priority)) bits_.store(bits() & ~(1U << priority), std::memory_order_relaxed);
  }
  void insert_shared(std::size_t priority) {
    bits_.fetch_or(1U << priority, std::memory_order_seq_cst);
  }
  void remove_shared(std::size_t priority) {
    bits_.fetch_and(~(1U << priority), std::memory_order_seq_cst);
  }

 private:
  [[nodiscard]] std::uint32_t bits() const { return bits_.load(std::memory_order_relaxed); }
  typename Atomics::template Atomic<std::uint32_t> bits_{0};
};

}  // namespace millrace::runtime
