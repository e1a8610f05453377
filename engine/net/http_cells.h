#pragma once

#include <cstdint>

#include "base/metrics/metric_cell.h"
#include "base/metrics/metric_descriptor.h"
#include "base/sync/atomics.h"

namespace millrace::net {

/// What a client has done since it was made.
struct HttpCounters {
  std::uint64_t requests = 0;  ///< sent, repetitions included
  std::uint64_t replies = 0;
  std::uint64_t repetitions = 0;  ///< because a connection that was kept open had ended
  std::uint64_t connections = 0;
  std::uint64_t refused = 0;  ///< not sent: the breaker was open or too many waited
  std::uint64_t failed = 0;   ///< ended without a reply, given up by their callers excepted
};

/// The same as cells, and more: the loop thread of the client writes them, any thread reads them.
struct alignas(base::kApartBytes) HttpCells {
  base::CounterCell requests;
  base::CounterCell replies;
  base::CounterCell repetitions;
  base::CounterCell connections;
  base::CounterCell refused;
  base::CounterCell failed;
  base::GaugeCell breakers_open;
  /// Seconds from `HttpClient::send` to the reply, waiting included.
  base::HistogramCell duration{base::kDurationBuckets};

  [[nodiscard]] HttpCounters counters() const {
    return {.requests = requests.value(),
            .replies = replies.value(),
            .repetitions = repetitions.value(),
            .connections = connections.value(),
            .refused = refused.value(),
            .failed = failed.value()};
  }
};

}  // namespace millrace::net
