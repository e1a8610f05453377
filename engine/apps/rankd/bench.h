#pragma once

#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "apps/rankd/flags.h"
#include "apps/rankd/request_mix.h"
#include "apps/rankd/stop_signals.h"
#include "base/clock.h"
#include "host/engine.h"
#include "runtime/worker_pool.h"
#include "stores/store_client.h"

namespace millrace::rankd {

/// The figures of a bench.
struct BenchResult {
  std::string plan;
  std::string mix;  ///< which requests were sent
  std::int64_t requests = 0;
  std::int64_t failed = 0;   ///< got an error other than `busy`
  std::int64_t refused = 0;  ///< answered `busy`; no other figure counts them
  std::int64_t concurrency = 0;
  base::Duration elapsed{};
  base::Duration cpu{};                   ///< CPU time of all threads
  std::vector<base::Duration> latencies;  ///< sorted
  runtime::PoolCounters pool;             ///< during the measurement
  stores::StoreCounters store;
  std::uint64_t shared_keys =
      0;  ///< keys of stores that were not asked for, as another read had them
  /// Mean time that a node waits in a queue, measured with a few traced requests after the others.
  /// Nothing if the request cannot be traced.
  std::optional<base::Duration> queue_delay;
  std::uint64_t memory_peak_bytes = 0;
  std::string first_error;  ///< response of the first failed request

  [[nodiscard]] base::Duration percentile(double share) const;
  /// Requests that were not refused.
  [[nodiscard]] std::int64_t answered() const { return requests - refused; }
  [[nodiscard]] double requests_per_second() const;
};

/// Sends the requests in turn, `bench_concurrency` at a time, after a short warm-up. Shows
/// progress on stderr if that is a terminal. Once `stop` is raised no further request starts, and
/// the figures are those of the requests so far.
[[nodiscard]] BenchResult run_bench(host::Engine& engine,
                                    const Flags& flags,
                                    const RequestMix& mix,
                                    const StopFlag& stop);

[[nodiscard]] std::string to_text(const BenchResult& result);
[[nodiscard]] std::string to_json(const BenchResult& result);

}  // namespace millrace::rankd
