#include "runtime/worker_pool.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <memory>
#include <optional>
#include <stop_token>
#include <system_error>
#include <thread>
#include <utility>

#include <pthread.h>

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
#include "base/sync/thread_placement.h"
#include "loop/executor.h"
#include "loop/inbox.h"
#include "runtime/loop_scheduler.h"
#include "runtime/pool_inbox.h"
#include "runtime/pool_settings.h"
#include "runtime/run.h"
#include "runtime/run_extras.h"
#include "runtime/steal_deque.h"
#include "runtime/topology/cost_model.h"
#include "runtime/topology/node.h"
#include "runtime/worker.h"

namespace millrace::runtime {
namespace {

// The worker that the calling thread drives, if it is inside one.
thread_local Worker* current_worker = nullptr;

}  // namespace

DriverScope::DriverScope(Worker& worker) : outer_(std::exchange(current_worker, &worker)) {}
DriverScope::~DriverScope() { current_worker = outer_; }

base::Status validate(const ExecutorConfig& config) {
  const auto invalid = [](const char* what) {
    return base::fail(base::ErrorCode::kInvalidArgument, what, "executor config");
  };
  MR_TRY_STATUS(validate(config.costs));
  if (config.compute_threads > WorkerPool::kSlotMax)
    return invalid("compute_threads must be at most 64");
  if (config.starvation_guard_every == 0)
    return invalid("starvation_guard_every must be at least 1");
  constexpr base::Duration kNone = base::Duration::zero();
  for (const base::Duration time : {config.spin_time,
                                    config.hand_over_price.value_or(kNone),
                                    config.wake_price.value_or(kNone),
                                    config.bundle_price.value_or(kNone),
                                    config.loop_inline_budget}) {
    if (time < kNone) {
      return invalid(
          "spin_time, hand_over_price, wake_price, bundle_price and loop_inline_budget must not be "
          "negative");
    }
  }
  if (config.strand_quantum.count() <= 0) return invalid("strand_quantum must be positive");
  if (config.watch_period.count() <= 0) return invalid("watch_period must be positive");
  return {};
}

base::Result<std::unique_ptr<WorkerPool>> WorkerPool::create(const ExecutorConfig& config,
                                                             const base::Clock& clock) {
  MR_TRY_STATUS(validate(config));
  std::unique_ptr<WorkerPool> pool;
  try {
    // Measuring the prices starts a thread, too.
    const bool shares = config.compute_threads != 1;
    pool.reset(new WorkerPool(config, clock, shares ? machine_prices() : SharingPrices{}));
    pool->is_driven_ = true;
    pool->crew_.spread_threads();
    pool->crew_.learn_prices();
    pool->start_threads();
  } catch (const std::system_error& error) {
    return base::fail(base::ErrorCode::kResourceExhausted,
                      base::format("Cannot start the worker threads: {}; use fewer, or raise the "
                                   "limit of threads (ulimit -u)",
                                   error.code().message()));
  }
  if (config.pin_from) MR_TRY_STATUS(pool->pin_threads(*config.pin_from));
  return pool;
}

base::Result<std::unique_ptr<WorkerPool>> WorkerPool::create_undriven(const ExecutorConfig& config,
                                                                      const base::Clock& clock) {
  MR_TRY_STATUS(validate(config));
  return std::unique_ptr<WorkerPool>(new WorkerPool(config, clock, {}));
}

WorkerPool::WorkerPool(const ExecutorConfig& config,
                       const base::Clock& clock,
                       const SharingPrices& prices)
    : crew_(config, clock, prices),
      // Without threads the last slot is for the standby.
      guest_slot_end_(crew_.thread_count() == 0 ? kSlotMax - 1 : kSlotMax) {
  for (std::uint32_t slot = 0; slot < thread_count(); ++slot) make_worker(slot);
}

void WorkerPool::start_threads() {
  for (std::uint32_t slot = 0; slot < thread_count(); ++slot) {
    threads_.emplace_back(
        [this, slot](const std::stop_token& stop) { drive(*worker_storage_[slot], stop); });
  }
}

base::Status WorkerPool::pin_threads(std::uint32_t first) {
  MR_TRY(base::ProcessorDeal deal, base::ProcessorDeal::create());
  deal.skip(first);
  for (std::jthread& thread : threads_) MR_TRY_STATUS(deal.pin_next(thread.native_handle()));
  return {};
}

/// An entry of the pool's list of loops. The first two members do not change once the entry is in
/// the list, and the scheduler, which changes all the time, shares no cache line with them: every
/// loop reads the entries of the others to find its own.
struct WorkerPool::LoopEntry {
  LoopEntry(Crew& crew, loop::Loop& its_loop) : loop(its_loop), scheduler(crew, its_loop) {}
  loop::Loop& loop;
  LoopEntry* next = nullptr;
  LoopScheduler scheduler;
};

WorkerPool::~WorkerPool() {
  for (std::jthread& thread : threads_) thread.request_stop();
  for (std::uint32_t slot = 0; slot < worker_slots(); ++slot) {
    // The standby may be making a worker just now; that one sees the stop before it sleeps.
    if (Worker* const worker = worker_at(slot)) worker->spot().notify();
  }
  standby_spot_.notify();
  threads_.clear();
  finish_jobs();
  LoopEntry* first = loop_entries_.load(std::memory_order_acquire);
  while (first != nullptr) {
    const std::unique_ptr<LoopEntry> gone(first);
    first = gone->next;
  }
}

Worker& WorkerPool::make_worker(std::uint32_t slot) {
  worker_storage_[slot] =
      std::make_unique<Worker>(crew_, slot, config().seed * 0x9E3779B97F4A7C15U + slot);
  crew_.add_worker(slot, *worker_storage_[slot]);
  return *worker_storage_[slot];
}

// --- Runs

Worker* WorkerPool::current() const {
  return current_worker != nullptr && &current_worker->crew() == &crew_ ? current_worker : nullptr;
}

void WorkerPool::prepare(Run& run, Run::Start&& start) {
  const RunOptions& options = start.options;
  if (options.loop != nullptr) start.loop_host = &scheduler_of(*options.loop);
  const InlineOverrides& own = options.inlining;
  const std::uint32_t depth_max =
      own.max_inline_depth.value_or(config().max_inline_depth.value_or(UINT32_MAX));
  start.inlining = {.enabled = depth_max != 0 && own.enable_inline_execution.value_or(
                                                     config().enable_inline_execution),
                    .threshold = own.inline_threshold.value_or(run.costs().inline_threshold()),
                    .depth_max = depth_max};
  start.steps_apart = !start.inlining.enabled || !config().enable_continuation_chaining;
  // A turn of `depth_max` nodes is used up by as many nodes, however cheap.
  if (depth_max != 0 && depth_max != UINT32_MAX) {
    const std::int64_t share = config().strand_quantum.count() / depth_max + 1;
    start.node_charge_min_ns =
        static_cast<std::uint32_t>(std::min<std::int64_t>(share, CostModel::kCostMask));
  }
  // As long as some costs are not known, each node goes by its own: unknown ones are shared.
  start.sharing = run.costs().is_warm() && crew_.can_share()
                      ? run.costs().sharing(prices())
                      : SharingPlan{.worth_min_ns = crew_.hand_over_ns()};
  run.prepare(std::move(start), clock());
  // What bodies touch travels along with hand-overs: short ones would seem dear where they are
  // shared, and be shared for that. So a short run that is measured goes alone, but for the first
  // use of a run object, in which everything is dear.
  if (run.measured_ && run.uses_ > 1 && run.costs().is_warm() &&
      base::Duration(run.total_ns_) <= config().strand_quantum) {
    run.share_nothing();
  }
  // Else nobody would notice that hand-overs have become cheap. Nodes that are handed over seem
  // dearer than they are, so it is no run that is measured.
  constexpr std::uint64_t kTryEvery = 1024;
  if (!run.sharing_.shares() && !run.measured_ && run.uses_ % kTryEvery == kTryEvery / 2 &&
      crew_.is_time_to_try_sharing()) {
    run.share_all();
  }
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
  if (run.options_.loop != nullptr) {
    if (thread_count() == 0) start_standby();
    LoopScheduler& here = scheduler_of(*run.options_.loop);
    // A worker would have to be woken, and the answer would have to come back.
    if (run.topology().traits().starts_async || here.may_begin_here(run)) return here.submit(run);
  }
  if (Worker* const worker = current()) return worker->enqueue_run(run);
  submit_from_outside(run);
}

LoopScheduler& WorkerPool::scheduler_of(loop::Loop& loop) {
  std::unique_ptr<LoopEntry> made;
  LoopEntry* first = loop_entries_.load(std::memory_order_acquire);
  for (;;) {
    for (LoopEntry* known = first; known != nullptr; known = known->next) {
      if (&known->loop == &loop) return known->scheduler;
    }
    if (made == nullptr) made = std::make_unique<LoopEntry>(crew_, loop);
    made->next = first;
    if (loop_entries_.compare_exchange_weak(
            first, made.get(), std::memory_order_acq_rel, std::memory_order_acquire)) {
      return made.release()->scheduler;
    }
  }
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
    sum.moves += cells.moves.load(std::memory_order_relaxed);
    sum.starvation_guard_count += cells.starvation_guard.load(std::memory_order_relaxed);
  }
  const LoopEntry* entry = loop_entries_.load(std::memory_order_acquire);
  for (; entry != nullptr; entry = entry->next) {
    sum.executed_on_loops += entry->scheduler.executed_count();
    sum.inlined_on_loops += entry->scheduler.inlined_count();
  }
  return sum;
}

