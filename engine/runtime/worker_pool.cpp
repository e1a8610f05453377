#include "runtime/worker_pool.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>

#include "base/check.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/result.h"
#include "base/sync/asymmetric_fence.h"
#include "base/sync/atomics.h"
#include "base/sync/mutex.h"
#include "base/sync/parking.h"
#include "base/sync/planted_bug.h"
#include "loop/executor.h"
#include "loop/inbox.h"
#include "runtime/loop_scheduler.h"
#include "runtime/pool_settings.h"
#include "runtime/run.h"
#include "runtime/run_extras.h"
#include "runtime/topology/cost_model.h"
#include "runtime/topology/node.h"
#include "runtime/worker.h"

namespace millrace::runtime {
namespace {

// The worker that the calling thread drives, if it is inside one.
thread_local Worker* current_worker = nullptr;

// A few looks before the caller does something dearer, like reading a clock.
template <class Condition>
void spin_until(Condition condition) {
  constexpr int kLooks = 32;
  for (int look = 0; look < kLooks && !condition(); ++look) base::StdAtomics::pause();
}

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

DriverScope::DriverScope(Worker& worker) : outer_(std::exchange(current_worker, &worker)) {}
DriverScope::~DriverScope() { current_worker = outer_; }

void WaitGroup::done() {
  leaving_.fetch_add(1, std::memory_order_relaxed);
  if (open_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    // A full fence: the waiter announces itself, passes a heavy one and then looks at `open_`.
    base::full_fence();
    if (Worker* const waiter = waiter_.load(std::memory_order_acquire)) waiter->call_back();
  }
  leaving_.fetch_sub(1, std::memory_order_release);  // the last touch
}

base::Status validate(const ExecutorConfig& config) {
  const auto invalid = [](const char* what) {
    return base::fail(base::ErrorCode::kInvalidArgument, what, "executor config");
  };
  MR_TRY_STATUS(validate(config.costs));
  if (config.compute_threads > WorkerPool::kSlotMax)
    return invalid("compute_threads must be at most 64");
  if (config.starvation_guard_every == 0)
    return invalid("starvation_guard_every must be at least 1");
  for (const base::Duration time :
       {config.spin_time, config.wake_price, config.bundle_price, config.loop_inline_budget}) {
    if (time.count() < 0) {
      return invalid(
          "spin_time, wake_price, bundle_price and loop_inline_budget must not be negative");
    }
  }
  if (config.watch_period.count() <= 0) return invalid("watch_period must be positive");
  return {};
}

base::Result<std::unique_ptr<WorkerPool>> WorkerPool::create(const ExecutorConfig& config,
                                                             const base::Clock& clock) {
  MR_TRY(std::unique_ptr<WorkerPool> pool, create_undriven(config, clock));
  pool->start_threads();
  return pool;
}

base::Result<std::unique_ptr<WorkerPool>> WorkerPool::create_undriven(const ExecutorConfig& config,
                                                                      const base::Clock& clock) {
  MR_TRY_STATUS(validate(config));
  return std::unique_ptr<WorkerPool>(new WorkerPool(config, clock));
}

WorkerPool::WorkerPool(const ExecutorConfig& config, const base::Clock& clock)
    : config_(config), clock_(clock) {
  worker_count_ = config.compute_threads != 0
                      ? config.compute_threads
                      : std::clamp(std::thread::hardware_concurrency(), 1U, kSlotMax);
  thread_count_ = config.callers_help ? worker_count_ - 1 : worker_count_;
  // One worker has nobody to share with: it keeps everything, in order of path cost (P1).
  sharing_mask_ = worker_count_ > 1 ? CostModel::kWorthSharing : 0;
  backlog_limit_ns_ =
      worker_count_ > 1 ? static_cast<std::uint64_t>(config.bundle_price.count()) : UINT64_MAX;
  rescue_after_ = config.spin_time / 4;
  clock_overhead_ = measure_overhead(clock);
  if (config.trace != nullptr) ticks_.emplace(clock);
  for (std::uint32_t slot = 0; slot < thread_count_; ++slot) {
    worker_storage_[slot] =
        std::make_unique<Worker>(*this, slot, config.seed * 0x9E3779B97F4A7C15U + slot);
    workers_[slot].store(worker_storage_[slot].get(), std::memory_order_release);
  }
  slot_count_.store(thread_count_, std::memory_order_relaxed);
}

void WorkerPool::start_threads() {
  for (std::uint32_t slot = 0; slot < thread_count_; ++slot) {
    threads_.emplace_back(
        [this, slot](const std::stop_token& stop) { drive(*worker_storage_[slot], stop); });
  }
}

WorkerPool::~WorkerPool() {
  for (std::jthread& thread : threads_) thread.request_stop();
  for (std::uint32_t slot = 0; slot < thread_count_; ++slot) worker_storage_[slot]->spot().notify();
  threads_.clear();
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
    if (action.kind == IdleAction::Kind::kRetry) {
      spin_until([&] { return done() || worker.sees_work(); });
      continue;
    }
    // What ends the wait may have come between the last look and the announcement.
    woken = done() ? !worker.spot().cancel() : worker.spot().wait(action.timeout);
    worker.unparked(woken);
  }
  stop_helping(worker, woken);
}

void WorkerPool::stop_helping(Worker& worker, bool woken) {
  worker.stop_idling();
  // Whoever woke this worker counted on it: pass the call on.
  if (woken && has_work_for(worker)) wake_one(&worker);
}

Worker* WorkerPool::take_guest() {
  std::uint64_t used = guests_.load(std::memory_order_relaxed);
  for (;;) {
    const auto slot = thread_count_ + static_cast<std::uint32_t>(std::countr_one(used));
    if (slot >= kSlotMax) return nullptr;
    const std::uint64_t bit = std::uint64_t{1} << (slot - thread_count_);
    if (!guests_.compare_exchange_weak(
            used, used | bit, std::memory_order_acquire, std::memory_order_relaxed))
      continue;
    if (worker_storage_[slot] == nullptr) {
      worker_storage_[slot] =
          std::make_unique<Worker>(*this, slot, config_.seed * 0x9E3779B97F4A7C15U + slot);
      workers_[slot].store(worker_storage_[slot].get(), std::memory_order_release);
      std::uint32_t count = slot_count_.load(std::memory_order_relaxed);
      while (count <= slot && !slot_count_.compare_exchange_weak(count, slot + 1)) {
      }
    }
    return worker_storage_[slot].get();
  }
}

void WorkerPool::return_guest(Worker& worker) {
  guests_.fetch_and(~(std::uint64_t{1} << (worker.index() - thread_count_)),
                    std::memory_order_release);
}

// --- Runs

Worker* WorkerPool::current() const {
  return current_worker != nullptr && &current_worker->pool_ == this ? current_worker : nullptr;
}

void WorkerPool::prepare(Run& run, Run::Start&& start) {
  const RunOptions& options = start.options;
  const bool full = needs_full_path(run, options);
  if (options.loop != nullptr) start.lane = lane_for(options.loop);
  const InlineOverrides& own = options.inlining;
  run.inlining_ = {.enabled = own.enable_inline_execution.value_or(config_.enable_inline_execution),
                   .threshold = own.inline_threshold.value_or(run.costs().inline_threshold()),
                   .depth_max = own.max_inline_depth.value_or(config_.max_inline_depth)};
  run.prepare(std::move(start), full, clock_, ticks_ ? &*ticks_ : nullptr);
  if (run.may_answer_early_ && run.options_.deadline) {
    run.options_.loop->arm(run.extras_->deadline_timer(), *run.options_.deadline);
  }
}

base::Status WorkerPool::run(Run& run, void* context, const RunOptions& options) {
  execute(run, {.context = context, .options = options});
  return run.status();
}

Run::Start WorkerPool::owning_start(std::shared_ptr<void>&& context,
                                    const RunOptions& options,
                                    const RunObserver& observer,
                                    std::uint32_t references) {
  void* const borrowed = context.get();
  return {.context = borrowed,
          .context_owner = std::move(context),
          .options = options,
          .observer = observer,
          .references = references};
}

base::Status WorkerPool::run_owned(Run& run,
                                   std::shared_ptr<void> context,
                                   const RunOptions& options,
                                   const RunObserver& observer) {
  execute(run, owning_start(std::move(context), options, observer, 1));
  base::Status status = run.status();
  run.drop_reference();
  return status;
}

void WorkerPool::execute(Run& run, Run::Start&& start) {
  Worker* const inside = current();
  // A caller that is to be answered at a deadline must not be the one that runs the slow body.
  const bool timed = start.options.deadline ||
                     (start.context_owner != nullptr && run.topology().traits().has_timeout);
  const bool helps = thread_count_ == 0 || !timed;
  Worker* const worker = inside != nullptr ? inside : helps ? take_guest() : nullptr;
  if (worker == nullptr) return run_without_helping(run, std::move(start));
  start.helper = worker;
  prepare(run, std::move(start));
  if (inside != nullptr) return run_inside(*worker, run);
  {
    const DriverScope scope(*worker);
    worker->adopt(run);
    help(*worker, [&run] { return run.is_done(); });
  }
  return_guest(*worker);
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
  start.helper = &worker;
  prepare(run, std::move(start));
  Worker::Suspended outer = worker.suspend_strand();
  worker.adopt(run);
  return outer;
}

base::Status WorkerPool::end_inside(Worker& worker,
                                    Worker::Suspended&& outer,
                                    Run& run,
                                    bool woken) {
  stop_helping(worker, woken);
  worker.resume_strand(std::move(outer));
  base::Status status = run.status();
  run.drop_reference();
  return status;
}

void WorkerPool::run_without_helping(Run& run, Run::Start&& start) {
  // This caller sleeps until its run has answered.
  static thread_local base::ParkingSpot<> spot;
  start.waiter = &spot;
  prepare(run, std::move(start));
  submit_from_outside(run);
  while (!run.is_done()) {
    spot.announce();
    base::heavy_fence();
    static_cast<void>(run.is_done() ? spot.cancel() : spot.wait(std::nullopt));
  }
}

void WorkerPool::submit(Run& run,
                        void* context,
                        const RunOptions& options,
                        const RunObserver& observer) {
  prepare(run, {.context = context, .options = options, .observer = observer});
  enqueue(run);
}

void WorkerPool::submit_counted(Run& run,
                                std::shared_ptr<void> context,
                                const RunOptions& options,
                                const RunObserver& observer) {
  prepare(run, owning_start(std::move(context), options, observer, 2));
  enqueue(run);
}

void WorkerPool::enqueue(Run& run) {
  // Work that begins on the loop goes there at once, not by way of a worker.
  if (run.topology().traits().starts_async) return run.extras_->lane()->submit(run);
  if (Worker* const worker = current()) return worker->enqueue_run(run);
  submit_from_outside(run);
}

void WorkerPool::submit_from_outside(Run& run) {
  const auto priority = static_cast<std::size_t>(run.options_.priority);
  run.entry_.run = &run;
  run.entry_.payload = Worker::pack(kNoNode, static_cast<std::uint32_t>(Run::kFullCredit));
  inbox_count_.fetch_add(1, std::memory_order_relaxed);
  inboxes_[priority].push(run.entry_);
  inbox_classes_.insert_shared(priority);
  announce_work();
}

void WorkerPool::submit_nodes(Run& run, std::uint32_t head, bool is_chain, std::uint32_t credit) {
  const auto priority = static_cast<std::size_t>(run.class_of(head));
  QueueEntry& entry = run.extras_->entry(head);
  entry.run = &run;
  entry.payload = Worker::pack(is_chain ? head | Worker::kChainBit : head, credit);
  inbox_count_.fetch_add(1, std::memory_order_relaxed);
  inboxes_[priority].push(entry);
  inbox_classes_.insert_shared(priority);
  announce_work();
}

void WorkerPool::announce_work() {
  if (MR_PLANTED(kLostWakeUp)) return;
  // insert_shared was a full fence.
  if (has_parked() && searching_count() <= 0) wake_one(nullptr);
}

LoopScheduler* WorkerPool::lane_for(loop::Loop* loop) {
  if (loop == nullptr) return nullptr;
  base::MutexLock lock(lanes_mutex_);
  for (const auto& lane : lanes_) {
    if (&lane->loop() == loop) return lane.get();
  }
  lanes_.push_back(std::make_unique<LoopScheduler>(*this, *loop));
  return lanes_.back().get();
}

void WorkerPool::wait_without_helping(const WaitGroup& group) {
  // Rare: every slot for helpers is taken, so enough threads work already.
  while (group.is_open() || group.leaving_.load(std::memory_order_acquire) != 0)
    std::this_thread::sleep_for(std::chrono::microseconds(100));
}

void WorkerPool::help_until_done(WaitGroup& group) {
  Worker* const worker = take_guest();
  if (worker == nullptr) return wait_without_helping(group);
  group.waiter_.store(worker, std::memory_order_release);
  {
    const DriverScope scope(*worker);
    help(*worker, [&group] { return !group.is_open(); });
  }
  // The group may go as soon as this returns.
  while (group.leaving_.load(std::memory_order_acquire) != 0) base::StdAtomics::yield();
  return_guest(*worker);
}

bool WorkerPool::is_current() const { return current() != nullptr; }

void WorkerPool::post(loop::Job& job) {
  jobs_.push(job);
  inbox_classes_.insert_shared(static_cast<std::size_t>(Priority::kNormal));
  announce_work();
}

bool WorkerPool::fetch_inbox(Worker& worker, std::uint32_t priority) {
  if (!inbox_classes_.has(priority)) return false;
  inbox_classes_.remove_shared(priority);
  std::int64_t count = 0;
  loop::InboxLink* link = inboxes_[priority].take_all();
  while (link != nullptr) {
    auto& entry = static_cast<QueueEntry&>(*link);
    link = link->next;  // the entry may be used again as soon as its item is out
    worker.runs_[priority].push({entry.run, entry.payload});
    ++count;
  }
  bool found = count != 0;
  if (found) inbox_count_.fetch_sub(count, std::memory_order_relaxed);
  if (priority == static_cast<std::uint32_t>(Priority::kNormal)) {
    for (link = jobs_.take_all(); link != nullptr; found = true) {
      auto& job = static_cast<loop::Job&>(*link);
      link = link->next;
      worker.runs_[priority].push({&job, Worker::kJobPayload});
    }
  }
  if (!found) return false;
  worker.run_classes_.insert(priority);
  // One of them is for this worker; the others are for whoever sleeps (D7).
  base::light_fence();
  if (has_parked() && worker.runs_[priority].size_hint() > 1) consider_wake(worker, UINT64_MAX);
  return true;
}

bool WorkerPool::needs_full_path(const Run& run, const RunOptions& options) const {
  return run.topology().traits().any() || options.deadline.has_value() ||
         !config_.enable_inline_execution || !config_.enable_continuation_chaining ||
         options.inlining.any();
}

PoolCounters WorkerPool::counters() const {
  PoolCounters sum;
  for (std::uint32_t slot = 0; slot < worker_slots(); ++slot) {
    const Worker* const worker = worker_at(slot);
    if (worker == nullptr) continue;
    const WorkerCounters& cells = worker->counters();
    sum.executed += cells.executed.load(std::memory_order_relaxed);
    sum.inlined += cells.inlined.load(std::memory_order_relaxed);
    for (const auto& cell : cells.queued) sum.queued += cell.load(std::memory_order_relaxed);
    sum.published += cells.published.load(std::memory_order_relaxed);
    sum.stolen += cells.stolen.load(std::memory_order_relaxed);
    sum.rescued += cells.rescued.load(std::memory_order_relaxed);
    sum.wakes += cells.wakes.load(std::memory_order_relaxed);
    sum.parks += cells.parks.load(std::memory_order_relaxed);
    sum.starvation_guard_count += cells.starvation_guard.load(std::memory_order_relaxed);
  }
  base::MutexLock lock(lanes_mutex_);
  for (const auto& lane : lanes_) {
    sum.executed_on_loops += lane->executed_count();
    sum.inlined_on_loops += lane->inlined_count();
  }
  return sum;
}

std::int64_t WorkerPool::ready_count() const {
  std::uint64_t count = 0;
  for (std::uint32_t slot = 0; slot < worker_slots(); ++slot) {
    const Worker* const worker = worker_at(slot);
    if (worker != nullptr) count += worker->ready_hint();
  }
  return static_cast<std::int64_t>(count) + inbox_count_.load(std::memory_order_relaxed);
}

}  // namespace millrace::runtime
