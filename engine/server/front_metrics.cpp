#include "server/front_metrics.h"

#include <array>
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace millrace::server {
namespace {

// In the order of their enumerators.
constexpr std::array<std::string_view, 7> kOutcomeNames{
    "ok", "degraded", "error", "deadline", "refused", "cancelled", "invalid"};
constexpr std::array<std::string_view, 4> kPriorityNames{"high", "normal", "low", "background"};
/// The label of requests whose plan does not exist; what they asked for is the caller's text.
constexpr std::string_view kNoPlan = "none";

double seconds(base::Duration duration) { return std::chrono::duration<double>(duration).count(); }

}  // namespace

std::string_view outcome_name(rank::RankOutcome outcome) {
  return kOutcomeNames[static_cast<std::size_t>(outcome)];
}

std::string_view priority_name(runtime::Priority priority) {
  return kPriorityNames[static_cast<std::size_t>(priority)];
}

FrontMetrics::PlanCells::PlanCells(base::MetricsRegistry& registry, std::string_view name)
    : binding(registry) {
  for (std::size_t outcome = 0; outcome < kOutcomes; ++outcome)
    binding.bind(kRequests, {name, kOutcomeNames[outcome]}, &outcomes[outcome]);
  binding.bind(kRequestDuration, {name}, &duration);
}

FrontMetrics::FrontMetrics(base::MetricsRegistry& registry)
    : registry_(registry), binding_(registry) {
  for (std::size_t priority = 0; priority < kPriorities; ++priority)
    binding_.bind(kInflight, {kPriorityNames[priority]}, &inflight_[priority]);
  binding_.bind(kShedDuration, {}, &shed_duration_);
}

FrontMetrics::~FrontMetrics() = default;

void FrontMetrics::count_reply(std::string_view route, int status) {
  auto& series = replies_[{route, status}];
  if (series == nullptr) {
    series = std::make_unique<CountedSeries>(registry_);
    series->binding.bind(kHttpRequests, {route, std::to_string(status)}, &series->cell);
  }
  series->cell.add();
}

void FrontMetrics::begin_rank(runtime::Priority priority) {
  inflight_[static_cast<std::size_t>(priority)].add(1);
}

void FrontMetrics::end_rank(runtime::Priority priority) {
  inflight_[static_cast<std::size_t>(priority)].add(-1);
}

void FrontMetrics::count_rank(const RankSample& sample) {
  const std::string_view name = sample.plan != nullptr ? sample.plan->plan().name : kNoPlan;
  auto found = plans_.find(name);
  if (found == plans_.end())
    found = plans_.emplace(name, std::make_unique<PlanCells>(registry_, name)).first;
  found->second->outcomes[static_cast<std::size_t>(sample.outcome)].add();
  found->second->duration.observe(seconds(sample.took));
}

void FrontMetrics::count_shed(std::string_view reason,
                              runtime::Priority priority,
                              base::Duration took) {
  auto& series = sheds_[{reason, priority_name(priority)}];
  if (series == nullptr) {
    series = std::make_unique<CountedSeries>(registry_);
    series->binding.bind(kShed, {reason, priority_name(priority)}, &series->cell);
  }
  series->cell.add();
  shed_duration_.observe(seconds(took));
}

}  // namespace millrace::server
