#include "runtime/worker_pool.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <system_error>
#include <thread>
#include <utility>

#include "base/check.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/format.h"
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
  if (config.strand_quantum.count() <= 0) return invalid("strand_quantum must be positive");
  if (config.watch_period.count() <= 0) return invalid("watch_period must be positive");
  return {};
}

base::Result<std::unique_ptr<WorkerPool>> WorkerPool::create(const ExecutorConfig& config,
                                                             const base::Clock& clock) {
  MR_TRY(std::unique_ptr<WorkerPool> pool, create_undriven(config, clock));
  pool->is_driven_ = true;
  try {
    pool->start_threads();
  } catch (const std::system_error& error) {
    return base::fail(base::ErrorCode::kResourceExhausted,
                      base::format("Cannot start {} worker threads: {}; use fewer, or raise the "
                                   "limit of threads (ulimit -u)",
                                   pool->thread_count_,
                                   error.code().message()));
  }
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
  if (thread_count_ == 0) guest_slot_end_ = kSlotMax - 1;  // the last one is for the standby
  // One worker has nobody to share with: it keeps everything, in order of path cost (P1).
  sharing_mask_ = worker_count_ > 1 ? CostModel::kWorthSharing : 0;
  backlog_limit_ns_ =
      worker_count_ > 1 ? static_cast<std::uint64_t>(config.bundle_price.count()) : UINT64_MAX;
  rescue_after_ = config.spin_time / 4;
  clock_overhead_ = measure_overhead(clock);
  for (std::uint32_t slot = 0; slot < thread_count_; ++slot) make_worker(slot);
}

void WorkerPool::start_threads() {
  for (std::uint32_t slot = 0; slot < thread_count_; ++slot) {
    threads_.emplace_back(
        [this, slot](const std::stop_token& stop) { drive(*worker_storage_[slot], stop); });
  }
}

WorkerPool::~WorkerPool() {
  for (std::jthread& thread : threads_) thread.request_stop();
  for (std::uint32_t slot = 0; slot < worker_slots(); ++slot) {
    if (worker_storage_[slot] != nullptr) worker_storage_[slot]->spot().notify();
  }
  threads_.clear();
  finish_jobs();
}

void WorkerPool::start_standby() {
  if (thread_count_ != 0 || !is_driven_) return;
  base::MutexLock lock(standby_mutex_);
  if (std::exchange(has_standby_, true)) return;
  Worker& worker = make_worker(kSlotMax - 1);
  threads_.emplace_back([this, &worker](const std::stop_token& stop) { drive(worker, stop); });
}

Worker& WorkerPool::make_worker(std::uint32_t slot) {
  worker_storage_[slot] =
      std::make_unique<Worker>(*this, slot, config_.seed * 0x9E3779B97F4A7C15U + slot);
  workers_[slot].store(worker_storage_[slot].get(), std::memory_order_release);
  std::uint32_t count = slot_count_.load(std::memory_order_relaxed);
  while (count <= slot && !slot_count_.compare_exchange_weak(count, slot + 1)) {
  }
  return *worker_storage_[slot];
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
    if (slot >= guest_slot_end_) return nullptr;
    const std::uint64_t bit = std::uint64_t{1} << (slot - thread_count_);
    if (!guests_.compare_exchange_weak(
            used, used | bit, std::memory_order_acquire, std::memory_order_relaxed))
      continue;
    return worker_storage_[slot] != nullptr ? worker_storage_[slot].get() : &make_worker(slot);
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
  if (options.loop != nullptr) start.loop_scheduler = &scheduler_of(*options.loop);
  const InlineOverrides& own = options.inlining;
  const std::uint32_t depth_max =
      own.max_inline_depth.value_or(config_.max_inline_depth.value_or(UINT32_MAX));
  start.inlining = {.enabled = depth_max != 0 && own.enable_inline_execution.value_or(
                                                     config_.enable_inline_execution),
                    .threshold = own.inline_threshold.value_or(run.costs().inline_threshold()),
                    .depth_max = depth_max};
  start.is_careful = !start.inlining.enabled || !config_.enable_continuation_chaining;
  // A turn of `depth_max` nodes is used up by as many nodes, however cheap.
  if (depth_max != 0 && depth_max != UINT32_MAX) {
    const std::int64_t share = config_.strand_quantum.count() / depth_max + 1;
    start.node_charge_min_ns =
        static_cast<std::uint32_t>(std::min<std::int64_t>(share, CostModel::kCostMask));
  }
  run.prepare(std::move(start), clock_);
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
  const bool has_deadline = start.options.deadline.has_value();
  Worker* const worker = inside != nullptr ? inside : may_help(run, start) ? take_guest() : nullptr;
  if (worker == nullptr) return run_without_helping(run, std::move(start));
  start.helper = worker;
  prepare(run, std::move(start));
  if (inside != nullptr) return run_inside(*worker, run);
  {
    const DriverScope scope(*worker);
    worker->adopt(run);
    if (has_deadline && thread_count_ != 0) worker->only_run_ = &run;
    help(*worker, [&run] { return run.is_done(); });
    worker->only_run_ = nullptr;
  }
  return_guest(*worker);
}

bool WorkerPool::may_help(const Run& run, const Run::Start& start) const {
  if (thread_count_ == 0) return true;
  const bool has_timeout = start.context_owner != nullptr && run.topology().traits().has_timeout;
  if (has_timeout) return false;
  if (!start.options.deadline) return true;
  // Whoever is to be answered at a deadline must not be the one that runs a slow body. All of the
  // run together is no slow body if it takes a small part of the time that is left.
  constexpr int kShareOfTimeLeft = 8;
  const std::optional<base::Duration> upper = run.costs().upper_total();
  return upper && *upper * kShareOfTimeLeft <= *start.options.deadline - clock_.now();
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
  start_standby();
  submit_from_outside(run);
  // As long as a wake costs, looking costs no more than sleeping.
  const base::TimePoint until = clock_.now() + config_.wake_price;
  while (!run.is_done() && clock_.now() < until) spin_until([&run] { return run.is_done(); });
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
  if (run.options_.loop != nullptr) start_standby();
  if (run.topology().traits().starts_async) return run.extras_->loop_scheduler()->submit(run);
  if (Worker* const worker = current()) return worker->enqueue_run(run);
  submit_from_outside(run);
}

LoopScheduler& WorkerPool::scheduler_of(loop::Loop& loop) {
  base::MutexLock lock(loop_schedulers_mutex_);
  for (const auto& scheduler : loop_schedulers_) {
    if (&scheduler->loop() == &loop) return *scheduler;
  }
  loop_schedulers_.push_back(std::make_unique<LoopScheduler>(*this, loop));
  return *loop_schedulers_.back();
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
  base::MutexLock lock(loop_schedulers_mutex_);
  for (const auto& scheduler : loop_schedulers_) {
    sum.executed_on_loops += scheduler->executed_count();
    sum.inlined_on_loops += scheduler->inlined_count();
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
