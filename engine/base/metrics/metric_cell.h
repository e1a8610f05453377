#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <variant>
#include <vector>

// Cells hold the values of metrics. One thread writes a cell and any thread may read it at any
// time: a write is a plain load, an addition and a plain store, without a locked instruction. Cells
// order nothing and publish nothing but their own value. Several threads that write the same metric
// have a cell each, and readers add them up (see metrics_registry.h).
//
// Put the cells of one writer into one struct with `alignas(kApartBytes)` (base/sync/atomics.h), so
// that writers do not share cache lines.

namespace millrace::base {

/// A number that only grows.
/// Threading: one thread writes, any thread reads.
class CounterCell {
 public:
  void add(std::uint64_t amount = 1) {
    value_.store(value_.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
  }
  [[nodiscard]] std::uint64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  // Publishes nothing: readers use the value alone.
  std::atomic<std::uint64_t> value_{0};
};

/// A value that goes up and down.
/// Threading: one thread writes, any thread reads.
class GaugeCell {
 public:
  void set(double value) { value_.store(value, std::memory_order_relaxed); }
  void add(double amount) { set(value() + amount); }
  [[nodiscard]] double value() const { return value_.load(std::memory_order_relaxed); }

 private:
  // Publishes nothing: readers use the value alone.
  std::atomic<double> value_{0};
};

/// Counts observations by size. A reader may see an observation in its bucket and not yet in the
/// sum.
/// Threading: one thread writes, any thread reads.
class HistogramCell {
 public:
  /// Borrows the bounds, which are those of the metric's descriptor.
  explicit HistogramCell(std::span<const double> bounds)
      : bounds_(bounds), lines_(bounds.size() / kCellsPerLine + 1) {}

  /// Counts one observation; NaN is ignored.
  void observe(double value) {
    if (value != value) return;
    const auto bound = std::ranges::lower_bound(bounds_, value);
    const auto bucket = static_cast<std::size_t>(std::distance(bounds_.begin(), bound));
    lines_[bucket / kCellsPerLine].cells[bucket % kCellsPerLine].add();
    sum_.add(value);
  }

  [[nodiscard]] std::span<const double> bounds() const { return bounds_; }
  /// One more than there are bounds.
  [[nodiscard]] std::size_t bucket_count() const { return bounds_.size() + 1; }
  /// How many observations were at most the bound of this bucket and above the one before.
  [[nodiscard]] std::uint64_t count_in(std::size_t bucket) const {
    return lines_[bucket / kCellsPerLine].cells[bucket % kCellsPerLine].value();
  }
  [[nodiscard]] double sum() const { return sum_.value(); }

 private:
  static constexpr std::size_t kCellsPerLine = 8;
  struct alignas(64) Line {
    std::array<CounterCell, kCellsPerLine> cells;
  };

  const std::span<const double> bounds_;
  std::vector<Line> lines_;  // its size is constant, so that observing never allocates
  GaugeCell sum_;
};

/// A cell of any kind, for whoever reads it. Lifetime: borrows the cell.
using MetricCell = std::variant<const CounterCell*, const GaugeCell*, const HistogramCell*>;

}  // namespace millrace::base
