#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "base/clock.h"
#include "base/result.h"
#include "base/sync/mutex.h"
#include "base/sync/thread_annotations.h"
#include "runtime/ready_gauge.h"

// Whether a new run may start. The gate looks at the load of the whole process:
//
//   load = nodes ready but not running (ReadyGauge)
//        + bodies still running for runs that have been answered (add_abandoned)
//        + admitted runs that have not yet made their first nodes ready (until Permit::started)
//
//           load > high_water
//     open ────────────────────► closed        closed: new runs wait in a bounded queue, or are
//          ◄────────────────────               refused; runs already admitted never notice.
//            load < low_water
//
// Runs that wait for I/O add nothing to that load, so `runs_max` also bounds the number of runs.
// Nothing here reads a clock, starts a thread or blocks: time is an argument, and the thread that
// makes room decides about the waiting runs and calls those that it decided.

namespace millrace::runtime {

class Admission;

/// The permission of one run to exist. Destroying it makes room for another run.
/// Threading: not shared; may move between threads.
/// Lifetime: must not outlive its `Admission`.
class [[nodiscard]] AdmissionPermit {
 public:
  AdmissionPermit() = default;
  AdmissionPermit(AdmissionPermit&& other) noexcept
      : admission_(std::exchange(other.admission_, nullptr)), is_started_(other.is_started_) {}
  AdmissionPermit& operator=(AdmissionPermit&& other) noexcept;
  ~AdmissionPermit() { release(); }

  [[nodiscard]] bool valid() const { return admission_ != nullptr; }
  /// Reports that the run's first nodes are in the ready gauge now. Optional; repeated calls do
  /// nothing.
  void started();
  /// Makes room for another run and lets waiting runs in, judged by `now` or by the latest time
  /// known.
  void release(std::optional<base::TimePoint> now = std::nullopt);

 private:
  friend class Admission;
  explicit AdmissionPermit(Admission& admission) : admission_(&admission) {}

  Admission* admission_ = nullptr;
  bool is_started_ = false;
};

enum class RefusalReason : std::uint8_t {
  kBusy,       ///< the gate is closed and there is no room to wait
  kDeadline,   ///< the deadline has passed, or could not be met any more after waiting
  kCancelled,  ///< its owner cancelled it
  kShutDown,   ///< nothing is admitted any more
};

/// A run that waits for its admission: derive from it. The queue links waiters, so it allocates
/// nothing.
/// Threading: exactly one of the two calls is made, once, on any thread and without a lock held; on
/// another thread it may come before `try_admit` has returned. Calls are made one after another, so
/// they must only hand over (post to a loop, push to a pool), not execute the run.
/// Lifetime: must live until its call has begun, or `cancel` returned true.
class AdmissionWaiter {
 public:
  virtual void admitted(AdmissionPermit permit) = 0;
  virtual void refused(RefusalReason reason) = 0;

 protected:
  AdmissionWaiter() = default;
  ~AdmissionWaiter() = default;

 private:
  friend class Admission;
  AdmissionWaiter* previous_ = nullptr;
  AdmissionWaiter* next_ = nullptr;
  base::TimePoint start_by_;  // the latest start with which the deadline can be met
  enum class State : std::uint8_t { kIdle, kWaiting, kAdmitted, kRefused } state_ = State::kIdle;
  RefusalReason reason_ = RefusalReason::kBusy;
};

/// Limits; signed, so that a negative setting is an error and not a huge number.
struct AdmissionSettings {
  std::int64_t high_water = 8192;  ///< the gate closes above this load; at least 1
  std::int64_t low_water = 4096;   ///< the gate opens below this load; 1 to `high_water`
  std::int64_t queue_max = 1024;   ///< runs that may wait; 0: no run waits
  std::int64_t runs_max = 65536;   ///< runs admitted at once; at least 1
};

struct AdmissionRequest {
  base::TimePoint now;
  base::TimePoint deadline = base::TimePoint::max();  ///< max: none
  base::Duration estimated_cost{};                    ///< 0: unknown
  AdmissionWaiter* waiter = nullptr;                  ///< null: refuse instead of waiting
};

enum class AdmissionOutcome : std::uint8_t { kAdmitted, kQueued, kRefused };

struct AdmissionDecision {
  AdmissionOutcome outcome = AdmissionOutcome::kRefused;
  AdmissionPermit permit{};                     ///< valid when admitted
  RefusalReason reason = RefusalReason::kBusy;  ///< why, when refused
};

/// Counts since the start. `received == accepted + refused + waiting_count` at every moment.
struct AdmissionStats {
  std::uint64_t received = 0;
  std::uint64_t accepted = 0;
  std::uint64_t refused = 0;           ///< for whatever reason
  std::uint64_t refused_deadline = 0;  ///< those of `refused` with `kDeadline`
  std::int64_t waiting_count = 0;
  std::int64_t run_count = 0;  ///< permits in use
  std::int64_t abandoned_count = 0;
  bool is_open = true;
};

/// The process-wide gate for new runs.
/// Threading: any thread.
/// Lifetime: borrows `gauge`; destroyed after all permits, and after `shut_down` if anything
/// waited.
class Admission {
 public:
  /// Fails with `kInvalidArgument` when the settings contradict themselves.
  [[nodiscard]] static base::Result<std::unique_ptr<Admission>> create(
      const AdmissionSettings& settings, const ReadyGauge& gauge);
  ~Admission();
  Admission(const Admission&) = delete;
  Admission& operator=(const Admission&) = delete;

