#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace millrace::rows {

/// What one request may make.
struct RowLimits {
  std::size_t rows_max = 1'000'000;                 ///< rows that one node may give
  std::size_t bytes_max = std::size_t{512} << 20U;  ///< of all rows, temporary ones too
};

/// Counts the memory that the nodes of one request take for rows. What they free does not count
/// back, so that whether a request fits depends on the request alone, and not on how its nodes
/// happened to follow each other.
/// Threading: any thread, but for `open`.
class RowBudget {
 public:
  /// Begins a request. No other thread may use the budget meanwhile.
  void open(const RowLimits& limits) {
    limits_ = limits;
    taken_bytes_.store(0, std::memory_order_relaxed);
  }

  /// Takes bytes if as many are left.
  [[nodiscard]] bool try_take(std::size_t bytes) {
    const std::size_t before = taken_bytes_.fetch_add(bytes, std::memory_order_relaxed);
    if (before + bytes <= limits_.bytes_max) [[likely]]
      return true;
    give_back(bytes);
    return false;
  }
  /// Returns what a node took that gives no rows after all.
  void give_back(std::size_t bytes) { taken_bytes_.fetch_sub(bytes, std::memory_order_relaxed); }

  [[nodiscard]] const RowLimits& limits() const { return limits_; }
  [[nodiscard]] std::size_t taken_bytes() const {
    return taken_bytes_.load(std::memory_order_relaxed);
  }

 private:
  RowLimits limits_;  // constant during a request
  // A count only; publishes nothing.
  std::atomic<std::size_t> taken_bytes_{0};
};

}  // namespace millrace::rows
