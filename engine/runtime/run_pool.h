#pragma once

#include <atomic>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/spare_stacks.h"
#include "base/sync/mutex.h"
#include "runtime/admission.h"
#include "runtime/run.h"

namespace millrace::runtime {

class WorkerPool;

/// Keeps a reference to a submitted run: to ask how it ended, or to stop it.
/// Threading: not shared. Lifetime: the DAG outlives it.
class RunHandle {
 public:
  RunHandle() = default;
  explicit RunHandle(Run& run) : run_(&run) {}
  /// Another reference to a run whose answer is being received.
  [[nodiscard]] static RunHandle share(Run& run);
  RunHandle(RunHandle&& other) noexcept : run_(std::exchange(other.run_, nullptr)) {}
  RunHandle& operator=(RunHandle&& other) noexcept {
    std::swap(run_, other.run_);
    return *this;
  }
  ~RunHandle();
  RunHandle(const RunHandle&) = delete;
  RunHandle& operator=(const RunHandle&) = delete;

  /// False for the empty handle, which must not be asked anything else.
  [[nodiscard]] bool holds_run() const { return run_ != nullptr; }
  /// Asks the run to stop within one node boundary (C7). Does nothing once it has answered.
  void cancel() const { run_->cancel(); }
  /// kOpen until the answer is out.
  [[nodiscard]] RunOutcome outcome() const { return run_->outcome(); }
  /// What a run that ended by its deadline was waiting for (C12).
  [[nodiscard]] std::span<const PendingNode> pending() const { return run_->pending(); }
  [[nodiscard]] base::Status status() const { return run_->status(); }
  [[nodiscard]] const Run& run() const { return *run_; }
  /// Gives the run away without dropping the reference: it belongs to whoever makes a handle of the
  /// run again, which must happen exactly once. The handle is empty afterwards.
  [[nodiscard]] Run& detach() { return *std::exchange(run_, nullptr); }

 private:
  Run* run_ = nullptr;
};

/// The runs of one topology, used again and again so that a warm run allocates nothing (K3).
/// Threading: any thread. Lifetime: outlives its handles; its destructor waits for late bodies.
class RunPool {
 public:
  RunPool(const Topology& topology, CostModel& costs) : topology_(topology), costs_(costs) {}
  ~RunPool();
  RunPool(const RunPool&) = delete;
  RunPool& operator=(const RunPool&) = delete;

  /// Executes one run on the calling thread and the pool; the context is borrowed until it returns.
  [[nodiscard]] base::Status run(WorkerPool& pool, void* context, const RunOptions& options);
  /// The same with a context that the run owns, so that it may answer before all bodies have
  /// returned.
  [[nodiscard]] base::Status run_owned(WorkerPool& pool,
                                       std::shared_ptr<void> context,
                                       const RunOptions& options);
  /// Starts a run. `on_answer` is called once with `data`; an error means that nothing was started.
  /// The run gives its permit back with its answer if all its bodies have returned by then, else
  /// when the last of them has and its handle is gone.
  [[nodiscard]] base::Result<RunHandle> submit(WorkerPool& pool,
                                               std::shared_ptr<void> context,
                                               const RunOptions& options,
                                               RunObserver observer,
                                               AdmissionPermit permit = {});

  /// `submit` if `admission` lets the run in now; kBusy or kDeadlineExceeded otherwise (B1, B3).
  [[nodiscard]] base::Result<RunHandle> try_submit(Admission& admission,
                                                   WorkerPool& pool,
                                                   std::shared_ptr<void> context,
                                                   const RunOptions& options,
                                                   RunObserver observer);

  /// Run objects made so far; stays constant when warm.
  [[nodiscard]] std::size_t created_count() const {
    return created_.load(std::memory_order_relaxed);
  }

 private:
  [[nodiscard]] base::Status check_submission(const WorkerPool& pool,
                                              const RunOptions& options) const;
  [[nodiscard]] Run& acquire();
  /// Takes a run back. Whoever gives the last one back does not touch the pool again.
  void release(Run& run);
  [[nodiscard]] bool are_all_back();

  const Topology& topology_;
  CostModel& costs_;
  base::SpareStacks<Run, &Run::next_spare_> spares_;
  std::atomic<std::size_t> created_{0};
  base::Mutex mutex_;
  std::vector<std::unique_ptr<Run>> all_ MR_GUARDED_BY(mutex_);
};

}  // namespace millrace::runtime
