#include "runtime/run_pool.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include "base/check.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/result.h"
#include "base/sync/mutex.h"
#include "runtime/admission.h"
#include "runtime/run.h"
#include "runtime/topology/topology.h"
#include "runtime/worker_pool.h"

namespace millrace::runtime {
namespace {

base::Status check_options(const Topology& topology, const RunOptions& options, bool owns_context) {
  const auto invalid = [](const char* what) {
    return base::fail(base::ErrorCode::kInvalidArgument, what, "run options");
  };
  const TopologyTraits& traits = topology.traits();
  if (options.loop == nullptr && traits.has_async)
    return invalid("The flow has async nodes: set RunOptions::loop");
  if (options.loop == nullptr && traits.has_timeout)
    return invalid("The flow has timeouts: set RunOptions::loop");
  if (options.loop == nullptr && options.deadline)
    return invalid("A deadline needs a loop to fire on: set RunOptions::loop");
  if (options.loop == nullptr && options.budget)
    return invalid("A budget needs a loop to fire on: set RunOptions::loop");
  if (options.budget && options.budget->count() < 0)
    return invalid("RunOptions::budget must not be negative");
  if ((options.deadline || options.budget) && !owns_context) {
    return invalid(
        "A run with a deadline may answer while a body still runs: pass the context as "
        "std::shared_ptr");
  }
  return {};
}

/// Gives the place of a run that answers to the next run, which its observer may start at once.
/// Bodies may go on behind an answer that came early, or behind one for which a clock took a node:
/// they are load all the same, so such a run keeps its place until the last of them is over (C2).
void give_permit_back(bool may_have_late_bodies, AdmissionPermit& permit) {
  if (may_have_late_bodies) {
    permit.abandon();
  } else {
    permit.release();
  }
}

/// The options of a run that starts now: a budget has become a deadline, too. It stays set if it is
/// what decides, so that nobody has to read the clock again to know the time left.
RunOptions with_deadline(RunOptions options) {
  const base::TimePoint now = options.loop->clock().now();
  // More would overflow where times are added.
  constexpr base::Duration kBudgetMax = std::chrono::hours(24 * 365);
  const base::TimePoint latest = now + std::min(*options.budget, kBudgetMax);
  if (options.deadline && *options.deadline < latest) {
    options.budget.reset();
  } else {
    options.deadline = latest;
  }
  return options;
}

RunOptions without_budget(RunOptions options) {
  options = with_deadline(std::move(options));
  options.budget.reset();
  return options;
}

}  // namespace

RunHandle RunHandle::share(Run& run) {
  MR_CHECK(run.try_hold());
  return RunHandle(run);
}

RunHandle::~RunHandle() {
  if (run_ != nullptr) run_->drop_reference();
}

RunPool::~RunPool() {
  // A run that answered early is back when its last body has returned.
  for (int look = 0; !are_all_back(); ++look) {
    constexpr int kYields = 64;
    if (look < kYields) {
      std::this_thread::yield();
    } else {
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
  }
}

bool RunPool::are_all_back() {
  base::MutexLock lock(mutex_);
  return spares_.count() == all_.size();
}

Run& RunPool::acquire() {
  if (Run* const run = spares_.try_take()) return *run;
  base::MutexLock lock(mutex_);
  all_.push_back(std::make_unique<Run>(topology_, costs_));
  created_.fetch_add(1, std::memory_order_relaxed);
  return *all_.back();
}

void RunPool::release(Run& run) {
  run.staged_.reset();
  spares_.give(run);  // the last touch: the pool may go now
}

base::Status RunPool::run(WorkerPool& pool, void* context, const RunOptions& options) {
  MR_TRY_STATUS(check_options(topology_, options, false));
  MR_TRY_STATUS(pool.check_nesting());
  Run& run = acquire();
  base::Status status = pool.run(run, context, options);
  release(run);
  return status;
}

base::Status RunPool::run_owned(WorkerPool& pool,
                                std::shared_ptr<void> context,
                                const RunOptions& options) {
  MR_TRY_STATUS(check_options(topology_, options, true));
  MR_TRY_STATUS(pool.check_nesting());
  std::optional<RunOptions> timed;
  if (options.budget) timed = with_deadline(options);
  Run& run = acquire();
  const RunObserver observer{
      .on_release = [](Run& done, void* self) { static_cast<RunPool*>(self)->release(done); },
      .data = this};
  return pool.run_owned(run, std::move(context), timed ? *timed : options, observer);
}

base::Status RunPool::check_submission(const WorkerPool& pool, const RunOptions& options) const {
  MR_TRY_STATUS(check_options(topology_, options, true));
  if (pool.thread_count() != 0 || options.loop != nullptr) return {};
  return base::fail(base::ErrorCode::kInvalidArgument,
                    "A pool without threads runs nothing in the background: use run(), more "
                    "workers or callers_help = false");
}

base::Result<RunHandle> RunPool::submit(WorkerPool& pool,
                                        std::shared_ptr<void> context,
                                        const RunOptions& options,
                                        RunObserver observer,
                                        AdmissionPermit permit) {
  MR_TRY_STATUS(check_submission(pool, options));
  if (options.budget) {
    return submit(pool, std::move(context), without_budget(options), observer, std::move(permit));
  }
  Run& run = acquire();
  run.user_observer_ = observer;
  run.permit_ = std::move(permit);
  const RunObserver own{.on_answer =
                            [](Run& done, void*) {
                              give_permit_back(done.may_have_late_bodies(), done.permit_);
                              if (done.user_observer_.on_answer != nullptr)
                                done.user_observer_.on_answer(done, done.user_observer_.data);
                            },
                        .on_release =
                            [](Run& done, void* data) {
                              const RunObserver user = done.user_observer_;
                              if (user.on_release != nullptr) user.on_release(done, user.data);
                              if (const std::uint32_t late = done.late_completion_count(); late > 0)
                                done.permit_.note_late(late);
                              done.permit_.release();
                              static_cast<RunPool*>(data)->release(done);
                            },
                        .data = this};
  pool.submit_counted(run, std::move(context), options, own);
  return RunHandle(run);
}

base::Result<RunHandle> RunPool::try_submit(Admission& admission,
                                            WorkerPool& pool,
                                            std::shared_ptr<void> context,
                                            const RunOptions& options,
                                            RunObserver observer) {
  MR_TRY_STATUS(check_submission(pool, options));
  if (options.budget)
    return try_submit(admission, pool, std::move(context), without_budget(options), observer);
  const base::Clock& clock = options.loop != nullptr ? options.loop->clock() : pool.clock();
  auto permit = admission.try_admit(
      {.now = clock.now(), .deadline = options.deadline.value_or(base::TimePoint::max())});
  if (permit) return submit(pool, std::move(context), options, observer, *std::move(permit));
  if (permit.error() == RefusalReason::kDeadline)
    return base::fail(base::ErrorCode::kDeadlineExceeded, "The deadline has passed already");
  return base::fail(base::ErrorCode::kBusy, "Too much is under way: try again later");
}

}  // namespace millrace::runtime
