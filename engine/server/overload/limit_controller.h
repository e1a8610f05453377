#pragma once

#include <cstdint>
#include <semaphore>
#include <span>

#include "base/clock.h"
#include "base/sync/mutex.h"
#include "base/sync/thread_annotations.h"
#include "loop/executor.h"
#include "runtime/adaptive_limit.h"
#include "runtime/admission.h"
#include "runtime/ready_gauge.h"

namespace millrace::server {

/// Moves the limit of the admission by the delays that loops and workers of this process cause
/// (S31).
///
/// The own delay of a request is what it waited for its loop, which the loop measures, plus what a
/// node waits for a worker at that time. The latter is measured by a probe: an empty job in the
/// queue of the workers, at most one at a time and only while nodes wait there. Which of two
/// waiting nodes a worker takes first is the scheduler's choice, and a probe may be lucky; the mean
/// of what probes wait does not depend on that choice, so it is the mean of the last few that
/// counts. Threading: any thread. Lifetime: borrows all; the destructor waits for the probe, so the
/// workers must still run.
class LimitController {
 public:
  struct Parts {
    runtime::Admission& admission;
    loop::Executor& workers;
    const runtime::ReadyGauge& gauge;
    const base::Clock& clock;
  };
  LimitController(const Parts& parts, const runtime::AdaptiveLimitSettings& settings);
  ~LimitController();
  LimitController(const LimitController&) = delete;
  LimitController& operator=(const LimitController&) = delete;

  /// Adds what requests waited for their loop.
  void add_samples(std::span<const base::Duration> loop_delays) MR_EXCLUDES(mutex_);
  /// What a node waits for a worker now, as far as the probe knows.
  [[nodiscard]] base::Duration worker_delay() const MR_EXCLUDES(mutex_);

 private:
  struct Probe : loop::Job {
    explicit Probe(LimitController& controller);
    LimitController& owner;
  };
  static constexpr base::Duration kProbePause = std::chrono::milliseconds(5);

  [[nodiscard]] base::Duration delay_at(base::TimePoint now) const MR_REQUIRES(mutex_);
  /// True: the caller posts the probe, after it has released the mutex.
  [[nodiscard]] bool begins_probe(base::TimePoint now) MR_REQUIRES(mutex_);
  void end_probe() MR_EXCLUDES(mutex_);

  const Parts parts_;
  Probe probe_;
  std::binary_semaphore probe_is_free_{1};
  mutable base::Mutex mutex_;
  runtime::AdaptiveLimit limit_ MR_GUARDED_BY(mutex_);
  bool is_probing_ MR_GUARDED_BY(mutex_) = false;
  base::TimePoint probe_begin_ MR_GUARDED_BY(mutex_){};
  base::Duration worker_delay_ MR_GUARDED_BY(mutex_){};  // a moving mean
  bool has_worker_delay_ MR_GUARDED_BY(mutex_) = false;  // since nodes wait
};

}  // namespace millrace::server
