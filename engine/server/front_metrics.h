#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/clock.h"
#include "base/metrics/metric_binding.h"
#include "base/metrics/metric_cell.h"
#include "base/metrics/metrics_registry.h"
#include "rank/loaded_plan.h"
#include "rank/rank_error.h"
#include "runtime/topology/node.h"
#include "server/server_metrics.h"

namespace millrace::server {

/// Gives `ok`, `degraded`, `error`, `deadline`, `refused`, `cancelled` or `invalid`.
[[nodiscard]] std::string_view outcome_name(rank::RankOutcome outcome);
/// Gives `high`, `normal`, `low` or `background`.
[[nodiscard]] std::string_view priority_name(runtime::Priority priority);

/// What one ranking request was, for counting.
struct RankSample {
  const rank::LoadedPlan* plan = nullptr;  ///< nullptr: none was found
  rank::RankOutcome outcome = rank::RankOutcome::kInvalid;
  runtime::Priority priority = runtime::Priority::kNormal;
  base::Duration took{};
};

/// The metrics that one loop's front writes.
/// Threading: made and destroyed by any one thread while the loop does not use it; else loop
/// thread. Lifetime: borrows the registry; plans must outlive it.
class FrontMetrics {
 public:
  explicit FrontMetrics(base::MetricsRegistry& registry);
  ~FrontMetrics();

  /// Counts an answer of HTTP. Both texts come from tables of ours.
  void count_reply(std::string_view route, int status);
  void begin_rank(runtime::Priority priority);
  void end_rank(runtime::Priority priority);
  /// Counts a ranking request that has its answer.
  void count_rank(const RankSample& sample);
  /// Counts a refusal: `limit`, `high_water`, `deadline` or `draining`.
  void count_shed(std::string_view reason, runtime::Priority priority, base::Duration took);

 private:
  static constexpr std::size_t kPriorities = 4;
  static constexpr std::size_t kOutcomes = 7;
  struct PlanCells {
    PlanCells(base::MetricsRegistry& registry, std::string_view name);
    std::array<base::CounterCell, kOutcomes> outcomes;
    base::HistogramCell duration{base::kDurationBuckets};
    base::MetricBinding binding;
  };
  struct CountedSeries {
    explicit CountedSeries(base::MetricsRegistry& registry) : binding(registry) {}
    base::CounterCell cell;
    base::MetricBinding binding;
  };

  base::MetricsRegistry& registry_;
  std::map<std::string, std::unique_ptr<PlanCells>, std::less<>> plans_;
  std::map<std::pair<std::string_view, int>, std::unique_ptr<CountedSeries>> replies_;
  std::map<std::pair<std::string_view, std::string_view>, std::unique_ptr<CountedSeries>> sheds_;
  std::array<base::GaugeCell, kPriorities> inflight_;
  base::HistogramCell shed_duration_{base::kDurationBuckets};
  base::MetricBinding binding_;
};

}  // namespace millrace::server
