#include "runtime/topology/cost_model.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "base/result.h"
#include "base/sync/mutex.h"
#include "runtime/topology/node.h"
#include "runtime/topology/priority_order.h"
#include "runtime/topology/topology.h"

namespace millrace::runtime {
namespace {

using std::chrono::milliseconds;

// The order is recomputed when a cost has doubled or halved, but only at refreshes 1, 2, 4, 8 …: a
// plan settles quickly, follows changes as long as it lives, and never keeps more than this many
// old orders.
constexpr std::uint32_t kOrdersMax = 40;
// Memory for later orders is reserved in advance, because a warm run must not allocate (K3). DAGs
// of thousands of nodes reserve it for some orders only; their later orders allocate when they are
// made.
constexpr std::size_t kSpareBytesMax = std::size_t{1} << 20U;
constexpr std::uint64_t kOrderSlackNs = 200;  // smaller differences are measurement noise
constexpr std::int64_t kRowScale = 1024;
constexpr std::int64_t kSampleMaxNs = std::int64_t{1} << 40U;  // so that products fit 64 bits
constexpr base::Duration kReserveFloor = milliseconds(1);
constexpr double kReserveQuantile = 0.95;

// Limits a sample, so that a single long one (an interrupt, a page fault) does not make a cheap
// node look costly.
std::int64_t tame(std::int64_t sample, std::int64_t expected) {
  constexpr std::int64_t kSlackNs = 50;
  return std::min(sample, 2 * expected + kSlackNs);
}

// An upper estimate is this many spreads above the mean. If times were normally distributed, about
// one in 700 would exceed it.
constexpr std::int64_t kSpreadsToUpper = 4;

base::Duration saturated(__int128 nanoseconds) {
  return base::Duration(static_cast<std::int64_t>(std::min<__int128>(nanoseconds, INT64_MAX)));
}

std::size_t bucket_of(base::Duration time) {
  const auto ns = static_cast<std::uint64_t>(std::max<std::int64_t>(time.count(), 1));
  return std::min<std::size_t>(std::bit_width(ns) - 1, 47);
}

}  // namespace

base::Status validate(const CostSettings& settings) {
  const auto invalid = [](const char* what) {
    return base::fail(base::ErrorCode::kInvalidArgument, what, "cost settings");
  };
  if (settings.inline_threshold.count() < 0)
    return invalid("inline_threshold must not be negative");
  if (settings.samples_min == 0) return invalid("samples_min must be at least 1");
  if (settings.sample_every == 0) return invalid("sample_every must be at least 1");
  return {};
}

CostModel::CostModel(const Topology& topology, const CostSettings& settings)
    : topology_(topology),
      settings_(settings),
      cells_(std::make_unique<Cell[]>(topology.node_count())),
      hints_(std::make_unique<std::atomic<std::uint32_t>[]>(topology.node_count())),
      worths_(std::make_unique<std::atomic<std::uint32_t>[]>(topology.node_count())),
      forecast_(topology) {
  if (topology.traits().has_fallback) {
    downstream_ = std::make_unique<Downstream[]>(topology.node_count());
  }
  for (std::uint32_t node = 0; node < topology.node_count(); ++node) {
    hints_[node].store(kUnknown, std::memory_order_relaxed);
    if (topology.spec(node).cost_estimate.count() > 0) update_hint(node);
  }
  base::MutexLock lock(mutex_);
  own_ns_.resize(topology.node_count());
  worth_ns_.resize(topology.node_count());
  static_cast<void>(update_worths());
  reserve_orders();
  reorder();
}

void CostModel::record(std::uint32_t node, base::Duration body_time, std::uint32_t row_count) {
  Cell& cell = cells_[node];
  const std::int64_t sample = std::clamp<std::int64_t>(body_time.count(), 1, kSampleMaxNs);
  const std::uint32_t samples = cell.samples.load(std::memory_order_relaxed);
  if (samples < settings_.samples_min) {
    record_first(cell, sample, row_count, node);
  } else {
    record_next(cell, sample, row_count);
  }
  if (samples < UINT32_MAX) cell.samples.store(samples + 1, std::memory_order_relaxed);
}

// The first samples meet cold caches, so the smallest of them, relative to the cost expected for
// its rows, is the most reliable.
void CostModel::record_first(Cell& cell,
                             std::int64_t sample,
                             std::uint32_t row_count,
                             std::uint32_t node) {
  const bool is_first = cell.samples.load(std::memory_order_relaxed) == 0;
  if (!is_first && sample >= expected_ns(cell, row_count)) return;
  const std::int64_t per_row = topology_.spec(node).cost_per_row.count() * kRowScale;
  const std::int64_t per_row_max = sample * kRowScale / std::max<std::int64_t>(row_count, 1);
  cell.mean_ns.store(sample, std::memory_order_relaxed);
  cell.mean_rows.store(row_count, std::memory_order_relaxed);
  cell.row_ns_1024.store(std::min(per_row, per_row_max), std::memory_order_relaxed);
  cell.spread_ns.store(sample / 8, std::memory_order_relaxed);
}

void CostModel::record_next(Cell& cell, std::int64_t sample, std::uint32_t row_count) {
  const std::int64_t expected = expected_ns(cell, row_count);
  // What few rows are expected to cost may come from a wrong cost per row. A sample that took no
  // longer than usual is believed.
  const std::int64_t mean_before = cell.mean_ns.load(std::memory_order_relaxed);
  const std::int64_t tamed = tame(sample, std::max(expected, mean_before));
  const std::int64_t off = tamed - expected;
  const std::int64_t mean_rows = cell.mean_rows.load(std::memory_order_relaxed);
  const std::int64_t mean = (mean_before * 3 + tamed + 2) / 4;
  // A sample that was limited counts for as much fewer rows: the mean of many rows and too short a
  // time would make rows look cheaper than they are.
  const std::int64_t rows_told =
      row_count > mean_rows
          ? mean_rows + static_cast<std::int64_t>(static_cast<__int128>(row_count - mean_rows) *
                                                  tamed / sample)
          : row_count;
  const std::int64_t rows = (mean_rows * 3 + rows_told + 2) / 4;
  // A step down the gradient of the squared error, normalised so that it cannot overshoot. Samples
  // whose number of rows is near the mean say little about the cost of a row.
  const auto distance = static_cast<double>(row_count - mean_rows);
  const double width = static_cast<double>(mean_rows) / 8 + 1;
  const double step = static_cast<double>(off) * distance / (distance * distance + width * width);
  const std::int64_t per_row = cell.row_ns_1024.load(std::memory_order_relaxed) +
                               static_cast<std::int64_t>(step * static_cast<double>(kRowScale) / 2);
  // The fixed part is not negative, and neither is the part per row.
  const std::int64_t per_row_max = mean * kRowScale / std::max<std::int64_t>(rows, 1);
  cell.mean_ns.store(mean, std::memory_order_relaxed);
  cell.mean_rows.store(rows, std::memory_order_relaxed);
  cell.row_ns_1024.store(std::clamp<std::int64_t>(per_row, 0, per_row_max),
                         std::memory_order_relaxed);
  const std::int64_t spread = cell.spread_ns.load(std::memory_order_relaxed);
  cell.spread_ns.store((spread * 3 + std::abs(off) + 2) / 4, std::memory_order_relaxed);
}

void CostModel::forget_samples(std::uint32_t node) {
  cells_[node].samples.store(0, std::memory_order_relaxed);
  warm_.store(false, std::memory_order_relaxed);
}

void CostModel::adopt(std::uint32_t node, const CostModel& other, std::uint32_t other_node) {
  const Cell& from = other.cells_[other_node];
  Cell& to = cells_[node];
  const auto copy = [](const auto& source, auto& target) {
    target.store(source.load(std::memory_order_relaxed), std::memory_order_relaxed);
  };
  copy(from.mean_ns, to.mean_ns);
  copy(from.mean_rows, to.mean_rows);
  copy(from.row_ns_1024, to.row_ns_1024);
  copy(from.spread_ns, to.spread_ns);
  copy(from.samples, to.samples);
}

std::int64_t CostModel::expected_ns(const Cell& cell, std::uint32_t row_count) {
  const std::int64_t rows_off =
      static_cast<std::int64_t>(row_count) - cell.mean_rows.load(std::memory_order_relaxed);
  const __int128 expected =
      cell.mean_ns.load(std::memory_order_relaxed) +
      static_cast<__int128>(cell.row_ns_1024.load(std::memory_order_relaxed)) * rows_off /
          kRowScale;
  return saturated(std::max<__int128>(expected, 1)).count();
}

std::optional<base::Duration> CostModel::estimate(std::uint32_t node,
                                                  std::uint32_t row_count) const {
  if (is_measured(node)) return base::Duration(expected_ns(cells_[node], row_count));
  const NodeSpec& spec = topology_.spec(node);
  if (spec.cost_per_row.count() > 0) {
    return saturated(static_cast<__int128>(spec.cost_per_row.count()) * row_count +
                     spec.cost_estimate.count());
  }
  if (spec.cost_estimate.count() > 0) return spec.cost_estimate;
  return std::nullopt;
}

std::optional<base::Duration> CostModel::upper_estimate(std::uint32_t node,
                                                        std::uint32_t row_count) const {
  if (!is_measured(node)) return std::nullopt;
  const Cell& cell = cells_[node];
  const std::int64_t spread = kSpreadsToUpper * cell.spread_ns.load(std::memory_order_relaxed);
  const std::int64_t mean_rows = cell.mean_rows.load(std::memory_order_relaxed);
  if (row_count <= mean_rows) {
    // The cost per row is a declared one at first. Until samples have had time to correct it, fewer
    // rows are not taken to be cheaper.
    const bool knows_rows =
        cell.samples.load(std::memory_order_relaxed) >= 2 * settings_.samples_min;
    const std::int64_t usual = cell.mean_ns.load(std::memory_order_relaxed);
    return base::Duration((knows_rows ? expected_ns(cell, row_count) : usual) + spread);
  }
  // A line through the measured point and the origin is above every line with a fixed part.
  const __int128 usual = cell.mean_ns.load(std::memory_order_relaxed) + spread;
  return saturated(usual * row_count / std::max<std::int64_t>(mean_rows, 1));
}

std::optional<base::Duration> CostModel::usual_cost(std::uint32_t node) const {
  if (is_measured(node))
    return base::Duration(cells_[node].mean_ns.load(std::memory_order_relaxed));
  return estimate(node, 1);
}

void CostModel::update_hint(std::uint32_t node) {
  // Until it is measured, a cost per row says nothing, because the rows are not known: the node is
  // shared as if it were costly. Then the usual number of rows is known.
  const bool is_unknown = topology_.spec(node).cost_per_row.count() > 0 && !is_measured(node);
  const std::optional<base::Duration> cost = is_unknown ? std::nullopt : usual_cost(node);
  if (!cost) return hints_[node].store(kUnknown, std::memory_order_relaxed);
  cells_[node].inlines.store(is_cheap_enough_to_inline(node, 0), std::memory_order_relaxed);
  const auto ns = static_cast<std::uint32_t>(std::min<std::int64_t>(cost->count(), kCostMask - 1));
  hints_[node].store(ns, std::memory_order_relaxed);
}

void CostModel::refresh() {
  bool all_known = true;
  bool moved = false;
  std::uint32_t dearest = 0;
  base::Duration upper{1};
  for (std::uint32_t node = 0; node < topology_.node_count(); ++node) {
    update_hint(node);
    dearest = std::max(dearest, hint(node));
    const Cell& cell = cells_[node];
    upper =
        saturated(static_cast<__int128>(upper.count()) +
                  upper_estimate(node, usual_rows(node)).value_or(base::Duration::zero()).count());
    all_known &= is_measured(node) || topology_.is_lazy(node) ||
                 topology_.spec(node).kind == NodeKind::kAsync;
    const std::uint64_t now = ordering_cost(node);
    const std::uint64_t ordered = cell.ordered_ns.load(std::memory_order_relaxed);
    moved |= now > 2 * ordered + kOrderSlackNs || ordered > 2 * now + kOrderSlackNs;
  }
  warm_.store(all_known, std::memory_order_relaxed);
  dearest_ns_.store(dearest, std::memory_order_relaxed);
  const auto total = static_cast<std::uint64_t>(expected_total().count());
  total_ns_.store(total, std::memory_order_relaxed);
  upper_total_ns_.store(upper.count(), std::memory_order_relaxed);
  base::MutexLock lock(mutex_);
  if (update_worths()) plan_price_ns_.store(kNoPlan, std::memory_order_relaxed);
  if (!moved) return;
  if (++refreshes_ < next_reorder_ || orders_.size() >= kOrdersMax) return;
  next_reorder_ = refreshes_ * 2;
  reorder();
}

bool CostModel::update_worths() {
  bool has_changed = false;
  for (std::uint32_t node = 0; node < topology_.node_count(); ++node) {
    // What a node waits for takes no worker's time.
    const bool is_async = topology_.spec(node).kind == NodeKind::kAsync;
    const std::uint64_t now = is_async ? 0 : hint(node) & kCostMask;
    const std::uint64_t before = own_ns_[node];
    // A plan is not made anew for less.
    if (now <= before + before / 8 && now + before / 8 >= before) continue;
    own_ns_[node] = now;
    has_changed = true;
  }
  add_worths(topology_, own_ns_, worth_ns_);
  std::uint32_t most = 0;
  const bool has_one_source = topology_.sources().size() == 1;
  for (std::uint32_t node = 0; node < topology_.node_count(); ++node) {
    const auto worth =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(worth_ns_[node], kCostMask - 1));
    worths_[node].store(hint(node) == kUnknown ? kUnknown : worth, std::memory_order_relaxed);
    // Whoever begins a run goes on with its only source.
    if (has_one_source && topology_.sources().front() == node) continue;
    most = std::max(most, worths_[node].load(std::memory_order_relaxed));
  }
  most_worth_ns_.store(most, std::memory_order_relaxed);
  return has_changed;
}

