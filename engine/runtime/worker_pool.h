#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "base/sync/atomics.h"
#include "base/sync/mutex.h"
#include "base/sync/parking.h"
#include "loop/executor.h"
#include "runtime/crew.h"
#include "runtime/pool_settings.h"
#include "runtime/ready_gauge.h"
#include "runtime/run.h"
#include "runtime/sharing_prices.h"
#include "runtime/worker.h"

namespace millrace::runtime {

class LoopScheduler;

/// Counts work that is not done yet, for a thread that helps until all is done.
/// Threading: `done` from any thread; call `add` before the waiter waits.
class WaitGroup {
 public:
  void add(std::uint64_t count) { open_.fetch_add(count, std::memory_order_relaxed); }
  void done();
  [[nodiscard]] bool is_open() const { return open_.load(std::memory_order_acquire) != 0; }

 private:
  friend class WorkerPool;
  /// The group may go once this returns: threads inside `done` have left it.
  void wait_until_left() const;

  // The decrement to zero publishes to the waiter everything that was done before.
  std::atomic<std::uint64_t> open_{0};
  // Publishes to the last `done` whom to wake.
  std::atomic<const Waiter*> waiter_{nullptr};
  // Threads inside `done`; the waiter returns only after they have left.
  std::atomic<std::uint32_t> leaving_{0};
};

/// Makes the calling thread the driver of `worker` for a scope. Scopes nest.
class DriverScope {
 public:
  explicit DriverScope(Worker& worker);
  ~DriverScope();
  DriverScope(const DriverScope&) = delete;
  DriverScope& operator=(const DriverScope&) = delete;

 private:
  Worker* const outer_;
};

/// Sums over all workers; fields that name loops are sums over all loops.
struct PoolCounters {
  std::uint64_t executed = 0;
  std::uint64_t inlined = 0;  ///< those of `executed` that came from no queue
  std::uint64_t executed_on_loops = 0;
  std::uint64_t inlined_on_loops = 0;
  std::uint64_t queued = 0;
  std::uint64_t published = 0;
  std::uint64_t stolen = 0;
  std::uint64_t rescued = 0;
  std::uint64_t wakes = 0;
  std::uint64_t parks = 0;
  std::uint64_t moves = 0;  ///< times that a thread left the processor of a busy one
  std::uint64_t starvation_guard_count = 0;
};

/// Workers with stealing deques. `compute_threads` includes a caller that waits in `run` and helps,
/// so a pool of W workers starts W − 1 threads. Threading: any thread. Lifetime: outlives every
/// run; all runs must be released before it is destroyed.
class WorkerPool final : public loop::Executor, public ReadyGauge {
 public:
  static constexpr std::uint32_t kSlotMax = Crew::kSlotMax;

  /// Starts the threads. `clock` is used for idle times only.
  [[nodiscard]] static base::Result<std::unique_ptr<WorkerPool>> create(
      const ExecutorConfig& config, const base::Clock& clock = base::steady_clock());
  /// The same without threads: the caller drives the workers, as the simulator does.
  [[nodiscard]] static base::Result<std::unique_ptr<WorkerPool>> create_undriven(
      const ExecutorConfig& config, const base::Clock& clock);
  ~WorkerPool() override;

  /// Executes `run` and returns its status when it is over. The calling thread takes part in the
  /// work (D7), unless `callers_help` is false.
  [[nodiscard]] base::Status run(Run& run, void* context, const RunOptions& options = {});
  /// Starts `run` and returns; `observer` gets the answer. On a thread of this pool it touches no
  /// other thread.
  void submit(Run& run, void* context, const RunOptions& options, const RunObserver& observer);
  /// `run` with a context that the run owns and keeps until its last body has returned.
  [[nodiscard]] base::Status run_owned(Run& run,
                                       std::shared_ptr<void> context,
                                       const RunOptions& options,
                                       const RunObserver& observer);
  /// `submit` with a context that the run owns; the caller holds one reference to the run.
  void submit_counted(Run& run,
                      std::shared_ptr<void> context,
                      const RunOptions& options,
                      const RunObserver& observer);
  /// Fails if the calling body is nested so deeply in bodies that run flows that one more could
  /// overflow the stack.
  [[nodiscard]] base::Status check_nesting() const;
  /// Runs other work until `group` has nothing open. Only waits if callers do not help here, or if
  /// `kSlotMax` workers are at it already.
  void help_until_done(WaitGroup& group);

  void post(loop::Job& job) override;
  [[nodiscard]] bool is_current() const override;

