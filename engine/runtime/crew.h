#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "base/clock.h"
#include "base/sync/atomics.h"
#include "base/sync/parking.h"
#include "runtime/pool_inbox.h"
#include "runtime/pool_settings.h"
#include "runtime/protocols/idle_counts.h"
#include "runtime/sharing_prices.h"

namespace millrace::runtime {

class Worker;

/// What the workers of a pool have in common: settings and prices, the inbox, who sleeps where.
/// It knows where workers are, and nothing of what they do.
///
/// No wake-up is lost: a worker that parks sets its bit, announces itself and passes a heavy fence
/// before it looks at every queue once more; whoever publishes passes a light fence between the
/// publication and its look at `has_parked` and `searching_count`.
///
/// Threading: any thread.
class Crew {
 public:
  static constexpr std::uint32_t kSlotMax = 64;

  Crew(const ExecutorConfig& config, const base::Clock& clock, const SharingPrices& prices);

  // --- Settings.
  [[nodiscard]] const ExecutorConfig& config() const { return config_; }
  [[nodiscard]] const base::Clock& clock() const { return clock_; }
  /// As they are now.
  [[nodiscard]] SharingPrices prices() const;
  [[nodiscard]] std::uint32_t worker_count() const { return worker_count_; }
  /// Threads that the pool starts; workers in slots from here on belong to callers.
  [[nodiscard]] std::uint32_t thread_count() const { return thread_count_; }
  /// What two readings of the clock cost by themselves.
  [[nodiscard]] base::Duration clock_overhead() const { return clock_overhead_; }
  [[nodiscard]] bool can_share() const { return worker_count_ > 1; }
  /// What a hand-over costs. Nodes that are handed over together are worth as much at least.
  [[nodiscard]] std::uint32_t hand_over_ns() const { return hand_over_.ns(); }
  /// Private nodes of this cost are together worth a hand-over. One worker has nobody to share
  /// with: it keeps everything, in order of path cost (P1).
  [[nodiscard]] std::uint64_t backlog_limit_ns() const {
    return can_share() ? static_cast<std::uint64_t>(prices().bundle.count()) : UINT64_MAX;
  }
  /// Whether the price of a hand-over follows what thieves see.
  [[nodiscard]] bool learns_prices() const { return learns_prices_; }
  /// Before there is any thread: unless a price was given.
  void learn_prices() { learns_prices_ = can_share() && !config_.hand_over_price; }
  /// Whether to see by some run what a hand-over costs, though sharing it does not pay: now and
  /// then, because somebody must be woken.
  [[nodiscard]] bool is_time_to_try_sharing();
  void note_taking(base::Duration time) { hand_over_.note(time - clock_overhead_); }
  /// How long a worker may be in one body before others take what it holds back.
  [[nodiscard]] base::Duration rescue_after() const { return config_.spin_time / 4; }
  /// Into how many pieces nodes that became ready together are cut, at least.
  [[nodiscard]] std::uint64_t pieces() const { return std::uint64_t{2} * worker_count_; }
  /// Whether a worker is worth waking that could save so much.
  [[nodiscard]] bool is_worth_a_wake(std::uint64_t gain_ns) const {
    return gain_ns >= static_cast<std::uint64_t>(wake_price_.count());
  }
  /// Threads that find themselves on the processor of a busy peer move to another.
  [[nodiscard]] bool spreads_threads() const { return spreads_threads_; }
  /// Before there is any thread.
  void spread_threads() { spreads_threads_ = worker_count_ > 1 && !config_.pin_from; }

  // --- Workers, by slot.
  [[nodiscard]] std::uint32_t worker_slots() const {
    return slot_count_.load(std::memory_order_relaxed);
  }
  /// Null where there is none yet.
  [[nodiscard]] Worker* worker_at(std::uint32_t slot) const {
    return workers_[slot].load(std::memory_order_acquire);
  }
  void add_worker(std::uint32_t slot, Worker& worker);

  // --- What comes from outside.
  [[nodiscard]] PoolInbox<>& inbox() { return inbox_; }
  [[nodiscard]] const PoolInbox<>& inbox() const { return inbox_; }
  /// Wakes somebody for what was just pushed to the inbox, if nobody looks for work already.
  void announce_work();

  // --- Sleepers.
  [[nodiscard]] base::ParkingSpot<>& spot(std::uint32_t slot) { return spots_[slot]; }
  [[nodiscard]] IdleCounts<>& idle_counts() { return idle_; }
  [[nodiscard]] bool is_watched() const { return idle_.is_watched(); }
  /// Workers that look for work or have been called to, as a hint; 0 when all sleep.
  [[nodiscard]] std::int32_t searching_count() const { return idle_.searching_count(); }
  [[nodiscard]] bool has_parked() const { return parked_.load(std::memory_order_relaxed) != 0; }
  void set_parked(std::uint32_t slot) {
    parked_.fetch_or(std::uint64_t{1} << slot, std::memory_order_relaxed);
  }
  void clear_parked(std::uint32_t slot) {
    parked_.fetch_and(~(std::uint64_t{1} << slot), std::memory_order_relaxed);
  }
  /// Wakes the first worker that sleeps, from slot `first` on. False: none does.
  bool wake_one(std::uint32_t first);

 private:
  // Constant once threads run.
  const ExecutorConfig config_;
  const base::Clock& clock_;
  const base::Duration wake_price_;
  std::uint32_t worker_count_ = 1;
  std::uint32_t thread_count_ = 0;
  bool spreads_threads_ = false;
  bool learns_prices_ = false;
  base::Duration clock_overhead_{};

  // When sharing may be tried next. A hint: two that try at once do no harm.
  std::atomic<std::int64_t> next_try_ns_{0};
  // Read at every hand-over, written after some.
  alignas(base::kApartBytes) HandOverPrice hand_over_;

  // Read at every hand-over, written when workers fall asleep or wake.
  // Slots of workers that sleep or are about to. A hint for wakers; ParkingSpot decides.
  alignas(base::kApartBytes) std::atomic<std::uint64_t> parked_{0};
  std::atomic<std::uint32_t> slot_count_{0};
  alignas(base::kApartBytes) IdleCounts<> idle_;
  PoolInbox<> inbox_;
  // Publishes a worker that was made for a guest.
  std::array<std::atomic<Worker*>, kSlotMax> workers_{};
  std::array<base::ParkingSpot<>, kSlotMax> spots_;
};

}  // namespace millrace::runtime
