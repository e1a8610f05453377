#include "server/observation/request_ledger.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server/observation/label_names.h"
#include "server/server_metrics.h"

namespace millrace::server {
namespace {

constexpr std::string_view kOtherPlans = "other";
constexpr double kNanosecond = 1e-9;

/// The bounds of buckets in nanoseconds.
constexpr auto kBoundsNs = [] {
  std::array<std::int64_t, base::kDurationBuckets.size()> bounds{};
  for (std::size_t index = 0; index < bounds.size(); ++index)
    bounds[index] = static_cast<std::int64_t>(base::kDurationBuckets[index] * 1e9 + 0.5);
  return bounds;
}();

std::size_t bucket_of(base::Duration took) {
  const auto bound = std::ranges::lower_bound(kBoundsNs, took.count());
  return static_cast<std::size_t>(std::distance(kBoundsNs.begin(), bound));
}

std::uint64_t unsigned_of(const base::SequencedNumber<>& number) {
  return static_cast<std::uint64_t>(number.value());
}

}  // namespace

class RequestLedger::Plan {
 public:
  /// Inside a change.
  void count(const End& end) {
    outcomes_[static_cast<std::size_t>(end.outcome)].add(1);
    const std::size_t bucket = bucket_of(end.took);
    buckets_[bucket].add(1);
    took_ns_.add(end.took.count());
    if (end.was_entered) inflight_.add(-1);
    if (end.trace == nullptr) return;
    Mark& mark = marks_[bucket];
    mark.high.set(static_cast<std::int64_t>(end.trace->high));
    mark.low.set(static_cast<std::int64_t>(end.trace->low));
    mark.took_ns.set(end.took.count());
    mark.at_ns.set(end.now.time_since_epoch().count());
  }

  void change_inflight(std::int64_t change) { inflight_.add(change); }

  void read(PlanSums& sums) const {
    for (std::size_t index = 0; index < kOutcomes; ++index)
      sums.outcomes[index] = unsigned_of(outcomes_[index]);
    for (std::size_t index = 0; index < kBuckets; ++index) {
      sums.buckets[index] = unsigned_of(buckets_[index]);
      const Mark& mark = marks_[index];
      sums.exemplars[index] = {
          .trace = {.high = unsigned_of(mark.high), .low = unsigned_of(mark.low)},
          .value = static_cast<double>(mark.took_ns.value()) * kNanosecond,
          .at = base::WallTime(base::Duration(mark.at_ns.value()))};
    }
    sums.took_ns = took_ns_.value();
    sums.inflight = inflight_.value();
  }

 private:
  /// The last request of a bucket whose trace is exported.
  struct Mark {
    Number high;
    Number low;
    Number took_ns;
    Number at_ns;
  };