SharingPlan CostModel::plan_sharing(const SharingPrices& prices) {
  base::MutexLock lock(mutex_);
  // Others may have come for the same plan, and the first has made it.
  if (plan_price_ns_.load(std::memory_order_relaxed) == prices.hand_over.count())
    return last_plan();
  const SharingPlan plan = forecast_.plan(
      {.own = own_ns_, .worth = worth_ns_, .most_worth = most_worth_ns()}, order(), prices);
  sharing_gain_ns_.store(plan.gain_ns, std::memory_order_relaxed);
  worth_min_ns_.store(plan.worth_min_ns, std::memory_order_relaxed);
  plan_price_ns_.store(prices.hand_over.count(), std::memory_order_relaxed);
  return plan;
}

void CostModel::compute_path_costs(std::vector<std::uint64_t>& path_costs) const {
  path_costs.resize(topology_.node_count());
  const auto nodes = topology_.topological_order();
  for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) {
    std::uint64_t below = 0;
    for (const Edge& edge : topology_.dependents(*node))
      below = std::max(below, path_costs[edge.target]);
    path_costs[*node] = ordering_cost(*node) + below;
  }
}

std::uint64_t CostModel::ordering_cost(std::uint32_t node) const {
  // Nodes of unknown cost count as one nanosecond, so that a cold plan is ordered by depth.
  const std::optional<base::Duration> cost = usual_cost(node);
  return cost ? static_cast<std::uint64_t>(std::max<std::int64_t>(cost->count(), 1)) : 1;
}