  /// Admits, queues or refuses a new run. A run that need not wait is refused only if its deadline
  /// has passed. A run that would have to wait is also refused if `now + estimated_cost` is past
  /// the deadline.
  AdmissionDecision try_admit(const AdmissionRequest& request) MR_EXCLUDES(mutex_);

  /// Removes a waiting run from the queue and counts it as refused. Returns false if the run was
  /// decided before; its call has been made or is about to be made.
  [[nodiscard]] bool cancel(AdmissionWaiter& waiter) MR_EXCLUDES(mutex_);

  /// Admits the waiting runs that the load allows, and refuses those that can no longer meet their
  /// deadline. If no run waits, it costs one atomic load. Call it when the ready gauge has fallen
  /// and at `next_expiry`.
  void poll(base::TimePoint now) MR_EXCLUDES(mutex_);
  /// The earliest time at which `poll` may have to refuse a waiting run, for a timer. Never too
  /// late. After a cancellation it may be too early; the next `poll` corrects it.
  [[nodiscard]] std::optional<base::TimePoint> next_expiry() const MR_EXCLUDES(mutex_);

  /// Counts a body that still runs after its run was answered; sub_abandoned() counts its
  /// return.
  void add_abandoned() MR_EXCLUDES(mutex_);
  void sub_abandoned(base::TimePoint now) MR_EXCLUDES(mutex_);

  /// Refuses all waiting runs and all new ones.
  void shut_down() MR_EXCLUDES(mutex_);

  [[nodiscard]] AdmissionStats stats() const MR_EXCLUDES(mutex_);

 private:
  friend class AdmissionPermit;

  /// A doubly linked list through the waiters.
  struct WaiterList {
    void push_back(AdmissionWaiter& waiter);
    void remove(AdmissionWaiter& waiter);
    AdmissionWaiter* front = nullptr;
    AdmissionWaiter* back = nullptr;
  };

  /// The decision about a waiter, for its call.
  struct Call {
    AdmissionWaiter* waiter = nullptr;
    bool is_admitted = false;
    RefusalReason reason = RefusalReason::kBusy;
  };

  Admission(const AdmissionSettings& settings, const ReadyGauge& gauge)
      : settings_(settings), gauge_(gauge) {}

  void release(bool was_started, std::optional<base::TimePoint> now) MR_EXCLUDES(mutex_);
  void settle(base::TimePoint now) MR_REQUIRES(mutex_);
  void refuse_late_waiters() MR_REQUIRES(mutex_);
  void decide(AdmissionWaiter& waiter, std::optional<RefusalReason> refusal) MR_REQUIRES(mutex_);
  [[nodiscard]] bool has_room() MR_REQUIRES(mutex_);
  void count_accepted() MR_REQUIRES(mutex_);
  void count_refused(RefusalReason reason) MR_REQUIRES(mutex_);
  AdmissionDecision decide_new(const AdmissionRequest& request) MR_REQUIRES(mutex_);
  [[nodiscard]] bool begin_calling() MR_REQUIRES(mutex_);
  [[nodiscard]] std::optional<Call> next_call() MR_EXCLUDES(mutex_);
  void call_decided() MR_EXCLUDES(mutex_);

  // Constant after construction.
  const AdmissionSettings settings_;
  const ReadyGauge& gauge_;

  // Mirrors stats_.waiting_count for poll(); a hint that publishes nothing.
  std::atomic<std::int64_t> waiting_hint_{0};
  // Admitted runs whose first nodes are not in the gauge yet. Publishes nothing.
  std::atomic<std::int64_t> starting_{0};

  mutable base::Mutex mutex_;
  WaiterList waiting_ MR_GUARDED_BY(mutex_);
  WaiterList decided_ MR_GUARDED_BY(mutex_);  // their calls are still to be made
  bool is_calling_ MR_GUARDED_BY(mutex_) = false;
  bool is_shut_down_ MR_GUARDED_BY(mutex_) = false;
  base::TimePoint latest_now_ MR_GUARDED_BY(mutex_) = base::TimePoint::min();
  base::TimePoint first_expiry_ MR_GUARDED_BY(mutex_) = base::TimePoint::max();  // never too late
  AdmissionStats stats_ MR_GUARDED_BY(mutex_);
};

}  // namespace millrace::runtime
