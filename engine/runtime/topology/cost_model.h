#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "base/sync/mutex.h"
#include "runtime/sharing_prices.h"
#include "runtime/topology/priority_order.h"
#include "runtime/topology/sharing_forecast.h"
#include "runtime/topology/topology.h"

// Measured costs of one topology, shared by all its runs, and what is derived from them: the order
// by path cost (P1), and per node a hint of its cost and what it is worth to another worker, from
// which a strand decides what to hand over (D6).
//
// Only a few runs are measured (two clock reads per node); all others read the results. Costs
// influence timing only, so cells are relaxed atomics and a lost sample does no harm.

namespace millrace::runtime {

/// How costs are measured, and when nodes are inlined.
struct CostSettings {
  base::Duration inline_threshold{10'000};  ///< cheaper nodes may be inlined on a loop (I3)
  std::uint32_t samples_min = 4;            ///< samples before a measured cost is used
  std::uint32_t sample_every = 1024;        ///< one run in this many is measured once warm
};

[[nodiscard]] base::Status validate(const CostSettings& settings);

/// The measured and declared costs of the nodes of one topology.
/// Threading: any thread. Lifetime: borrows the topology; outlives its runs.
class CostModel {
 public:
  CostModel(const Topology& topology, const CostSettings& settings);

  /// A hint is a cost in nanoseconds, saturated, or `kUnknown`, which is larger than any cost.
  /// Under the mask a node of unknown cost counts as much as ten of them are allowed in one turn by
  /// default.
  static constexpr std::uint32_t kCostMask = (1U << 30U) - 1;
  static constexpr std::uint32_t kUnknown = 1U << 31U | 10'000;
  [[nodiscard]] const std::atomic<std::uint32_t>* hints() const { return hints_.get(); }
  [[nodiscard]] std::uint32_t hint(std::uint32_t node) const {
    return hints_[node].load(std::memory_order_relaxed);
  }

  [[nodiscard]] const PriorityOrder& order() const {
    return *order_.load(std::memory_order_acquire);
  }

  /// A node that costs less may be inlined on a loop, unless the run has its own threshold.
  [[nodiscard]] base::Duration inline_threshold() const { return settings_.inline_threshold; }

  /// Says whether the `use`-th run on one run object should be measured.
  [[nodiscard]] bool wants_sample(std::uint64_t use) const {
    return !warm_.load(std::memory_order_relaxed) || use % settings_.sample_every == 0;
  }
  /// True once every node has enough samples.
  [[nodiscard]] bool is_warm() const { return warm_.load(std::memory_order_relaxed); }

  /// Adds one measured body time and its number of rows. Failed and skipped bodies are never
  /// recorded (C-cost).
  void record(std::uint32_t node, base::Duration body_time, std::uint32_t row_count);
  /// Discards the measurements of a node whose body took longer on a loop than it was allowed to.
  /// It is not inlined on a loop again before it has `samples_min` new samples (C9).
  void forget_samples(std::uint32_t node);
  /// Takes over what another topology's model has measured for a node that does the same work. Call
  /// it before the first run, and `refresh` after the last.
  void adopt(std::uint32_t node, const CostModel& other, std::uint32_t other_node);
  /// Ends a measured run: updates the hints and, if costs have changed enough, the order.
  void refresh();

  /// The cost in use for `row_count` rows: measured, else declared, else nothing (I2, I4).
  [[nodiscard]] std::optional<base::Duration> estimate(std::uint32_t node,
                                                       std::uint32_t row_count) const;
  /// A time that the node rarely exceeds, from the mean and the spread of the times measured in
  /// this process (C9). Nothing before `samples_min` samples, because a declared cost is a guess.
  /// More rows than usual are assumed to cost in proportion.
  [[nodiscard]] std::optional<base::Duration> upper_estimate(std::uint32_t node,
                                                             std::uint32_t row_count) const;
  /// Says whether the node is cheap enough to be inlined. Has hysteresis: a node that was inlined
  /// stays so up to twice the threshold (C-cost).
  [[nodiscard]] bool is_cheap_enough_to_inline(std::uint32_t node, std::uint32_t row_count) const {
    return is_cheaper_than(settings_.inline_threshold, node, row_count);
  }
  /// The same with another threshold.
  [[nodiscard]] bool is_cheaper_than(base::Duration threshold,
                                     std::uint32_t node,
                                     std::uint32_t row_count) const {
    const std::optional<base::Duration> cost = estimate(node, row_count);
    return cost && *cost < inline_limit(threshold, node);
  }
  /// The threshold with hysteresis: doubled for a node that is inlined now.
  [[nodiscard]] base::Duration inline_limit(base::Duration threshold, std::uint32_t node) const {
    return cells_[node].inlines.load(std::memory_order_relaxed) ? 2 * threshold : threshold;
  }