void CostModel::reserve_orders() {
  const std::size_t bytes = sizeof(PriorityOrder) + topology_.node_count() * sizeof(std::uint64_t) +
                            topology_.edge_count() * sizeof(Edge) +
                            topology_.sources().size() * sizeof(std::uint32_t);
  orders_.reserve(kOrdersMax);
  path_scratch_.reserve(topology_.node_count());
  const std::size_t count = std::min<std::size_t>(kSpareBytesMax / bytes, kOrdersMax);
  spare_orders_.reserve(count);
  while (spare_orders_.size() < count) spare_orders_.push_back(make_order());
}

std::unique_ptr<PriorityOrder> CostModel::make_order() const {
  auto order = std::make_unique<PriorityOrder>();
  order->path_costs.reserve(topology_.node_count());
  order->edges.reserve(topology_.edge_count());
  order->sources.reserve(topology_.sources().size());
  return order;
}

std::unique_ptr<PriorityOrder> CostModel::compute_order() {
  std::unique_ptr<PriorityOrder> order;
  if (spare_orders_.empty()) {
    order = make_order();
  } else {
    order = std::move(spare_orders_.back());
    spare_orders_.pop_back();
  }
  compute_path_costs(order->path_costs);
  // The best comes last: highest class, then highest path cost, then first declared.
  const auto worse = [&](std::uint32_t left, std::uint32_t right) {
    const Priority left_class = topology_.spec(left).priority.value_or(Priority::kNormal);
    const Priority right_class = topology_.spec(right).priority.value_or(Priority::kNormal);
    if (left_class != right_class) return left_class > right_class;
    if (order->path_costs[left] != order->path_costs[right])
      return order->path_costs[left] < order->path_costs[right];
    return left > right;
  };
  order->edges.assign(topology_.edges().begin(), topology_.edges().end());
  for (const HotNode& node : topology_.nodes()) {
    std::sort(
        order->edges.begin() + node.edge_begin,
        order->edges.begin() + node.edge_end,
        [&](const Edge& left, const Edge& right) { return worse(left.target, right.target); });
  }
  order->sources.assign(topology_.sources().begin(), topology_.sources().end());
  std::sort(order->sources.begin(), order->sources.end(), worse);
  return order;
}

