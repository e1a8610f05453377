#pragma once

#include <chrono>
#include <cstdint>

#include "base/clock.h"

namespace millrace::runtime {

/// What it costs to let another thread take part in a run, on this machine. From these a pool
/// decides what to share (D6, D11).
struct SharingPrices {
  /// From one thread to another that looks for work: a cache line that changes its owner and back.
  /// A node that costs as much is worth a hand-over of its own.
  base::Duration hand_over = std::chrono::nanoseconds(150);
  /// Until a thread that sleeps runs.
  base::Duration wake = std::chrono::microseconds(50);
  /// Cheap nodes that cost as much together are worth a hand-over, with what it disturbs.
  base::Duration bundle = std::chrono::microseconds(10);

  /// Whether a run gains by a second worker. `gain` is the time that it could save at most;
  /// `contended_edges` is how many tokens it passes one by one to nodes that wait for several: on
  /// two workers every other of them finds its counter in the cache of the other processor.
  [[nodiscard]] bool pays(base::Duration gain, std::uint64_t contended_edges) const {
    return gain > hand_over + hand_over * static_cast<std::int64_t>(contended_edges) / 2;
  }
};

/// Measures the prices with two threads; takes a few milliseconds at most. Where other programs
/// keep the machine busy, it takes the least of what it saw; results beyond what real machines
/// cost are cut.
[[nodiscard]] SharingPrices measure_sharing_prices(const base::Clock& clock);

/// The prices of this machine, measured at the first call.
[[nodiscard]] const SharingPrices& machine_prices();

}  // namespace millrace::runtime
