#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/metrics/metric_binding.h"
#include "base/metrics/metric_cell.h"
#include "base/metrics/metrics_registry.h"
#include "base/sync/mutex.h"
#include "base/sync/thread_annotations.h"
#include "server/nats/service_info.h"

namespace millrace::server {

/// Counts what happens to requests over NATS, for metrics and for `$SRV.STATS`. After the last
/// reply received = replied + no_reply + undeliverable (NAT3). Threading: any thread. Lifetime:
/// borrows the registry.
class NatsTally {
 public:
  explicit NatsTally(base::MetricsRegistry& registry);

  void count_received(const std::string& plan) MR_EXCLUDES(mutex_);
  void count_no_reply() MR_EXCLUDES(mutex_);
  void count_replied(const std::string& plan, int status) MR_EXCLUDES(mutex_);
  void count_undeliverable() MR_EXCLUDES(mutex_);
  /// A request was answered `busy` before it reached a loop: the process has left its groups, or
  /// too many wait for a loop.
  void count_busy(bool has_left) MR_EXCLUDES(mutex_);
  void count_overflow() MR_EXCLUDES(mutex_);
  void count_disconnect() MR_EXCLUDES(mutex_);
  /// The process has left its groups because it was full, or has come back.
  void count_change(bool is_joined) MR_EXCLUDES(mutex_);
  void set_connected(bool is_connected) MR_EXCLUDES(mutex_);
  void set_joined(std::size_t plan_count) MR_EXCLUDES(mutex_);
  void set_unaddressed(std::size_t plan_count) MR_EXCLUDES(mutex_);

  /// What was counted for each of these plans.
  [[nodiscard]] std::vector<ServiceEndpoint> endpoints(std::vector<std::string> plans) const
      MR_EXCLUDES(mutex_);

 private:
  struct PlanCounts {
    std::uint64_t requests = 0;
    std::uint64_t errors = 0;
  };

  mutable base::Mutex mutex_;
  // Cells have one writer at a time: whoever holds the mutex.
  base::CounterCell received_ MR_GUARDED_BY(mutex_);
  base::CounterCell no_reply_ MR_GUARDED_BY(mutex_);
  base::CounterCell replied_ MR_GUARDED_BY(mutex_);
  base::CounterCell undeliverable_ MR_GUARDED_BY(mutex_);
  base::CounterCell busy_full_ MR_GUARDED_BY(mutex_);
  base::CounterCell busy_left_ MR_GUARDED_BY(mutex_);
  base::CounterCell overflows_ MR_GUARDED_BY(mutex_);
  base::CounterCell disconnects_ MR_GUARDED_BY(mutex_);
  base::CounterCell left_ MR_GUARDED_BY(mutex_);
  base::CounterCell returned_ MR_GUARDED_BY(mutex_);
  base::GaugeCell connected_ MR_GUARDED_BY(mutex_);
  base::GaugeCell joined_ MR_GUARDED_BY(mutex_);
  base::GaugeCell unaddressed_ MR_GUARDED_BY(mutex_);
  std::map<std::string, PlanCounts> plans_ MR_GUARDED_BY(mutex_);
  base::MetricBinding binding_;  // goes before the cells
};

}  // namespace millrace::server