  /// Records how long after `node`'s completion its run ended (C8).
  void record_downstream(std::uint32_t node, base::Duration time_to_end);
  /// Time to keep free for the nodes after `node`: the plan's own setting, else the measured 95th
  /// percentile, at least 1 ms.
  [[nodiscard]] base::Duration reserve(std::uint32_t node) const;
  /// The highest cost of any node, in nanoseconds, if every cost is known; else `kUnknown`.
  [[nodiscard]] std::uint32_t dearest_ns() const {
    return dearest_ns_.load(std::memory_order_relaxed);
  }
  /// The known cost of all nodes together. Meaningful only if `dearest_ns` is not `kUnknown`.
  [[nodiscard]] std::uint64_t total_ns() const { return total_ns_.load(std::memory_order_relaxed); }
  /// The most that one ready node can be worth to another worker, with all that follows from it
  /// alone, in nanoseconds; `kUnknown` where a cost is not known.
  [[nodiscard]] std::uint32_t most_worth_ns() const {
    return most_worth_ns_.load(std::memory_order_relaxed);
  }
  /// By node, as `hints`: the cost of the node with that of all nodes that follow from it alone.
  [[nodiscard]] const std::atomic<std::uint32_t>* worths() const { return worths_.get(); }
  /// What a run is to share at these prices (D11). Of meaning when warm. Plays a run through if
  /// costs or prices have changed since the last call.
  [[nodiscard]] SharingPlan sharing(const SharingPrices& prices) {
    if (plan_price_ns_.load(std::memory_order_relaxed) != prices.hand_over.count()) [[unlikely]]
      return plan_sharing(prices);
    return last_plan();
  }
  /// A time that a whole run on one thread rarely exceeds, from the upper estimates of its nodes
  /// (C13). Nothing before every node is measured.
  [[nodiscard]] std::optional<base::Duration> upper_total() const {
    const std::int64_t total = upper_total_ns_.load(std::memory_order_relaxed);
    return total != 0 && is_warm() ? std::optional(base::Duration(total)) : std::nullopt;
  }
  /// Expected cost of a whole run on one thread; nodes of unknown cost count as 0.
  [[nodiscard]] base::Duration expected_total() const;

  [[nodiscard]] const CostSettings& settings() const { return settings_; }
  [[nodiscard]] std::uint32_t sample_count(std::uint32_t node) const {
    return cells_[node].samples.load(std::memory_order_relaxed);
  }
  [[nodiscard]] std::uint32_t reorder_count() const {
    return reorder_count_.load(std::memory_order_relaxed);
  }

 private:
  static constexpr std::size_t kBucketCount = 48;
  static constexpr std::int64_t kNoPlan = -1;

  // Each atomic is a value of its own; none publishes anything else. The expected cost for r rows
  // is mean_ns + (r - mean_rows) * row_ns_1024 / 1024: a fixed part and a part per row, both
  // learned.
  struct Cell {
    std::atomic<std::int64_t> mean_ns{0};      // moving mean of body times
    std::atomic<std::int64_t> mean_rows{0};    // moving mean of their numbers of rows
    std::atomic<std::int64_t> row_ns_1024{0};  // cost of 1024 more rows
    std::atomic<std::int64_t> spread_ns{0};    // moving mean of the distance to the expected cost
    std::atomic<std::uint64_t> ordered_ns{0};  // the cost from which the current order was computed
    std::atomic<std::uint32_t> samples{0};
    std::atomic<bool> inlines{false};  // hysteresis state
  };
  /// Log-scaled histogram of the time from a node's end to its run's end.
  struct Downstream {
    std::atomic<std::uint32_t> buckets[kBucketCount]{};
  };

