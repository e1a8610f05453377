#include "server/front_metrics.h"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "server/overload/overload_metrics.h"

namespace millrace::server {
namespace {

/// The label of requests whose plan does not exist; what they asked for is the caller's text.
constexpr std::string_view kNoPlan = "none";

constexpr std::string_view kOtherNodes = "other";
constexpr std::uint64_t kNoPlanSerial = UINT64_MAX;

double seconds(base::Duration duration) { return std::chrono::duration<double>(duration).count(); }

}  // namespace

FrontMetrics::NodeCells::NodeCells(base::MetricsRegistry& registry,
                                   std::string_view plan,
                                   std::string_view node)
    : binding(registry) {
  binding.bind(kNodeDuration, {plan, node}, &duration);
  binding.bind(kNodeQueueDelay, {plan, node}, &queue_delay);
  binding.bind(kNodeRows, {plan, node}, &rows);
}

FrontMetrics::FrontMetrics(base::MetricsRegistry& registry)
    : registry_(registry), binding_(registry) {
  binding_.bind(kShedDuration, {}, &shed_duration_);
  binding_.bind(kAdmissionWaiting, {}, &waiting_);
  for (std::size_t reason = 0; reason < sheds_.size(); ++reason) {
    for (std::size_t priority = 0; priority < sheds_[reason].size(); ++priority) {
      binding_.bind(
          kShed, {kShedReasonNames[reason], kPriorityNames[priority]}, &sheds_[reason][priority]);
    }
  }
}

FrontMetrics::~FrontMetrics() = default;

void FrontMetrics::count_reply(std::string_view route, int status) {
  for (const ReplyCount& reply : replies_) {
    if (reply.status == status && reply.route == route.data()) return reply.series->cell.add();
  }
  auto series = std::make_unique<CountedSeries>(registry_);
  series->binding.bind(kHttpRequests, {route, std::to_string(status)}, &series->cell);
  series->cell.add();
  replies_.push_back({.route = route.data(), .status = status, .series = std::move(series)});
}

void FrontMetrics::end_rank(const rank::LoadedPlan* plan, const RequestLedger::End& end) {
  ledger_.end(place_of(plan), end);
}

RequestLedger::Plan& FrontMetrics::place_of(const rank::LoadedPlan* plan) {
  const std::uint64_t serial = plan != nullptr ? plan->serial() : kNoPlanSerial;
  if (last_plan_ == nullptr || serial != last_serial_) {
    last_plan_ = &ledger_plan(plan != nullptr ? std::string_view(plan->plan().name) : kNoPlan);
    last_serial_ = serial;
  }
  return *last_plan_;
}

RequestLedger::Plan& FrontMetrics::ledger_plan(std::string_view name) {
  if (const auto found = ledger_plans_.find(name); found != ledger_plans_.end())
    return *found->second;
  RequestLedger::Plan& plan = ledger_.plan(name);
  if (ledger_plans_.size() < RequestLedger::kPlansMax) ledger_plans_.emplace(name, &plan);
  return plan;
}

void FrontMetrics::count_shed(ShedReason reason, runtime::Priority priority, base::Duration took) {
  sheds_[static_cast<std::size_t>(reason)][static_cast<std::size_t>(priority)].add();
  shed_all_.add();
  if (priority >= runtime::Priority::kLow) shed_low_.add();
  shed_duration_.observe(seconds(took));
}

FrontMetrics::ShedCounts FrontMetrics::shed_counts() const {
  return {.all = shed_all_.value(), .low = shed_low_.value()};
}

FrontMetrics::NodeCells& FrontMetrics::cells_of(const std::string& plan, std::string_view node) {
  NodeName name(plan, node);
  auto found = nodes_.find(name);
  if (found == nodes_.end()) {
    if (nodes_.size() >= kNodesMax) name = {std::string(kOtherNodes), std::string(kOtherNodes)};
    found = nodes_.try_emplace(std::move(name)).first;
  }
  if (found->second == nullptr) {
    found->second = std::make_unique<NodeCells>(registry_, found->first.first, found->first.second);
  }
  return *found->second;
}

void FrontMetrics::count_nodes(const rank::LoadedPlan& plan,
                               std::span<const rank::NodeSample> nodes,
                               base::TimePoint now) {
  for (const rank::NodeSample& node : nodes) {
    NodeCells& cells = cells_of(plan.plan().name, node.node);
    cells.duration.observe(seconds(node.duration));
    if (node.queue_delay) cells.queue_delay.observe(seconds(*node.queue_delay));
    cells.rows.add(node.rows.value_or(0));
    last_node_ms_.set(seconds(node.duration) * 1000);
  }
  if (!nodes.empty()) last_node_at_.set(seconds(now.time_since_epoch()));
}

void FrontMetrics::count_degraded(const rank::LoadedPlan& plan,
                                  std::span<const rank::DegradedNode> nodes) {
  for (const rank::DegradedNode& node : nodes) {
    const std::string_view kind = node.kind == rank::DegradedKind::kError ? "error" : "timeout";
    NodeName name(plan.plan().name, node.node);
    if (degraded_.size() >= kNodesMax && !degraded_.contains({name, kind}))
      name = {std::string(kOtherNodes), std::string(kOtherNodes)};
    auto& series = degraded_[{name, kind}];
    if (series == nullptr) {
      series = std::make_unique<CountedSeries>(registry_);
      series->binding.bind(kRequestDegraded, {name.first, name.second, kind}, &series->cell);
    }
    series->cell.add();
  }
}

}  // namespace millrace::server