  [[nodiscard]] const ExecutorConfig& config() const { return crew_.config(); }
  [[nodiscard]] const base::Clock& clock() const { return crew_.clock(); }
  /// The prices by which it decides what to share.
  [[nodiscard]] SharingPrices prices() const { return crew_.prices(); }
  /// Number of threads that the pool started.
  [[nodiscard]] std::uint32_t thread_count() const { return crew_.thread_count(); }
  [[nodiscard]] std::uint32_t worker_count() const { return crew_.worker_count(); }
  [[nodiscard]] PoolCounters counters() const;
  /// Workers that are inside a run now, as a hint.
  [[nodiscard]] std::uint32_t active_count() const;
  /// The processor time that its threads have used so far.
  [[nodiscard]] base::Duration busy_time() const MR_EXCLUDES(standby_mutex_);
  /// Nodes and runs that are ready and not running, in all queues (B1).
  [[nodiscard]] std::int64_t ready_count() const override;

  // --- For drivers: threads of this pool, helping callers, the simulator.
  [[nodiscard]] std::uint32_t worker_slots() const { return crew_.worker_slots(); }
  [[nodiscard]] Worker* worker_at(std::uint32_t slot) const { return crew_.worker_at(slot); }
  /// Workers that look for work or have been called to, as a hint; 0 when all sleep.
  [[nodiscard]] std::int32_t searching_count() const { return crew_.searching_count(); }
  /// `run_owned` inside a body, in steps, for a driver that must not block: makes `worker` free for
  /// `run`. The driver then moves the worker until the run is done and the worker between two
  /// strands.
  [[nodiscard]] Worker::Suspended begin_inside(Worker& worker,
                                               Run& run,
                                               std::shared_ptr<void> context,
                                               const RunOptions& options,
                                               const RunObserver& observer);
  /// Gives the worker back to the body that was interrupted. `woken`: it was called for work since
  /// it last had some.
  [[nodiscard]] base::Status end_inside(Worker& worker,
                                        Worker::Suspended&& outer,
                                        Run& run,
                                        bool woken);

 private:
  WorkerPool(const ExecutorConfig& config, const base::Clock& clock, const SharingPrices& prices);
  void start_threads();
  [[nodiscard]] base::Status pin_threads(std::uint32_t first);
  void drive(Worker& worker, std::stop_token stop);
  template <class Done>
  void help(Worker& worker, Done done);
  static void wait_without_helping(WaitGroup& group);
  [[nodiscard]] Worker* take_guest();
  Worker& make_worker(std::uint32_t slot);
  void return_guest(Worker& worker);
  [[nodiscard]] Worker* current() const;
  /// The start of a run that keeps its context alive.
  [[nodiscard]] static Run::Start owning_start(std::shared_ptr<void>&& context,
                                               const RunOptions& options,
                                               const RunObserver& observer,
                                               std::uint32_t references);
  void execute(Run& run, Run::Start&& start);
  void enqueue(Run& run);
  void prepare(Run& run, Run::Start&& start);
  void run_inside(Worker& worker, Run& run);
  void run_without_helping(Run& run, Run::Start&& start);
  void submit_from_outside(Run& run);
  [[nodiscard]] LoopScheduler& scheduler_of(loop::Loop& loop);
  /// Whether a caller that waits for `run` may run its nodes (C13).
  [[nodiscard]] bool may_help(const Run& run, const Run::Start& start) const;
  /// Starts one more thread, once, where callers count as workers: for what callers of a pool
  /// without threads cannot do (work behind a loop, runs of more callers than it has room for), and
  /// in place of callers that must not help because of their deadline.
  void start_standby() MR_EXCLUDES(standby_mutex_);
  /// Lets the standby work from now on, until the last who called it releases it.
  void call_standby();
  void release_standby();
  void stand_in_for_callers(const std::stop_token& stop);
  void finish_jobs();

  Crew crew_;
  // Constant after construction.
  const std::uint32_t guest_slot_end_;
  bool is_driven_ = false;  // by threads of its own

  // Slots of guests in use. Giving one back publishes its worker to whoever takes it next.
  alignas(base::kApartBytes) std::array<std::atomic<bool>, kSlotMax> guests_{};
  std::array<std::unique_ptr<Worker>, kSlotMax> worker_storage_;
  // The schedulers of all loops, in a list that only grows and that loops which submit side by side
  // only read. Publishes each entry. Owned by the pool.
  struct LoopEntry;
  std::atomic<LoopEntry*> loop_entries_{nullptr};
  mutable base::Mutex standby_mutex_;
  bool has_standby_ MR_GUARDED_BY(standby_mutex_) = false;
  // Callers in whose place the standby works. Sequentially consistent: whoever changes it then
  // looks whether the standby sleeps, and the standby says that it will before it looks here.
  std::atomic<std::uint32_t> sleeping_callers_{0};
  base::ParkingSpot<> standby_spot_;
  std::vector<std::jthread> threads_;
};

}  // namespace millrace::runtime
