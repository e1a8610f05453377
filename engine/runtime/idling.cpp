#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/clock.h"
#include "base/sync/asymmetric_fence.h"
#include "base/sync/planted_bug.h"
#include "base/sync/processor_move.h"
#include "runtime/crew.h"
#include "runtime/run.h"
#include "runtime/worker.h"

// How a worker waits, and whom it wakes. Waking a sleeping thread is the dearest thing a worker
// does, so a hand-over wakes only when what was missed so far is worth it (ski rental, D6). Why no
// wake-up is lost stands in crew.h.

namespace millrace::runtime {

IdleAction Worker::idle() {
  if (only_run_ != nullptr) return idle_for_own_run();
  if (!idling_) {
    idling_ = true;
    crew_.idle_counts().start_idling();
    begin_looking(crew_.config().spin_time);
    activity_seen_ = activity();
    return {};
  }
  const base::TimePoint now = crew_.clock().now();
  leave_busy_processor(now);
  if (now >= next_watch_ && watch_backlogs(now)) return {};
  return now < look_until_ ? look_again(now) : try_park();
}

void Worker::begin_looking(base::Duration how_long) {
  look_since_ = crew_.clock().now();
  look_until_ = look_since_ + how_long;
  // Looking at others takes their cache lines away: not at once, and not often.
  next_watch_ = look_since_ + crew_.rescue_after() / 2;
}

IdleAction Worker::look_again(base::TimePoint now) const {
  // What comes soon comes at once. After that, whoever else wants this processor has it: it may be
  // the very peer that this worker waits for.
  constexpr base::Duration kAlone = std::chrono::microseconds(2);
  return {.kind = now - look_since_ < kAlone ? IdleAction::Kind::kRetry : IdleAction::Kind::kYield};
}

void Worker::leave_busy_processor(base::TimePoint now) {
  // The kernel likes to run a woken thread where the thread that woke it runs, and sees no reason
  // to part two threads that sleep often. Two workers on one processor are worth one.
  constexpr base::Duration kMovePeriod = std::chrono::milliseconds(1);
  if (!crew_.spreads_threads() || index_ >= crew_.thread_count() || now < next_move_) return;
  const int here = base::current_processor();
  for (std::uint32_t slot = 0; slot < crew_.worker_slots(); ++slot) {
    const Worker* const other = crew_.worker_at(slot);
    if (other == nullptr || other == this) continue;
    if (!other->looks_in_strand()) continue;
    if (other->processor_.load(std::memory_order_relaxed) != here) continue;
    next_move_ = now + kMovePeriod;
    if (base::leave_processor(here)) counters_.add(counters_.moves);
    return;
  }
}

bool Worker::has_backlog_in_body() const {
  return stack_top_.load(std::memory_order_relaxed) != 0 && handshake_.looks_in_body();
}

bool Worker::watch_backlogs(base::TimePoint now) {
  // A worker that goes from node to node keeps to itself what is not worth a hand-over. One that
  // does not come back from a body holds hostages: its cost was estimated wrongly (D6).
  next_watch_ = now + crew_.rescue_after() / 2;
  const std::int64_t now_ns = now.time_since_epoch().count();
  bool is_suspicious = false;
  for (std::uint32_t slot = 0; slot < crew_.worker_slots(); ++slot) {
    Worker* const victim = crew_.worker_at(slot);
    if (victim == nullptr || victim == this || !victim->has_backlog_in_body()) continue;
    Watched& seen = victim->watched_;
    const std::uint64_t executed = victim->counters_.executed.load(std::memory_order_relaxed);
    if (seen.executed.load(std::memory_order_acquire) != executed) {
      seen.since_ns.store(now_ns, std::memory_order_relaxed);
      seen.executed.store(executed, std::memory_order_release);
    } else if (now_ns - seen.since_ns.load(std::memory_order_relaxed) >=
                   crew_.rescue_after().count() &&
               rescue_from(*victim)) {
      return true;
    }
    is_suspicious = true;
  }
  if (is_suspicious && std::exchange(may_look_longer_, false))
    look_until_ = std::max(look_until_, now + 2 * crew_.rescue_after());
  return false;
}

IdleAction Worker::idle_for_own_run() {
  if (!std::exchange(waits_for_own_run_, true)) begin_looking(crew_.config().spin_time);
  const base::TimePoint now = crew_.clock().now();
  if (now >= next_watch_ && watch_backlogs(now)) return {};
  if (now < look_until_) return look_again(now);
  // Sleeps until its run is answered or has something for it, and looks now and then at what a peer
  // may hold back of it.
  base::ParkingSpot<>& own_spot = spot();
  own_spot.announce();
  base::heavy_fence();
  if (!sees_own_run())
    return {.kind = IdleAction::Kind::kPark, .timeout = crew_.config().watch_period};
  static_cast<void>(own_spot.cancel());
  return {};
}

void Worker::unparked(bool notified) {
  if (!waits_for_own_run_) {
    crew_.clear_parked(index_);
    if (std::exchange(sleeps_, false)) crew_.idle_counts().stop_sleeping();
    if (!notified) crew_.idle_counts().start_searching();
  }
  begin_looking(notified ? crew_.config().spin_time : base::Duration::zero());
  may_look_longer_ = !notified;
  if (notified) return leave_busy_processor(look_since_);
  // One that woke by itself has waited all the time: it looks at what busy workers hold back.
  next_watch_ = look_since_;
  if (MR_PLANTED(kIdleWatcher)) next_watch_ = look_since_ + crew_.rescue_after();
}

void Worker::stop_idling() {
  waits_for_own_run_ = false;
  if (!idling_) return;
  idling_ = false;
  crew_.idle_counts().stop_idling();
  call_watcher();  // the last one that watched may be about to be busy
}

bool Worker::sees_own_run() const {
  for (std::size_t priority = 0; priority < kPriorityCount; ++priority) {
    if (crew_.inbox().peek_oldest(priority) == only_run_) return true;
  }
  for (std::uint32_t slot = 0; slot < crew_.worker_slots(); ++slot) {
    const Worker* const other = crew_.worker_at(slot);
    if (other == nullptr) continue;
    for (std::size_t priority = 0; priority < kPriorityCount; ++priority) {
      if (other->nodes_[priority].peek_oldest() == only_run_) return true;
      if (other->runs_[priority].peek_oldest() == only_run_) return true;
    }
  }
  return false;
}

// --- Parking

IdleAction Worker::try_park() {
  crew_.set_parked(index_);
  crew_.idle_counts().stop_searching();
  own_spot().announce();
  base::heavy_fence();
  if (sees_work()) {
    if (own_spot().cancel()) crew_.idle_counts().start_searching();
    crew_.clear_parked(index_);
    return {};
  }
  counters_.add(counters_.parks);
  // As long as anything happens, idle workers look again now and then: a body that takes longer
  // than expected must not hold back what its worker keeps private.
  const std::uint64_t activity_now = activity();
  const bool quiet = activity_now == activity_seen_ && !any_other_busy();
  activity_seen_ = activity_now;
  const IdleAction watch{.kind = IdleAction::Kind::kPark, .timeout = crew_.config().watch_period};
  if (!quiet) return watch;
  crew_.idle_counts().start_sleeping();
  base::heavy_fence();
  if (!crew_.is_watched() && any_other_busy()) {
    crew_.idle_counts().stop_sleeping();
    return watch;
  }
  sleeps_ = true;
  return {.kind = IdleAction::Kind::kPark, .timeout = std::nullopt};
}

bool Worker::any_other_busy() const {
  for (std::uint32_t slot = 0; slot < crew_.worker_slots(); ++slot) {
    const Worker* const other = crew_.worker_at(slot);
    if (other != nullptr && other != this && other->looks_busy()) return true;
  }
  return false;
}

std::uint64_t Worker::activity() const {
  std::uint64_t sum = 0;
  for (std::uint32_t slot = 0; slot < crew_.worker_slots(); ++slot) {
    const Worker* const worker = crew_.worker_at(slot);
    if (worker != nullptr) sum += worker->counters().executed.load(std::memory_order_relaxed);
  }
  return sum;
}

void Worker::leave(bool woken) {
  stop_idling();
  if (woken && sees_work()) wake_one();
}

// --- Waking

bool Worker::wake_one() {
  if (!crew_.has_parked()) return false;
  if (!crew_.wake_one(static_cast<std::uint32_t>(random_.below(Crew::kSlotMax)))) return false;
  counters_.add(counters_.wakes);
  return true;
}

void Worker::consider_wake(std::uint64_t gain_ns) {
  if (!crew_.is_worth_a_wake(std::max(gain_ns, missed_ns_))) return;
  // Those who search already will find it, if there is enough for them only.
  const std::int32_t searching = crew_.searching_count();
  if (searching > 0 && static_cast<std::uint64_t>(searching) >= shared_item_count()) return;
  if (wake_one()) missed_ns_ = 0;
}

void Worker::count_missed() {
  const std::int64_t spent_ns = std::exchange(counted_left_ns_, turn_left_ns_) - turn_left_ns_;
  if (spent_ns <= 0 || !node_classes_.any() || !crew_.has_parked()) [[likely]]
    return;
  // Nodes ran here while others lay ready and a peer slept: that much could have been saved.
  if (shared_item_count() == 0) return;
  missed_ns_ += static_cast<std::uint64_t>(spent_ns);
  consider_wake(0);
}

void Worker::wake_for_rest() {
  if (crew_.has_parked() && crew_.searching_count() <= 0) wake_one();
}

}  // namespace millrace::runtime
