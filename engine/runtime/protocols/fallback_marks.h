#pragma once

#include <atomic>
#include <cstdint>

#include "base/sync/atomics.h"

namespace millrace::runtime {

/// What is known of one node with respect to fallbacks: as a node that was replaced, and as a node
/// that replaces others.
///
/// When node A is to be replaced by node F, two threads may meet: one decides that F takes A's
/// place
/// (`mark_used` on A, then `has_succeeded` on F), the other completes F (`mark_succeeded` on F,
/// then `is_used` on A). All four are sequentially consistent, so at least one of the two sees the
/// other's mark; whoever does calls `try_complete` on A, and exactly one call succeeds.
/// tests/model/fallback_model_test.cpp tries every interleaving.
///
/// Threading: any thread.
template <class Atomics = base::StdAtomics>
class FallbackMarks {
 public:
  void reset() {
    used_.store(0, std::memory_order_relaxed);
    succeeded_.store(0, std::memory_order_relaxed);
    completed_.store(0, std::memory_order_relaxed);
    activated_.store(0, std::memory_order_relaxed);
  }
  void mark_used() { used_.store(1, std::memory_order_seq_cst); }
  [[nodiscard]] bool is_used() const { return used_.load(std::memory_order_seq_cst) != 0; }
  void mark_succeeded() { succeeded_.store(1, std::memory_order_seq_cst); }
  [[nodiscard]] bool has_succeeded() const {
    return succeeded_.load(std::memory_order_seq_cst) != 0;
  }
  /// True for the first caller: a node whose fallback came through is completed once.
  [[nodiscard]] bool try_complete() {
    return completed_.exchange(1, std::memory_order_acq_rel) == 0;
  }
  /// True for the first caller: a lazy node gets its activation token once (K5).
  [[nodiscard]] bool try_activate() {
    return activated_.exchange(1, std::memory_order_acq_rel) == 0;
  }
  [[nodiscard]] bool is_activated() const {
    return activated_.load(std::memory_order_relaxed) != 0;
  }

 private:
  using Mark = typename Atomics::template Atomic<std::uint8_t>;

  Mark used_{0};       // with the fallback's own effects: see above
  Mark succeeded_{0};  // publishes the result of the node to whoever completes what it replaces
  Mark completed_{0};
  Mark activated_{0};
};

}  // namespace millrace::runtime