  std::array<Number, kOutcomes> outcomes_;
  std::array<Number, kBuckets> buckets_;
  Number took_ns_;
  Number inflight_;
  std::array<Mark, kBuckets> marks_;
};

RequestLedger::RequestLedger() = default;
RequestLedger::~RequestLedger() = default;

RequestLedger::Plan& RequestLedger::plan(std::string_view name) {
  base::MutexLock lock(mutex_);
  auto found = plans_.find(name);
  if (found == plans_.end()) {
    const bool has_room = plans_.size() < kPlansMax;
    found = plans_.try_emplace(std::string(has_room ? name : kOtherPlans)).first;
  }
  if (found->second == nullptr) found->second = std::make_unique<Plan>();
  return *found->second;
}

void RequestLedger::begin(runtime::Priority priority) {
  const base::SequenceLock<>::Change change(lock_);
  received_.add(1);
  inflight_[static_cast<std::size_t>(priority)].add(1);
}

void RequestLedger::change_class(runtime::Priority from, runtime::Priority to) {
  const base::SequenceLock<>::Change change(lock_);
  inflight_[static_cast<std::size_t>(from)].add(-1);
  inflight_[static_cast<std::size_t>(to)].add(1);
}

void RequestLedger::enter(Plan& plan) {
  const base::SequenceLock<>::Change change(lock_);
  plan.change_inflight(1);
}

void RequestLedger::leave(Plan& plan) {
  const base::SequenceLock<>::Change change(lock_);
  plan.change_inflight(-1);
}

void RequestLedger::end(Plan& plan, const End& end) {
  const auto priority = static_cast<std::size_t>(end.priority);
  const base::SequenceLock<>::Change change(lock_);
  inflight_[priority].add(-1);
  if (end.was_run) completed_[priority].add(1);
  plan.count(end);
}

void RequestLedger::add_to(Sums& sums) const {
  base::MutexLock lock(mutex_);
  std::uint64_t received = 0;
  std::array<std::int64_t, kClasses> inflight{};
  std::array<std::uint64_t, kClasses> completed{};
  std::vector<PlanSums> plans(plans_.size());
  std::vector<const Plan*> counts;
  for (const auto& [name, plan] : plans_) counts.push_back(plan.get());
  lock_.read([&] {
    received = unsigned_of(received_);
    for (std::size_t index = 0; index < kClasses; ++index) {
      inflight[index] = inflight_[index].value();
      completed[index] = unsigned_of(completed_[index]);
    }
    for (std::size_t place = 0; place < counts.size(); ++place) counts[place]->read(plans[place]);
  });
  sums.received += received;
  for (std::size_t index = 0; index < kClasses; ++index) {
    sums.inflight[index] += inflight[index];
    sums.completed[index] += completed[index];
  }
  std::size_t place = 0;
  for (const auto& [name, plan] : plans_) {
    const PlanSums& read = plans[place++];
    PlanSums& sum = sums.plans[name];
    for (std::size_t index = 0; index < kOutcomes; ++index)
      sum.outcomes[index] += read.outcomes[index];
    for (std::size_t index = 0; index < kBuckets; ++index) {
      sum.buckets[index] += read.buckets[index];
      if (read.exemplars[index].at > sum.exemplars[index].at)
        sum.exemplars[index] = read.exemplars[index];
    }
    sum.took_ns += read.took_ns;
    sum.inflight += read.inflight;
  }
}

void add_ledger_metrics(const RequestLedger::Sums& sums,
                        std::vector<base::MetricSnapshot>& metrics,
                        observe::ExemplarTable& exemplars) {
  const auto count = [](std::uint64_t number) {
    return base::MetricValue{.count = number, .value = static_cast<double>(number)};
  };
  base::MetricSnapshot requests{.descriptor = kRequests, .series = {}};
  base::MetricSnapshot durations{.descriptor = kRequestDuration, .series = {}};
  base::MetricSnapshot plan_inflight{.descriptor = kPlanInflight, .series = {}};
  for (const auto& [plan, plan_sums] : sums.plans) {
    for (std::size_t index = 0; index < RequestLedger::kOutcomes; ++index) {
      const auto outcome = static_cast<rank::RankOutcome>(index);
      requests.series.push_back({.label_values = {plan, std::string(outcome_name(outcome))},
                                 .value = count(plan_sums.outcomes[index])});
    }
    base::MetricValue histogram{.value = static_cast<double>(plan_sums.took_ns) * kNanosecond};
    histogram.buckets.assign(plan_sums.buckets.begin(), plan_sums.buckets.end());
    for (const std::uint64_t in_bucket : plan_sums.buckets) histogram.count += in_bucket;
    durations.series.push_back({.label_values = {plan}, .value = std::move(histogram)});
    plan_inflight.series.push_back(
        {.label_values = {plan}, .value = {.value = static_cast<double>(plan_sums.inflight)}});
    exemplars.add(kRequestDuration.name, {plan}, plan_sums.exemplars);
  }
  base::MetricSnapshot inflight{.descriptor = kInflight, .series = {}};
  for (std::size_t index = 0; index < RequestLedger::kClasses; ++index) {
    const auto priority = static_cast<runtime::Priority>(index);
    inflight.series.push_back({.label_values = {std::string(priority_name(priority))},
                               .value = {.value = static_cast<double>(sums.inflight[index])}});
  }
  metrics.push_back({.descriptor = kRequestsReceived,
                     .series = {{.label_values = {}, .value = count(sums.received)}}});
  metrics.push_back(std::move(requests));
  metrics.push_back(std::move(durations));
  metrics.push_back(std::move(inflight));
  metrics.push_back(std::move(plan_inflight));
}

}  // namespace millrace::server
