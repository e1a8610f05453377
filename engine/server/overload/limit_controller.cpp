#include "server/overload/limit_controller.h"

#include <algorithm>
#include <span>

#include "net/http/planted_bug.h"

namespace millrace::server {

LimitController::Probe::Probe(LimitController& controller)
    : Job([](Job& job) { static_cast<Probe&>(job).owner.end_probe(); }), owner(controller) {}

LimitController::LimitController(const Parts& parts, const runtime::AdaptiveLimitSettings& settings)
    : parts_(parts), probe_(*this), limit_(settings, parts.clock.now()) {
  parts_.admission.set_limit(limit_.exact());
}

LimitController::~LimitController() { probe_is_free_.acquire(); }

void LimitController::add_samples(std::span<const base::Duration> loop_delays) {
  const base::TimePoint now = parts_.clock.now();
  bool posts_probe = false;
  {
    const base::MutexLock lock(mutex_);
    const base::Duration waited =
        MR_PLANTED_IN_SERVER(kDeafLimit) ? base::Duration(0) : delay_at(now);
    for (const base::Duration delay : loop_delays) limit_.add_sample(delay + waited);
    if (limit_.is_window_full(now)) {
      limit_.end_window(now, parts_.admission.take_peak());
      parts_.admission.set_limit(limit_.exact());
    }
    posts_probe = begins_probe(now);
  }
  // An executor may run the job at once.
  if (posts_probe) parts_.workers.post(probe_);
}

base::Duration LimitController::worker_delay() const {
  const base::MutexLock lock(mutex_);
  return delay_at(parts_.clock.now());
}

base::Duration LimitController::delay_at(base::TimePoint now) const {
  // A probe that is still waiting has waited at least that long.
  return is_probing_ ? std::max(worker_delay_, now - probe_begin_) : worker_delay_;
}

bool LimitController::begins_probe(base::TimePoint now) {
  if (is_probing_ || now - probe_begin_ < kProbePause) return false;
  if (parts_.gauge.ready_count() <= 0) {
    worker_delay_ = {};
    has_worker_delay_ = false;
    return false;
  }
  if (!probe_is_free_.try_acquire()) return false;
  is_probing_ = true;
  probe_begin_ = now;
  return true;
}

void LimitController::end_probe() {
  const base::TimePoint now = parts_.clock.now();
  {
    const base::MutexLock lock(mutex_);
    const base::Duration waited = now - probe_begin_;
    worker_delay_ = has_worker_delay_ ? (worker_delay_ + waited) / 2 : waited;
    has_worker_delay_ = true;
    is_probing_ = false;
  }
  // The last touch: the destructor waits for this.
  probe_is_free_.release();
}

}  // namespace millrace::server
