#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <system_error>
#include <thread>
#include <utility>

#include "base/clock.h"
#include "base/error.h"
#include "base/result.h"
#include "base/sync/asymmetric_fence.h"
#include "base/sync/atomics.h"
#include "base/sync/mutex.h"
#include "base/sync/parking.h"
#include "runtime/run.h"
#include "runtime/topology/cost_model.h"
#include "runtime/topology/topology.h"
#include "runtime/worker.h"
#include "runtime/worker_pool.h"

// Who drives workers: the threads of the pool, callers that help until their run is answered, and a
// standby in place of callers that must not help.

namespace millrace::runtime {
namespace {

// A few looks before the caller does something dearer, like reading a clock.
template <class Condition>
void spin_until(Condition condition, int looks = 32) {
  for (int look = 0; look < looks && !condition(); ++look) base::StdAtomics::pause();
}

// Where a thread that is no worker sleeps.
base::ParkingSpot<>& this_thread_spot() {
  static thread_local base::ParkingSpot<> spot;
  return spot;
}

// Whoever makes `condition` true notifies `spot` afterwards, if it sees that somebody waits there.
template <class Condition>
void sleep_until(base::ParkingSpot<>& spot, Condition condition) {
  while (!condition()) {
    spot.announce();
    base::heavy_fence();
    static_cast<void>(condition() ? spot.cancel() : spot.wait(std::nullopt));
  }
}

// Whether a timeout can make the run answer while the body that was too slow still runs.
bool can_answer_at_timeout(const Topology& topology, const std::shared_ptr<void>& context_owner) {
  return context_owner != nullptr && topology.traits().has_timeout;
}

}  // namespace

void WaitGroup::done() {
  leaving_.fetch_add(1, std::memory_order_relaxed);
  if (open_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    // A full fence: the waiter announces itself, passes a heavy one and then looks at `open_`.
    base::full_fence();
    if (const Waiter* const waiter = waiter_.load(std::memory_order_acquire)) waiter->wake();
  }
  leaving_.fetch_sub(1, std::memory_order_release);  // the last touch
}

void WaitGroup::wait_until_left() const {
  while (leaving_.load(std::memory_order_acquire) != 0) base::StdAtomics::yield();
}

// --- Driving

void WorkerPool::drive(Worker& worker, std::stop_token stop) {
  const DriverScope scope(worker);
  help(worker, [&stop] { return stop.stop_requested(); });
}

template <class Done>
void WorkerPool::help(Worker& worker, Done done) {
  bool woken = false;
  // A run that the worker has just adopted may be done already, by its deadline: its strand must be
  // ended all the same, because it holds the run's credit.
  while (worker.is_in_strand() || !done()) {
    if (worker.work_strand()) {
      woken = false;
      continue;
    }
    const IdleAction action = worker.idle();
    if (action.kind != IdleAction::Kind::kPark) {
      const bool yields = action.kind == IdleAction::Kind::kYield;
      if (yields) base::StdAtomics::yield();
      spin_until([&] { return done() || worker.sees_work(); }, yields ? 4 : 32);
      continue;
    }
    // What ends the wait may have come between the last look and the announcement.
    woken = done() ? !worker.spot().cancel() : worker.spot().wait(action.timeout);
    worker.unparked(woken);
  }
  worker.leave(woken);
}

Worker* WorkerPool::take_guest() {
  for (std::uint32_t slot = thread_count(); slot < guest_slot_end_; ++slot) {
    std::atomic<bool>& is_taken = guests_[slot];
    if (is_taken.load(std::memory_order_relaxed) ||
        is_taken.exchange(true, std::memory_order_acquire))
      continue;
    return worker_storage_[slot] != nullptr ? worker_storage_[slot].get() : &make_worker(slot);
  }
  return nullptr;
}

void WorkerPool::return_guest(Worker& worker) {
  guests_[worker.index()].store(false, std::memory_order_release);
}

// --- The standby

void WorkerPool::start_standby() {
  if (!is_driven_ || !config().callers_help) return;
  base::MutexLock lock(standby_mutex_);
  if (std::exchange(has_standby_, true)) return;
  if (thread_count() == 0) {
    Worker& worker = make_worker(kSlotMax - 1);
    threads_.emplace_back([this, &worker](const std::stop_token& stop) { drive(worker, stop); });
  } else {
    try {
      threads_.emplace_back([this](const std::stop_token& stop) { stand_in_for_callers(stop); });
    } catch (const std::system_error&) {
      // The system allows no more threads: those that are there do the work.
    }
  }
}

void WorkerPool::stand_in_for_callers(const std::stop_token& stop) {
  const auto is_needed = [this] { return sleeping_callers_.load() != 0; };
  while (!stop.stop_requested()) {
    sleep_until(standby_spot_, [&] { return stop.stop_requested() || is_needed(); });
    Worker* const worker = take_guest();
    // Else all slots are taken: enough threads work already, and the callers that have them return.
    if (worker == nullptr) {
      base::StdAtomics::yield();
      continue;
    }
    {
      const DriverScope scope(*worker);
      help(*worker, [&] { return stop.stop_requested() || !is_needed(); });
    }
    return_guest(*worker);
  }
}

// --- Callers

base::Status WorkerPool::run(Run& run, void* context, const RunOptions& options) {
  execute(run, {.context = context, .options = options});
  return run.status();
}

base::Status WorkerPool::run_owned(Run& run,
                                   std::shared_ptr<void> context,
                                   const RunOptions& options,
                                   const RunObserver& observer) {
  execute(run, owning_start(std::move(context), options, observer, 1));
  base::Status status = run.status();
  run.drop_references(run.waiter_references_);
  return status;
}

void WorkerPool::execute(Run& run, Run::Start&& start) {
  Worker* const inside = current();
  const bool has_clock = start.options.deadline.has_value() ||
                         can_answer_at_timeout(run.topology(), start.context_owner);
  Worker* const worker = inside != nullptr ? inside : may_help(run, start) ? take_guest() : nullptr;
  if (worker == nullptr) return run_without_helping(run, std::move(start));
  start.waiter = worker->waiter();
  start.waiter_takes_only = inside == nullptr && has_clock && thread_count() != 0;
  const bool takes_only = start.waiter_takes_only;
  prepare(run, std::move(start));
  if (inside != nullptr) return run_inside(*worker, run);
  {
    const DriverScope scope(*worker);
    if (takes_only) worker->take_only(&run);
    worker->adopt(run);
    help(*worker, [&run] { return run.is_done(); });
    worker->take_only(nullptr);
  }
  return_guest(*worker);
}

bool WorkerPool::may_help(const Run& run, const Run::Start& start) const {
  // Without threads there is nobody else.
  if (thread_count() == 0 || !is_driven_) return true;
  if (!config().callers_help) return false;
  const RunOptions& options = start.options;
  base::Duration left = base::Duration::max();
  if (options.deadline) left = options.budget ? *options.budget : *options.deadline - clock().now();
  if (can_answer_at_timeout(run.topology(), start.context_owner))
    left = std::min(left, run.topology().traits().shortest_timeout);
  if (left == base::Duration::max()) return true;
  // Whoever is to be answered at a time must not be the one that runs a slow body. All of the run
  // together is no slow body if it takes a small part of the time that is left.
  constexpr int kShareOfTimeLeft = 8;
  const std::optional<base::Duration> upper = run.costs().upper_total();
  if (!upper) return false;
  return *upper * kShareOfTimeLeft <= left;
}

base::Status WorkerPool::check_nesting() const {
  const Worker* const worker = current();
  if (worker == nullptr || worker->nesting() < Worker::kNestingMax) return {};
  return base::fail(
      base::ErrorCode::kResourceExhausted,
      "Flows run inside bodies of flows 256 levels deep: submit the inner one instead");
}

void WorkerPool::run_inside(Worker& worker, Run& run) {
  // A body runs a DAG: the worker is its own again until the DAG is over.
  Worker::Suspended outer = worker.suspend_strand();
  worker.adopt(run);
  help(worker, [&run] { return run.is_done(); });
  worker.resume_strand(std::move(outer));
}

Worker::Suspended WorkerPool::begin_inside(Worker& worker,
                                           Run& run,
                                           std::shared_ptr<void> context,
                                           const RunOptions& options,
                                           const RunObserver& observer) {
  Run::Start start = owning_start(std::move(context), options, observer, 1);
  start.waiter = worker.waiter();
  prepare(run, std::move(start));
  Worker::Suspended outer = worker.suspend_strand();
  worker.adopt(run);
  return outer;
}

base::Status WorkerPool::end_inside(Worker& worker,
                                    Worker::Suspended&& outer,
                                    Run& run,
                                    bool woken) {
  worker.leave(woken);
  worker.resume_strand(std::move(outer));
  base::Status status = run.status();
  run.drop_references(run.waiter_references_);
  return status;
}

void WorkerPool::run_without_helping(Run& run, Run::Start&& start) {
  // This caller sleeps until its run has answered.
  base::ParkingSpot<>& spot = this_thread_spot();
  start.waiter = {.spot = &spot};
  prepare(run, std::move(start));
  // A caller that only waits is one worker fewer: another thread takes its place, where that pays.
  const bool has_standby =
      config().callers_help && (thread_count() == 0 || !run.costs().is_warm() ||
                                crew_.is_worth_a_wake(run.sharing_.gain_ns));
  if (has_standby) call_standby();
  submit_from_outside(run);
  // As long as a wake costs, looking costs no more than sleeping.
  const base::TimePoint until = clock().now() + prices().wake;
  while (!run.is_done() && clock().now() < until) spin_until([&run] { return run.is_done(); });
  sleep_until(spot, [&run] { return run.is_done(); });
  if (has_standby) release_standby();
}

void WorkerPool::call_standby() {
  start_standby();
  if (sleeping_callers_.fetch_add(1) == 0 && standby_spot_.is_waiting()) standby_spot_.notify();
}

void WorkerPool::release_standby() {
  // If it sleeps, it notices at the next wake, and passes that on.
  sleeping_callers_.fetch_sub(1);
}

void WorkerPool::wait_without_helping(WaitGroup& group) {
  base::ParkingSpot<>& spot = this_thread_spot();
  const Waiter waiter{.spot = &spot};
  group.waiter_.store(&waiter, std::memory_order_release);
  sleep_until(spot, [&group] { return !group.is_open(); });
  group.wait_until_left();
  group.waiter_.store(nullptr, std::memory_order_relaxed);  // it ends here, the group may go on
}

void WorkerPool::help_until_done(WaitGroup& group) {
  Worker* const worker = config().callers_help || !is_driven_ ? take_guest() : nullptr;
  if (worker == nullptr) {
    if (thread_count() == 0) start_standby();
    wait_without_helping(group);
  } else {
    const Waiter waiter = worker->waiter();
    group.waiter_.store(&waiter, std::memory_order_release);
    {
      const DriverScope scope(*worker);
      help(*worker, [&group] { return !group.is_open(); });
    }
    group.wait_until_left();
    group.waiter_.store(nullptr, std::memory_order_relaxed);  // it ends here, the group may go on
    return_guest(*worker);
  }
}

}  // namespace millrace::runtime
