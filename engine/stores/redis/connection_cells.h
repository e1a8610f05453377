#pragma once

#include <cstdint>

#include "base/metrics/metric_cell.h"
#include "base/metrics/metric_descriptor.h"
#include "base/sync/atomics.h"

namespace millrace::stores {

/// What connections have done since their cells were made.
struct ConnectionPoolCounters {
  std::uint64_t commands = 0;
  std::uint64_t writes = 0;
  std::uint64_t connects = 0;
  std::uint64_t connections_lost = 0;
  std::uint64_t timeouts = 0;
  std::uint64_t refused = 0;  ///< by the breaker, or because there was no connection
  std::uint64_t failed = 0;   ///< calls that ended without a reply, timeouts included
};

/// The same as cells, and more. All connections of one client write into one struct of cells, which
/// outlives them: so the pools of a cluster's nodes may come and go while another thread reads.
/// Threading: the loop thread of the client writes, any thread reads.
struct alignas(base::kApartBytes) ConnectionCells {
  base::CounterCell commands;
  base::CounterCell writes;
  base::CounterCell connects;
  base::CounterCell connections_lost;
  base::CounterCell timeouts;
  base::CounterCell refused;
  base::CounterCell failed;
  base::GaugeCell breakers_open;
  /// Seconds from the moment a call was put on its connection to its last reply.
  base::HistogramCell duration{base::kDurationBuckets};

  [[nodiscard]] ConnectionPoolCounters counters() const {
    return {.commands = commands.value(),
            .writes = writes.value(),
            .connects = connects.value(),
            .connections_lost = connections_lost.value(),
            .timeouts = timeouts.value(),
            .refused = refused.value(),
            .failed = failed.value()};
  }
};

}  // namespace millrace::stores
