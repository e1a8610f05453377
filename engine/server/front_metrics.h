#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/metrics/metric_binding.h"
#include "base/metrics/metric_cell.h"
#include "base/metrics/metrics_registry.h"
#include "rank/loaded_plan.h"
#include "rank/rank_error.h"
#include "rank/response.h"
#include "rank/watch/node_times.h"
#include "runtime/topology/node.h"
#include "server/observation/label_names.h"
#include "server/observation/request_ledger.h"
#include "server/server_metrics.h"

namespace millrace::server {

/// The metrics that one loop's front writes.
/// Threading: made and destroyed by any one thread while the loop does not use it; else loop
/// thread, but for what says otherwise. Lifetime: borrows the registry.
class FrontMetrics {
 public:
  /// Of so many requests the nodes of one are timed (S39).
  static constexpr std::uint32_t kNodeSampleEvery = 32;

  explicit FrontMetrics(base::MetricsRegistry& registry);
  ~FrontMetrics();

  /// Counts an answer of HTTP. The route is a text of a table of ours, which never moves.
  void count_reply(std::string_view route, int status);

  /// The counts of ranking requests. Any thread may read them.
  [[nodiscard]] RequestLedger& ledger() { return ledger_; }
  [[nodiscard]] const RequestLedger& ledger() const { return ledger_; }
  /// Counts a ranking request in flight among those of its plan, from now until `end_rank` is told
  /// of it or `leave_plan` called.
  void enter_plan(const rank::LoadedPlan& plan) { ledger_.enter(place_of(&plan)); }
  void leave_plan(const rank::LoadedPlan& plan) { ledger_.leave(place_of(&plan)); }
  /// Counts a ranking request that has its answer; nullptr: its plan was not found.
  void end_rank(const rank::LoadedPlan* plan, const RequestLedger::End& end);

  /// Counts a refusal.
  void count_shed(ShedReason reason, runtime::Priority priority, base::Duration took);
  /// Refusals so far: of all requests, and of those of the classes `low` and `background`. Any
  /// thread.
  struct ShedCounts {
    std::uint64_t all = 0;
    std::uint64_t low = 0;
  };
  [[nodiscard]] ShedCounts shed_counts() const;

  /// Whether the nodes of the request that begins now are to be timed.
  [[nodiscard]] bool wants_node_times() { return ++node_turn_ % kNodeSampleEvery == 0; }
  /// Counts the nodes of a timed request.
  void count_nodes(const rank::LoadedPlan& plan,
                   std::span<const rank::NodeSample> nodes,
                   base::TimePoint now);
  void count_degraded(const rank::LoadedPlan& plan, std::span<const rank::DegradedNode> nodes);
  /// How long the node took that was timed last, and when that was. Any thread.
  struct LastNode {
    double ms = 0;
    double at = 0;  ///< seconds of the loop's clock
  };
  [[nodiscard]] LastNode last_node() const {
    return {.ms = last_node_ms_.value(), .at = last_node_at_.value()};
  }

  /// Lines of batches that wait because they were not let in.
  [[nodiscard]] base::GaugeCell& waiting() { return waiting_; }

 private:
  /// Nodes with cells of their own; the rest share one.
  static constexpr std::size_t kNodesMax = 4096;

  struct CountedSeries {
    explicit CountedSeries(base::MetricsRegistry& registry) : binding(registry) {}
    base::CounterCell cell;
    base::MetricBinding binding;
  };
  struct ReplyCount {
    const char* route;  // the place of the text, which tells routes apart
    int status;
    std::unique_ptr<CountedSeries> series;
  };
  struct NodeCells {
    NodeCells(base::MetricsRegistry& registry, std::string_view plan, std::string_view node);
    base::HistogramCell duration{base::kDurationBuckets};
    base::HistogramCell queue_delay{base::kDurationBuckets};
    base::CounterCell rows;
    base::MetricBinding binding;
  };
  using NodeName = std::pair<std::string, std::string>;  // plan and node

  [[nodiscard]] NodeCells& cells_of(const std::string& plan, std::string_view node);

  base::MetricsRegistry& registry_;
  RequestLedger ledger_;
  /// Where the requests of a plan are counted.
  [[nodiscard]] RequestLedger::Plan& place_of(const rank::LoadedPlan* plan);
  [[nodiscard]] RequestLedger::Plan& ledger_plan(std::string_view name);

  // Places of the ledger that this loop has met, so that it asks for each once: asking takes a
  // lock.
  std::map<std::string, RequestLedger::Plan*, std::less<>> ledger_plans_;
  // Where the last request was counted: the next one is mostly of the same plan.
  std::uint64_t last_serial_ = 0;
  RequestLedger::Plan* last_plan_ = nullptr;
  std::uint32_t node_turn_ = 0;
  std::map<NodeName, std::unique_ptr<NodeCells>> nodes_;
  std::map<std::pair<NodeName, std::string_view>, std::unique_ptr<CountedSeries>> degraded_;
  // Few: the routes that are asked for, each with the statuses that it answered with.
  std::vector<ReplyCount> replies_;
  std::array<std::array<base::CounterCell, RequestLedger::kClasses>, kShedReasonNames.size()>
      sheds_;
  base::CounterCell shed_all_;
  base::CounterCell shed_low_;
  base::GaugeCell waiting_;
  base::GaugeCell last_node_ms_;
  base::GaugeCell last_node_at_;
  base::HistogramCell shed_duration_{base::kDurationBuckets};
  base::MetricBinding binding_;
};

}  // namespace millrace::server
