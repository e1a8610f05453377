#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "rank/loaded_plan.h"
#include "rank/rank_error.h"

namespace millrace::server {

/// Compares a canary with the active version (S29): after `kAnswersMin` answers of the canary, a
/// share of errors that is `kPointsMax` percent points above that of the active one is too much.
/// Threading: `note` on the loop of that index; the rest on any thread.
/// Lifetime: compares addresses of plans only; whoever has it keeps the plans.
class CanaryGuard {
 public:
  static constexpr std::uint64_t kAnswersMin = 200;
  static constexpr double kPointsMax = 5;

  /// `on_too_bad` is called once, on a loop.
  CanaryGuard(const rank::LoadedPlan& active,
              const rank::LoadedPlan& canary,
              std::size_t loop_count,
              std::function<void()> on_too_bad)
      : active_(&active),
        canary_(&canary),
        loop_count_(loop_count),
        cells_(std::make_unique<Cells[]>(loop_count)),
        on_too_bad_(std::move(on_too_bad)) {}

  /// Whether it compares these two.
  [[nodiscard]] bool is_of(const rank::LoadedPlan& active, const rank::LoadedPlan& canary) const {
    return active_ == &active && canary_ == &canary;
  }
  /// Counts an answer. What callers got wrong, gave up or were refused says nothing about a plan.
  void note(std::size_t loop, const rank::LoadedPlan* plan, rank::RankOutcome outcome) {
    if (plan != active_ && plan != canary_) return;
    const bool is_error =
        outcome == rank::RankOutcome::kError || outcome == rank::RankOutcome::kDeadline;
    if (!is_error && outcome != rank::RankOutcome::kOk && outcome != rank::RankOutcome::kDegraded)
      return;
    Cells& cells = cells_[loop];
    Count& count = plan == canary_ ? cells.canary : cells.active;
    add(count.answers);
    if (is_error) add(count.errors);
    if (plan == canary_ && is_too_bad() && !was_told_.exchange(true, std::memory_order_relaxed))
      on_too_bad_();
  }
  [[nodiscard]] bool is_too_bad() const {
    const auto [answers, errors] = sum(&Cells::canary);
    if (answers < kAnswersMin) return false;
    const auto [active_answers, active_errors] = sum(&Cells::active);
    const double usual = active_answers == 0 ? 0 : 100.0 * active_errors / active_answers;
    return 100.0 * errors / answers > usual + kPointsMax;
  }

 private:
  // Each is written by one loop. They publish nothing.
  struct Count {
    std::atomic<std::uint64_t> answers{0};
    std::atomic<std::uint64_t> errors{0};
  };
  struct alignas(64) Cells {
    Count active;
    Count canary;
  };
  struct Sum {
    double answers = 0;
    double errors = 0;
  };

  static void add(std::atomic<std::uint64_t>& cell) {
    cell.store(cell.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  [[nodiscard]] Sum sum(Count Cells::* part) const {
    Sum all;
    for (std::size_t loop = 0; loop < loop_count_; ++loop) {
      const Count& count = cells_[loop].*part;
      all.answers += static_cast<double>(count.answers.load(std::memory_order_relaxed));
      all.errors += static_cast<double>(count.errors.load(std::memory_order_relaxed));
    }
    return all;
  }

  const rank::LoadedPlan* const active_;
  const rank::LoadedPlan* const canary_;
  const std::size_t loop_count_;
  const std::unique_ptr<Cells[]> cells_;
  const std::function<void()> on_too_bad_;
  std::atomic<bool> was_told_{false};  // publishes nothing
};

}  // namespace millrace::server
