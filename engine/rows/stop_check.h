#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <span>
#include <string_view>

#include "base/error.h"
#include "base/result.h"

// How operators notice, between parts of their work, that nobody needs the result any more, or that
// it has become too large. A part is small enough to take some microseconds, and large enough that
// the cost of the check cannot be measured.

namespace millrace::rows {

/// Rows an operator handles between two checks.
inline constexpr std::size_t kStopCheckRows = 1024;
/// The same for loops that only write a few bytes per row, one row after the other.
inline constexpr std::size_t kStopCheckFillRows = 16 * kStopCheckRows;

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

/// Asks whether work should stop: nobody needs the result, or the budget of the request is used up.
/// Once the answer is yes it stays so. The empty check never stops.
/// Threading: that of `ask`, which work calls on its own thread. Lifetime: borrows its arguments.
class StopCheck {
 public:
  using Ask = bool (*)(const void* subject);

  StopCheck() = default;
  /// `where` is the place that errors name. `budget` may be null: there is no limit then.
  StopCheck(Ask ask, const void* subject, std::string_view where, RowBudget* budget = nullptr)
      : ask_(ask), subject_(subject), where_(where), budget_(budget) {}

  [[nodiscard]] bool stop_requested() const {
    return is_over_budget_ || (ask_ != nullptr && ask_(subject_));
  }
  /// Fails once a stop was requested.
  [[nodiscard]] base::Status check() const {
    if (!stop_requested()) [[likely]]
      return {};
    return stopped();
  }
  /// The error that stopped work returns.
  [[nodiscard]] std::unexpected<base::Error> stopped() const;
  /// Fails if that is more rows than one node may give. Ask before the memory for them is taken.
  [[nodiscard]] base::Status check_rows(std::size_t row_count) const {
    if (budget_ == nullptr || row_count <= budget_->limits().rows_max) [[likely]]
      return {};
    return too_many(row_count);
  }

  /// Takes bytes from the budget. If they are more than is left the work should stop.
  void take(std::size_t bytes) {
    if (budget_ == nullptr) return;
    if (budget_->try_take(bytes)) {
      taken_bytes_ += bytes;
    } else {
      is_over_budget_ = true;
    }
  }
  /// Gives back what was taken through this check, because the work failed.
  void give_back() {
    if (budget_ != nullptr) budget_->give_back(taken_bytes_);
    taken_bytes_ = 0;
  }

 private:
  [[nodiscard]] std::unexpected<base::Error> too_many(std::size_t row_count) const;

  Ask ask_ = nullptr;
  const void* subject_ = nullptr;
  std::string_view where_;
  RowBudget* budget_ = nullptr;
  std::size_t taken_bytes_ = 0;
  bool is_over_budget_ = false;
};

/// Asks a check once in kStopCheckRows rows, for work that comes in pieces of any size.
/// Threading: not shared. Lifetime: borrows the check.
class StopPacer {
 public:
  explicit StopPacer(const StopCheck& check) : check_(check) {}

  /// Notes that `row_count` rows come next. Returns false once a stop was seen, and ever after.
  [[nodiscard]] bool go_on(std::size_t row_count) {
    row_count_ += row_count;
    if (row_count_ < kStopCheckRows) [[likely]]
      return true;
    return look();
  }
  [[nodiscard]] bool has_stopped() const { return has_stopped_; }

 private:
  [[nodiscard]] bool look() {
    has_stopped_ = has_stopped_ || check_.stop_requested();
    // After a stop the count stays, so that the next call asks the check too.
    if (!has_stopped_) row_count_ = 0;
    return !has_stopped_;
  }

  const StopCheck& check_;
  std::size_t row_count_ = 0;
  bool has_stopped_ = false;
};

/// Calls `body(begin, end)` for one part of [0, count) after the other, and asks `stop` before
/// each.
template <std::size_t kPartRows = kStopCheckRows, class Body>
[[nodiscard]] base::Status in_parts(std::size_t count, const StopCheck& stop, Body&& body) {
  for (std::size_t begin = 0; begin < count; begin += kPartRows) {
    MR_TRY_STATUS(stop.check());
    body(begin, std::min(begin + kPartRows, count));
  }
  return {};
}

/// Sets all values.
template <class T>
[[nodiscard]] base::Status fill_in_parts(std::span<T> values, T value, const StopCheck& stop) {
  return in_parts<kStopCheckFillRows>(
      values.size(), stop, [values, value](std::size_t begin, std::size_t end) {
        std::fill(values.begin() + static_cast<std::ptrdiff_t>(begin),
                  values.begin() + static_cast<std::ptrdiff_t>(end),
                  value);
      });
}

}  // namespace millrace::rows
