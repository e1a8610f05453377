#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/metrics/metric_descriptor.h"
#include "base/metrics/metrics_snapshot.h"
#include "base/sync/atomics.h"
#include "base/sync/mutex.h"
#include "base/sync/sequence_lock.h"
#include "base/sync/thread_annotations.h"
#include "base/wall_clock.h"
#include "observe/exemplars.h"
#include "observe/trace_context.h"
#include "rank/rank_error.h"
#include "runtime/topology/node.h"

namespace millrace::server {

/// The counts of ranking requests of one loop. Whoever reads them gets them as they stood at one
/// moment, so that requests received are always those with an outcome and those in flight (S36).
///
/// Threading: the loop thread counts, without locked instructions and without waiting but for the
/// first request of a plan; any thread reads.
class RequestLedger {
 public:
  static constexpr std::size_t kClasses = runtime::kPriorityCount;
  static constexpr std::size_t kOutcomes = 7;
  static constexpr std::size_t kBuckets = base::kDurationBuckets.size() + 1;
  /// Plans with counts of their own; those of further ones are counted as `other`.
  static constexpr std::size_t kPlansMax = 1000;

  /// Where the requests of one plan are counted. Lives as long as the ledger.
  class Plan;

  RequestLedger();
  ~RequestLedger();
  RequestLedger(const RequestLedger&) = delete;
  RequestLedger& operator=(const RequestLedger&) = delete;

  [[nodiscard]] Plan& plan(std::string_view name) MR_EXCLUDES(mutex_);

  /// Counts a request that was received, and that is in flight from now on.
  void begin(runtime::Priority priority);
  /// Says that the class of a request in flight turned out to be another one.
  void change_class(runtime::Priority from, runtime::Priority to);

  /// Counts a request in flight among those of its plan, until `leave` or an end that says so.
  void enter(Plan& plan);
  void leave(Plan& plan);

  struct End {
    rank::RankOutcome outcome = rank::RankOutcome::kInvalid;
    runtime::Priority priority = runtime::Priority::kNormal;  ///< as in `begin` or `change_class`
    base::Duration took{};
    bool was_run = false;      ///< any of its nodes could run
    bool was_entered = false;  ///< in flight, it counted among those of its plan
    /// Of a request whose trace is exported: the trace, and the time now.
    const observe::TraceIdBits* trace = nullptr;
    base::WallTime now{};
  };
  /// Counts the outcome of a request in flight.
  void end(Plan& plan, const End& end);

  /// The sums of one plan.
  struct PlanSums {
    std::array<std::uint64_t, kOutcomes> outcomes{};
    std::array<std::uint64_t, kBuckets> buckets{};
    std::int64_t took_ns = 0;
    std::int64_t inflight = 0;
    std::array<observe::Exemplar, kBuckets> exemplars{};
  };
  /// The sums of one or more ledgers.
  struct Sums {
    std::uint64_t received = 0;
    std::array<std::int64_t, kClasses> inflight{};
    std::array<std::uint64_t, kClasses> completed{};  ///< that were run and have an outcome
    std::map<std::string, PlanSums, std::less<>> plans;
  };
  /// Adds the counts of one moment.
  void add_to(Sums& sums) const MR_EXCLUDES(mutex_);

 private:
  using Number = base::SequencedNumber<>;

  // Written by the loop thread, inside a change of `lock_`.
  alignas(base::kApartBytes) base::SequenceLock<> lock_;
  Number received_;
  std::array<Number, kClasses> inflight_;
  std::array<Number, kClasses> completed_;

  // Held while plans are added or read, never inside a change.
  mutable base::Mutex mutex_;
  std::map<std::string, std::unique_ptr<Plan>, std::less<>> plans_ MR_GUARDED_BY(mutex_);
};

/// Adds the metrics of ledgers: requests received, their outcomes, durations and those in flight.
void add_ledger_metrics(const RequestLedger::Sums& sums,
                        std::vector<base::MetricSnapshot>& metrics,
                        observe::ExemplarTable& exemplars);

}  // namespace millrace::server
