#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.h"
#include "host/engine.h"
#include "stores/store_client.h"

namespace millrace::bench {

struct LoadOptions {
  std::string plan;
  int users = 1;  ///< requests are for them in turn
  int concurrency = 1;
  base::Duration time{};  ///< no new request after that
  std::int64_t requests_min = 1;
};

/// What requests in a closed loop gave.
struct LoadResult {
  std::int64_t requests = 0;
  std::int64_t failed = 0;
  std::string first_error;
  base::Duration elapsed{};
  std::vector<base::Duration> latencies;  ///< sorted
  stores::StoreCounters store;            ///< during the load

  [[nodiscard]] double per_second(double count) const;
  [[nodiscard]] double percentile_us(double share) const;
};

[[nodiscard]] LoadResult run_load(host::Engine& engine, const LoadOptions& options);

/// The candidates of a request, to compare.
[[nodiscard]] std::string answer_of(host::Engine& engine, const std::string& plan, int user);

}  // namespace millrace::bench
