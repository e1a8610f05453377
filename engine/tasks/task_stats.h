#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/error.h"

namespace millrace::tasks {

/// One call of a store, of a request that is looked at closely.
struct StoreCall {
  base::TimePoint start{};
  base::TimePoint end{};  ///< the epoch: the call was given up
  std::uint64_t commands = 0;
  std::uint64_t round_trips = 0;
  base::ErrorCode error = base::ErrorCode::kInternal;  ///< of meaning if `is_ok` is false
  bool is_ok = false;
};

/// Notes the store calls of one node.
/// Threading: as its node's body. Lifetime: borrows the clock.
class StoreCallLog {
 public:
  explicit StoreCallLog(const base::Clock& clock) : clock_(&clock) {}

  /// Notes that a call begins; gives its number for `end`.
  std::size_t begin(std::uint64_t commands) {
    calls_.push_back({.start = clock_->now(), .commands = commands});
    return calls_.size() - 1;
  }
  void end(std::size_t call, std::uint64_t round_trips) {
    calls_[call].end = clock_->now();
    calls_[call].round_trips = round_trips;
    calls_[call].is_ok = true;
  }
  void fail(std::size_t call, base::ErrorCode error) {
    calls_[call].end = clock_->now();
    calls_[call].error = error;
  }
  [[nodiscard]] const std::vector<StoreCall>& calls() const { return calls_; }

 private:
  const base::Clock* clock_;
  std::vector<StoreCall> calls_;
};

/// Counts made by one call of a body. Each node of a run has its own, so bodies need no
/// synchronisation; the code that runs the plan adds them up.
/// Threading: not shared.
struct TaskStats {
  /// Rows whose expression or fetched value failed (`on_row_error`).
  std::size_t row_errors = 0;
  /// The message of the first of them; empty if there is none.
  std::string first_row_error;
  std::uint64_t store_commands = 0;
  std::uint64_t store_round_trips = 0;
  /// Where store calls are noted; nullptr: nobody looks at this request closely.
  StoreCallLog* calls = nullptr;
};

}  // namespace millrace::tasks