  [[nodiscard]] bool is_measured(std::uint32_t node) const {
    return cells_[node].samples.load(std::memory_order_relaxed) >= settings_.samples_min;
  }
  [[nodiscard]] static std::int64_t expected_ns(const Cell& cell, std::uint32_t row_count);
  void record_first(Cell& cell, std::int64_t sample, std::uint32_t row_count, std::uint32_t node);
  static void record_next(Cell& cell, std::int64_t sample, std::uint32_t row_count);
  /// The cost for the usual number of rows; a declared cost is taken for one row.
  [[nodiscard]] std::optional<base::Duration> usual_cost(std::uint32_t node) const;
  [[nodiscard]] std::uint32_t usual_rows(std::uint32_t node) const {
    return static_cast<std::uint32_t>(cells_[node].mean_rows.load(std::memory_order_relaxed));
  }
  [[nodiscard]] std::uint64_t ordering_cost(std::uint32_t node) const;
  void reserve_orders() MR_REQUIRES(mutex_);
  [[nodiscard]] std::unique_ptr<PriorityOrder> make_order() const;
  [[nodiscard]] std::unique_ptr<PriorityOrder> compute_order() MR_REQUIRES(mutex_);
  /// Computes for each node the cost of the longest path from it to the end.
  void compute_path_costs(std::vector<std::uint64_t>& path_costs) const;
  [[nodiscard]] SharingPlan last_plan() const {
    return {.gain_ns = sharing_gain_ns_.load(std::memory_order_relaxed),
            .worth_min_ns = worth_min_ns_.load(std::memory_order_relaxed)};
  }
  [[nodiscard]] SharingPlan plan_sharing(const SharingPrices& prices);
  /// False: no cost has changed so much that a plan of sharing would.
  [[nodiscard]] bool update_worths() MR_REQUIRES(mutex_);
  void update_hint(std::uint32_t node);
  void reorder() MR_REQUIRES(mutex_);

  const Topology& topology_;
  const CostSettings settings_;
  std::unique_ptr<Cell[]> cells_;
  std::unique_ptr<Downstream[]> downstream_;  // only if some node has a fallback
  std::unique_ptr<std::atomic<std::uint32_t>[]> hints_;
  std::unique_ptr<std::atomic<std::uint32_t>[]> worths_;
  std::atomic<bool> warm_{false};
  // The plan of sharing, and the price of a hand-over for which it holds.
  std::atomic<std::uint64_t> sharing_gain_ns_{0};
  std::atomic<std::uint32_t> worth_min_ns_{0};
  std::atomic<std::int64_t> plan_price_ns_{kNoPlan};
  std::atomic<std::uint32_t> most_worth_ns_{kUnknown};
  std::atomic<std::uint32_t> dearest_ns_{kUnknown};
  std::atomic<std::uint64_t> total_ns_{0};
  std::atomic<std::int64_t> upper_total_ns_{0};
  std::atomic<std::uint32_t> reorder_count_{0};
  // Publishes a finished PriorityOrder to new runs.
  std::atomic<const PriorityOrder*> order_{nullptr};
  base::Mutex mutex_;
  // Every order ever published: runs may still hold any of them. Bounded by kOrdersMax.
  std::vector<std::unique_ptr<const PriorityOrder>> orders_ MR_GUARDED_BY(mutex_);
  std::vector<std::unique_ptr<PriorityOrder>> spare_orders_
      MR_GUARDED_BY(mutex_);  // empty, with memory reserved
  std::vector<std::uint64_t> path_scratch_ MR_GUARDED_BY(mutex_);
  std::vector<std::uint64_t> own_ns_ MR_GUARDED_BY(mutex_);
  std::vector<std::uint64_t> worth_ns_ MR_GUARDED_BY(mutex_);
  SharingForecast forecast_ MR_GUARDED_BY(mutex_);
  std::uint64_t refreshes_ MR_GUARDED_BY(mutex_) = 0;
  std::uint64_t next_reorder_ MR_GUARDED_BY(mutex_) = 1;
};

}  // namespace millrace::runtime