std::uint32_t WorkerPool::active_count() const {
  std::uint32_t count = 0;
  for (std::uint32_t slot = 0; slot < worker_slots(); ++slot) {
    const Worker* const worker = worker_at(slot);
    if (worker != nullptr && worker->looks_in_strand()) ++count;
  }
  return count;
}

base::Duration WorkerPool::busy_time() const {
  base::Duration sum{};
  // A standby may start meanwhile. No thread ends before the pool does.
  base::MutexLock lock(standby_mutex_);
  for (const std::jthread& thread : threads_) {
    clockid_t clock{};
    timespec used{};
    // The library's thread gives its handle away only where it may change.
    const pthread_t handle = const_cast<std::jthread&>(thread).native_handle();
    if (pthread_getcpuclockid(handle, &clock) != 0 || clock_gettime(clock, &used) != 0) continue;
    sum += std::chrono::seconds(used.tv_sec) + base::Duration(used.tv_nsec);
  }
  return sum;
}

std::int64_t WorkerPool::ready_count() const {
  std::uint64_t count = 0;
  for (std::uint32_t slot = 0; slot < worker_slots(); ++slot) {
    const Worker* const worker = worker_at(slot);
    if (worker != nullptr) count += worker->ready_hint();
  }
  return static_cast<std::int64_t>(count) + crew_.inbox().size_hint();
}

// --- What comes from outside

void WorkerPool::submit_from_outside(Run& run) {
  run.entry_->run = &run;
  run.entry_->payload = pack_item(kNoNode, static_cast<std::uint32_t>(Run::kFullCredit));
  crew_.inbox().push(*run.entry_, run.options_.priority);
  crew_.announce_work();
}

void WorkerPool::post(loop::Job& job) {
  crew_.inbox().push(job);
  crew_.announce_work();
}

void WorkerPool::finish_jobs() {
  // Whoever posted a job counts on it: a coroutine that waits for its turn here would never be
  // destroyed. Jobs that these post in turn are done as well.
  DequeItem item;
  while (crew_.inbox().try_take(static_cast<std::size_t>(Priority::kNormal), item)) {
    MR_CHECK(item.payload == PoolInbox<>::kJobPayload);  // all runs were released before
    loop::Job& job = *static_cast<loop::Job*>(item.run);
    job.run(job);
  }
}

}  // namespace millrace::runtime
