#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>

#include "base/clock.h"
#include "base/sync/atomics.h"

namespace millrace::runtime {

/// What it costs to let another thread take part in a run, on this machine. From these a pool
/// decides what to share (D6, D11).
struct SharingPrices {
  /// For a node that another thread takes, which looks for work: it gets the node, its run and what
  /// came before it. Who costs as much, with all that follows from it alone, is worth it.
  base::Duration hand_over = std::chrono::nanoseconds(450);
  /// Until a thread that sleeps runs.
  base::Duration wake = std::chrono::microseconds(50);
  /// Cheap nodes that cost as much together are worth a hand-over, with what it disturbs.
  base::Duration bundle = std::chrono::microseconds(10);

  /// What both threads do for a hand-over, without waiting for each other.
  static constexpr base::Duration kHandOverWork = std::chrono::nanoseconds(90);
  /// Cache lines that go from one thread to the other besides, one after another: the item in the
  /// queue, the run, and what came before the node.
  static constexpr int kLinesPerHandOver = 3;
  /// The price of a hand-over where a cache line needs so long from one thread to the other.
  [[nodiscard]] static base::Duration hand_over_by(base::Duration line) {
    return kHandOverWork + kLinesPerHandOver * line;
  }
  /// For a token to a node whose counter the other thread wrote last: a line.
  [[nodiscard]] base::Duration token() const {
    return std::max((hand_over - kHandOverWork) / kLinesPerHandOver, base::Duration::zero());
  }
};

// Results beyond what real machines cost are cut.
inline constexpr base::Duration kHandOverMin = std::chrono::nanoseconds(100);
inline constexpr base::Duration kHandOverMax = std::chrono::nanoseconds(600);
/// The price of a bundle where a hand-over costs so much.
[[nodiscard]] base::Duration bundle_price(base::Duration hand_over);

/// Measures the prices with two threads; takes a few milliseconds at most. Where other programs
/// keep the machine busy, it takes the least of what it saw.
[[nodiscard]] SharingPrices measure_sharing_prices(const base::Clock& clock);

/// The prices of this machine, measured at the first call.
[[nodiscard]] const SharingPrices& machine_prices();

/// What a hand-over costs now, as those see it who take items from others. It changes while a
/// process runs: threads move between processors that share a cache and processors that do not.
///
/// Of some samples the third least counts: more is due to other programs, and less to a thief that
/// has just run where its victim does. Nothing here publishes anything, and a sample that gets lost
/// does no harm.
/// Threading: any thread.
class HandOverPrice {
 public:
  explicit HandOverPrice(base::Duration at_first)
      : ns_(static_cast<std::uint32_t>(at_first.count())) {}

  [[nodiscard]] std::uint32_t ns() const { return ns_.load(std::memory_order_relaxed); }

  /// An item was taken out of the queue of another thread, which took so long.
  void note(base::Duration taking) {
    std::uint32_t price = price_of(taking);
    for (std::atomic<std::uint32_t>& least : least_ns_) {
      const std::uint32_t other = least.load(std::memory_order_relaxed);
      if (price >= other) continue;
      least.store(price, std::memory_order_relaxed);
      price = other;
    }
    const std::uint32_t count = count_.load(std::memory_order_relaxed) + 1;
    count_.store(count % kSamples, std::memory_order_relaxed);
    if (count < kSamples) return;
    const std::uint32_t seen = least_ns_.back().load(std::memory_order_relaxed);
    for (std::atomic<std::uint32_t>& least : least_ns_)
      least.store(UINT32_MAX, std::memory_order_relaxed);
    // What hardly changes stays: whoever uses a price has to think anew when it changes.
    const std::uint32_t now = ns();
    if (seen * 3 > now * 4 || seen * 4 < now * 3) ns_.store(seen, std::memory_order_relaxed);
  }

 private:
  static constexpr std::uint32_t kSamples = 8;
  // The end of the queue and the item in it: what follows, the run and the node, is on others.
  static constexpr int kLinesPerTake = 2;
  static constexpr base::Duration kTakeWork = std::chrono::nanoseconds(20);

  [[nodiscard]] static std::uint32_t price_of(base::Duration taking) {
    const base::Duration price = SharingPrices::hand_over_by((taking - kTakeWork) / kLinesPerTake);
    return static_cast<std::uint32_t>(std::clamp(price, kHandOverMin, kHandOverMax).count());
  }

  std::atomic<std::uint32_t> ns_;  // read by everyone who hands over
  // The three least of the samples under way, in order.
  alignas(base::kApartBytes) std::array<std::atomic<std::uint32_t>, 3> least_ns_{
      UINT32_MAX, UINT32_MAX, UINT32_MAX};
  std::atomic<std::uint32_t> count_{0};
};

}  // namespace millrace::runtime
