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
  int users = 1;  ///< requests are for each user in turn
  int concurrency = 1;
  base::Duration time{};  ///< no request starts after this time
  std::int64_t requests_min = 1;
};

/// The results of requests in a closed loop.
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

/// The candidates of a request, for comparison.
[[nodiscard]] std::string answer_of(host::Engine& engine, const std::string& plan, int user);

}  // namespace millrace::bench
