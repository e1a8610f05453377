#pragma once

#include <algorithm>
#include <chrono>
#include <optional>

#include "base/clock.h"

namespace millrace::server {

/// When the next reload begins (S25): after a demand and a quiet time without further ones, and one
/// at a time. What is demanded while a reload runs leads to one more after it. Besides, files are
/// looked at from time to time, for folders whose changes nobody reports.
/// Threading: not shared. Knows no clock: the caller says what time it is.
class ReloadSchedule {
 public:
  struct Settings {
    base::Duration quiet = std::chrono::milliseconds(100);
    base::Duration quiet_max = std::chrono::seconds(1);  ///< endless changes do not put it off
    base::Duration scan = std::chrono::seconds(5);
  };

  ReloadSchedule(const Settings& settings, base::TimePoint now)
      : settings_(settings), next_scan_(now + settings.scan) {}

  /// Something has changed, or somebody asks.
  void demand(base::TimePoint now) {
    if (!first_demand_) first_demand_ = now;
    last_demand_ = now;
  }
  /// Whether a reload is to begin now. If so, what was demanded until now is served by it.
  [[nodiscard]] bool try_begin(base::TimePoint now) {
    if (!first_demand_ || now < reload_time()) return false;
    first_demand_.reset();
    return true;
  }
  /// Whether the files are to be looked at now.
  [[nodiscard]] bool try_scan(base::TimePoint now) {
    if (now < next_scan_) return false;
    next_scan_ = now + settings_.scan;
    return true;
  }
  /// When to ask again at the latest.
  [[nodiscard]] base::TimePoint next_time() const {
    return first_demand_ ? std::min(reload_time(), next_scan_) : next_scan_;
  }

 private:
  [[nodiscard]] base::TimePoint reload_time() const {
    return std::min(last_demand_ + settings_.quiet, *first_demand_ + settings_.quiet_max);
  }

  const Settings settings_;
  base::TimePoint next_scan_;
  std::optional<base::TimePoint> first_demand_;  // of those that no reload has served
  base::TimePoint last_demand_{};
};

}  // namespace millrace::server
