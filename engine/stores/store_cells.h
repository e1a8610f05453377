#pragma once

#include <cstdint>

#include "base/metrics/metric_cell.h"
#include "base/sync/atomics.h"

namespace millrace::stores {

/// What a client of a store has done since it was made.
struct StoreCounters {
  std::uint64_t commands = 0;
  std::uint64_t batches = 0;
  /// Waits for the peer: batches that leave together wait once.
  std::uint64_t round_trips = 0;
};

/// The same as cells: the loop thread of the client writes them, any thread reads them.
struct alignas(base::kApartBytes) StoreCells {
  base::CounterCell commands;
  base::CounterCell batches;
  base::CounterCell round_trips;

  [[nodiscard]] StoreCounters counters() const {
    return {.commands = commands.value(),
            .batches = batches.value(),
            .round_trips = round_trips.value()};
  }
};

}  // namespace millrace::stores