void CostModel::reorder() {
  for (std::uint32_t node = 0; node < topology_.node_count(); ++node) {
    cells_[node].ordered_ns.store(ordering_cost(node), std::memory_order_relaxed);
  }
  orders_.push_back(compute_order());
  order_.store(orders_.back().get(), std::memory_order_release);
  reorder_count_.fetch_add(1, std::memory_order_relaxed);
}

void CostModel::record_downstream(std::uint32_t node, base::Duration time_to_end) {
  if (!downstream_) return;
  downstream_[node].buckets[bucket_of(time_to_end)].fetch_add(1, std::memory_order_relaxed);
}

base::Duration CostModel::reserve(std::uint32_t node) const {
  if (const auto& declared = topology_.spec(node).reserve) return *declared;
  if (!downstream_) return kReserveFloor;
  std::uint64_t counts[kBucketCount];
  std::uint64_t total = 0;
  for (std::size_t bucket = 0; bucket < kBucketCount; ++bucket) {
    counts[bucket] = downstream_[node].buckets[bucket].load(std::memory_order_relaxed);
    total += counts[bucket];
  }
  if (total < settings_.samples_min) return kReserveFloor;
  std::uint64_t below = 0;
  std::size_t bucket = 0;
  while (bucket + 1 < kBucketCount) {
    below += counts[bucket];
    if (static_cast<double>(below) >= kReserveQuantile * static_cast<double>(total)) break;
    ++bucket;
  }
  // Use the upper edge of the bucket, so that the reserve is never less than the measured time.
  const base::Duration upper(static_cast<std::int64_t>(std::uint64_t{2} << bucket));
  return std::max(upper, kReserveFloor);
}

base::Duration CostModel::expected_total() const {
  std::int64_t total = 0;
  for (std::uint32_t node = 0; node < topology_.node_count(); ++node) {
    const std::uint32_t hint_now = hint(node);
    if (hint_now != kUnknown && !topology_.is_lazy(node)) total += hint_now & kCostMask;
  }
  return base::Duration(total);
}

}  // namespace millrace::runtime
