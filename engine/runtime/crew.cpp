#include "runtime/crew.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstdint>
#include <thread>

#include "base/clock.h"
#include "base/sync/planted_bug.h"
#include "runtime/pool_settings.h"
#include "runtime/sharing_prices.h"
#include "runtime/topology/cost_model.h"

namespace millrace::runtime {
namespace {

// What a measurement adds to what it measures: the time from one reading to the next, as a mean,
// because a clock's steps may be longer than a body.
base::Duration measure_overhead(const base::Clock& clock) {
  constexpr int kBatches = 8;
  constexpr int kReadings = 64;
  base::Duration least = base::Duration::max();
  for (int batch = 0; batch < kBatches; ++batch) {
    const base::TimePoint before = clock.now();
    base::TimePoint after = before;
    for (int reading = 0; reading < kReadings; ++reading) after = clock.now();
    least = std::min(least, (after - before) / kReadings);
  }
  return least;
}

}  // namespace

Crew::Crew(const ExecutorConfig& config, const base::Clock& clock, const SharingPrices& prices)
    : config_(config),
      clock_(clock),
      wake_price_(config.wake_price.value_or(prices.wake)),
      clock_overhead_(measure_overhead(clock)),
      hand_over_(std::min(config.hand_over_price.value_or(prices.hand_over),
                          base::Duration(CostModel::kCostMask))) {
  worker_count_ = config.compute_threads != 0
                      ? config.compute_threads
                      : std::clamp(std::thread::hardware_concurrency(), 1U, kSlotMax);
  thread_count_ = config.callers_help ? worker_count_ - 1 : worker_count_;
}

SharingPrices Crew::prices() const {
  const base::Duration hand_over(hand_over_.ns());
  return {.hand_over = hand_over,
          .wake = wake_price_,
          .bundle = config_.bundle_price.value_or(bundle_price(hand_over))};
}

bool Crew::is_time_to_try_sharing() {
  constexpr base::Duration kPeriod = std::chrono::milliseconds(100);
  if (!learns_prices_) return false;
  const base::TimePoint now = clock_.now();
  if (now.time_since_epoch().count() < next_try_ns_.load(std::memory_order_relaxed)) return false;
  next_try_ns_.store((now + kPeriod).time_since_epoch().count(), std::memory_order_relaxed);
  return true;
}

void Crew::add_worker(std::uint32_t slot, Worker& worker) {
  workers_[slot].store(&worker, std::memory_order_release);
  std::uint32_t count = slot_count_.load(std::memory_order_relaxed);
  while (count <= slot && !slot_count_.compare_exchange_weak(count, slot + 1)) {
  }
}

void Crew::announce_work() {
  if (MR_PLANTED(kLostWakeUp)) return;
  // The push was a full fence.
  if (has_parked() && searching_count() <= 0) wake_one(0);
}

bool Crew::wake_one(std::uint32_t first) {
  std::uint64_t left = std::rotr(parked_.load(std::memory_order_relaxed), static_cast<int>(first));
  while (left != 0) {
    const auto slot = (first + static_cast<std::uint32_t>(std::countr_zero(left))) % kSlotMax;
    left &= left - 1;
    if (!spots_[slot].is_waiting()) continue;
    // Counted before it is awake, so that nobody wakes a second one for the same work.
    idle_.start_searching();
    if (spots_[slot].notify()) return true;
    idle_.stop_searching();
  }
  return false;
}

}  // namespace millrace::runtime
