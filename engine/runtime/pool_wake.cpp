#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/sync/asymmetric_fence.h"
#include "runtime/run.h"
#include "runtime/steal_deque.h"
#include "runtime/worker.h"
#include "runtime/worker_pool.h"

// Waking and parking. Waking a sleeping thread is the dearest thing the pool does, so a hand-over
// wakes only when what was missed so far is worth it (ski rental, D6).
//
// No wake-up is lost: a worker that parks sets its bit, announces itself and passes a heavy fence
// before it looks at every queue once more; whoever publishes passes a light fence between the
// publication and its look at `parked_` and `idle_`.

namespace millrace::runtime {

void WorkerPool::consider_wake(Worker& by, std::uint64_t gain_ns) {
  if (!is_worth_a_wake(std::max(gain_ns, by.missed_ns_))) return;
  // Those who search already will find it, if there is enough for them only.
  const std::int32_t searching = searching_count();
  if (searching > 0 && static_cast<std::uint64_t>(searching) >= by.shared_item_count()) return;
  if (wake_one(&by)) by.missed_ns_ = 0;
}

void WorkerPool::count_missed(Worker& by, std::int64_t spent_ns) {
  // Nodes ran here while others lay ready and a peer slept: that much could have been saved.
  if (by.shared_item_count() == 0 || spent_ns <= 0) return;
  by.missed_ns_ += static_cast<std::uint64_t>(spent_ns);
  if (is_worth_a_wake(by.missed_ns_)) consider_wake(by, 0);
}

void WorkerPool::wake_for_rest(Worker& by) {
  // Whoever takes something and leaves more behind calls the next one: sleepers are woken one after
  // the other.
  if (has_parked() && searching_count() <= 0) wake_one(&by);
}

bool WorkerPool::wake_one(Worker* by) {
  const std::uint64_t parked = parked_.load(std::memory_order_relaxed);
  if (parked == 0) return false;
  const std::uint32_t first =
      by != nullptr ? static_cast<std::uint32_t>(by->random_.below(kSlotMax)) : 0;
  std::uint64_t left = std::rotr(parked, static_cast<int>(first));
  while (left != 0) {
    const auto slot = (first + static_cast<std::uint32_t>(std::countr_zero(left))) % kSlotMax;
    left &= left - 1;
    Worker* const sleeper = worker_at(slot);
    if (!sleeper->spot_.is_waiting()) continue;
    // Counted before it is awake, so that nobody wakes a second one for the same work.
    idle_.start_searching();
    if (sleeper->spot_.notify()) {
      if (by != nullptr) by->counters_.add(by->counters_.wakes);
      return true;
    }
    idle_.stop_searching();
  }
  return false;
}

void WorkerPool::wake_watcher(Worker& by) { wake_one(&by); }

IdleAction WorkerPool::try_park(Worker& worker) {
  const std::uint64_t bit = std::uint64_t{1} << worker.index();
  parked_.fetch_or(bit, std::memory_order_relaxed);
  idle_.stop_searching();
  worker.spot_.announce();
  base::heavy_fence();
  if (has_work_for(worker)) {
    if (worker.spot_.cancel()) idle_.start_searching();
    parked_.fetch_and(~bit, std::memory_order_relaxed);
    return {};
  }
  worker.counters_.add(worker.counters_.parks);
  // As long as anything happens, idle workers look again now and then: a body that takes longer
  // than expected must not hold back what its worker keeps private.
  const std::uint64_t activity_now = activity();
  const bool quiet = activity_now == worker.activity_seen_ && !any_other_busy(worker);
  worker.activity_seen_ = activity_now;
  const IdleAction watch{.kind = IdleAction::Kind::kPark, .timeout = config_.watch_period};
  if (!quiet) return watch;
  idle_.start_sleeping();
  base::heavy_fence();
  if (!is_watched() && any_other_busy(worker)) {
    idle_.stop_sleeping();
    return watch;
  }
  worker.sleeps_ = true;
  return {.kind = IdleAction::Kind::kPark, .timeout = std::nullopt};
}

void WorkerPool::leave_parking(Worker& worker, bool notified) {
  parked_.fetch_and(~(std::uint64_t{1} << worker.index()), std::memory_order_relaxed);
  if (std::exchange(worker.sleeps_, false)) idle_.stop_sleeping();
  if (!notified) idle_.start_searching();
}

bool WorkerPool::has_work_for(const Worker& worker) const {
  if (inbox_.classes().any()) return true;
  for (std::uint32_t slot = 0; slot < worker_slots(); ++slot) {
    const Worker* const other = worker_at(slot);
    if (other == nullptr) continue;
    if (other->shared_item_count() > 0) return true;
  }
  static_cast<void>(worker);
  return false;
}

bool WorkerPool::any_other_busy(const Worker& worker) const {
  for (std::uint32_t slot = 0; slot < worker_slots(); ++slot) {
    const Worker* const other = worker_at(slot);
    if (other != nullptr && other != &worker && other->looks_busy()) return true;
  }
  return false;
}

std::uint64_t WorkerPool::activity() const {
  std::uint64_t sum = 0;
  for (std::uint32_t slot = 0; slot < worker_slots(); ++slot) {
    const Worker* const worker = worker_at(slot);
    if (worker != nullptr) sum += worker->counters().executed.load(std::memory_order_relaxed);
  }
  return sum;
}

}  // namespace millrace::runtime
