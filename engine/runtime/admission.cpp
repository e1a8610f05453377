#include "runtime/admission.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "base/check.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/format.h"
#include "base/result.h"
#include "base/sync/mutex.h"
#include "base/sync/planted_bug.h"
#include "base/sync/thread_annotations.h"
#include "runtime/ready_gauge.h"

namespace millrace::runtime {
namespace {

base::Status check(bool holds, const char* message, std::int64_t value, const char* where) {
  if (holds) return {};
  return base::fail(
      base::ErrorCode::kInvalidArgument, base::format("{}: {}", message, value), where);
}

/// Gives the latest start that still meets the deadline, without wrapping around.
base::TimePoint latest_start(const AdmissionRequest& request) {
  if (request.deadline == base::TimePoint::max()) return request.deadline;
  const base::Duration cost = std::max(request.estimated_cost, base::Duration(0));
  if (request.deadline < base::TimePoint::min() + cost) return base::TimePoint::min();
  return request.deadline - cost;
}

}  // namespace

AdmissionPermit& AdmissionPermit::operator=(AdmissionPermit&& other) noexcept {
  if (this != &other) {
    release();
    admission_ = std::exchange(other.admission_, nullptr);
    is_started_ = other.is_started_;
  }
  return *this;
}

void AdmissionPermit::started() {
  if (admission_ == nullptr || std::exchange(is_started_, true)) return;
  admission_->starting_.fetch_sub(1, std::memory_order_relaxed);
}

void AdmissionPermit::release(std::optional<base::TimePoint> now) {
  if (admission_ != nullptr) std::exchange(admission_, nullptr)->release(is_started_, now);
}

void Admission::WaiterList::push_back(AdmissionWaiter& waiter) {
  waiter.previous_ = back;
  waiter.next_ = nullptr;
  (back == nullptr ? front : back->next_) = &waiter;
  back = &waiter;
}

void Admission::WaiterList::remove(AdmissionWaiter& waiter) {
  (waiter.previous_ == nullptr ? front : waiter.previous_->next_) = waiter.next_;
  (waiter.next_ == nullptr ? back : waiter.next_->previous_) = waiter.previous_;
}

base::Result<std::unique_ptr<Admission>> Admission::create(const AdmissionSettings& settings,
                                                           const ReadyGauge& gauge) {
  MR_TRY_STATUS(check(settings.high_water >= 1,
                      "The high-water mark must be at least 1",
                      settings.high_water,
                      "high_water"));
  MR_TRY_STATUS(check(settings.low_water >= 1,
                      "The low-water mark must be at least 1, or the gate could never open again",
                      settings.low_water,
                      "low_water"));
  MR_TRY_STATUS(check(settings.low_water <= settings.high_water,
                      "The low-water mark must not be above the high-water mark",
                      settings.low_water,
                      "low_water"));
  MR_TRY_STATUS(check(settings.queue_max >= 0,
                      "The queue of waiting runs must not be negative",
                      settings.queue_max,
                      "queue_max"));
  MR_TRY_STATUS(check(settings.runs_max >= 1,
                      "The number of admitted runs must be at least 1",
                      settings.runs_max,
                      "runs_max"));
  return std::unique_ptr<Admission>(new Admission(settings, gauge));
}

Admission::~Admission() {
  base::MutexLock lock(mutex_);
  MR_CHECK(stats_.waiting_count == 0, stats_.waiting_count);
  MR_CHECK(stats_.run_count == 0, stats_.run_count);
}

AdmissionDecision Admission::try_admit(const AdmissionRequest& request) {
  AdmissionDecision decision;
  bool has_calls = false;
  {
    base::MutexLock lock(mutex_);
    ++stats_.received;
    settle(request.now);
    decision = decide_new(request);
    has_calls = begin_calling();
  }
  if (has_calls) call_decided();
  return decision;
}

AdmissionDecision Admission::decide_new(const AdmissionRequest& request) {
  const auto refuse = [this](RefusalReason reason) MR_REQUIRES(mutex_) {
    count_refused(reason);
    return AdmissionDecision{.outcome = AdmissionOutcome::kRefused, .reason = reason};
  };
  if (is_shut_down_) return refuse(RefusalReason::kShutDown);
  if (request.deadline <= latest_now_) return refuse(RefusalReason::kDeadline);
  if (stats_.waiting_count == 0 && has_room()) {
    count_accepted();
    return {.outcome = AdmissionOutcome::kAdmitted, .permit = AdmissionPermit(*this)};
  }
  if (request.waiter == nullptr || stats_.waiting_count >= settings_.queue_max) {
    return refuse(RefusalReason::kBusy);
  }
  const base::TimePoint start_by = latest_start(request);
  if (latest_now_ > start_by) return refuse(RefusalReason::kDeadline);
  request.waiter->start_by_ = start_by;
  request.waiter->state_ = AdmissionWaiter::State::kWaiting;
  waiting_.push_back(*request.waiter);
  waiting_hint_.store(++stats_.waiting_count, std::memory_order_relaxed);
  first_expiry_ = std::min(first_expiry_, start_by);
  return {.outcome = AdmissionOutcome::kQueued};
}

bool Admission::cancel(AdmissionWaiter& waiter) {
  base::MutexLock lock(mutex_);
  if (waiter.state_ != AdmissionWaiter::State::kWaiting) return false;
  waiting_.remove(waiter);
  waiter.state_ = AdmissionWaiter::State::kIdle;
  waiting_hint_.store(--stats_.waiting_count, std::memory_order_relaxed);
  count_refused(RefusalReason::kCancelled);
  return true;
}

void Admission::poll(base::TimePoint now) {
  if (waiting_hint_.load(std::memory_order_relaxed) == 0) return;
  bool has_calls = false;
  {
    base::MutexLock lock(mutex_);
    settle(now);
    has_calls = begin_calling();
  }
  if (has_calls) call_decided();
}

std::optional<base::TimePoint> Admission::next_expiry() const {
  base::MutexLock lock(mutex_);
  if (stats_.waiting_count == 0 || first_expiry_ == base::TimePoint::max()) return std::nullopt;
  return first_expiry_ + base::Duration(1);
}

void Admission::add_abandoned() {
  base::MutexLock lock(mutex_);
  ++stats_.abandoned_count;
}

void Admission::sub_abandoned(base::TimePoint now) {
  bool has_calls = false;
  {
    base::MutexLock lock(mutex_);
    --stats_.abandoned_count;
    MR_CHECK(stats_.abandoned_count >= 0, stats_.abandoned_count);
    settle(now);
    has_calls = begin_calling();
  }
  if (has_calls) call_decided();
}

void Admission::shut_down() {
  bool has_calls = false;
  {
    base::MutexLock lock(mutex_);
    is_shut_down_ = true;
    while (waiting_.front != nullptr) decide(*waiting_.front, RefusalReason::kShutDown);
    has_calls = begin_calling();
  }
  if (has_calls) call_decided();
}

AdmissionStats Admission::stats() const {
  base::MutexLock lock(mutex_);
  return stats_;
}

void Admission::release(bool was_started, std::optional<base::TimePoint> now) {
  if (!was_started) starting_.fetch_sub(1, std::memory_order_relaxed);
  bool has_calls = false;
  {
    base::MutexLock lock(mutex_);
    if (!MR_PLANTED(kLeakedPermit)) --stats_.run_count;
    settle(now.value_or(latest_now_));
    has_calls = begin_calling();
  }
  if (has_calls) call_decided();
}

void Admission::settle(base::TimePoint now) {
  // Threads read the clock before they take the lock, so times may arrive out of order.
  latest_now_ = std::max(latest_now_, now);
  if (latest_now_ > first_expiry_ && !MR_PLANTED(kPatientAdmission)) refuse_late_waiters();
  while (waiting_.front != nullptr && has_room()) decide(*waiting_.front, std::nullopt);
}

void Admission::refuse_late_waiters() {
  first_expiry_ = base::TimePoint::max();
  for (AdmissionWaiter* waiter = waiting_.front; waiter != nullptr;) {
    AdmissionWaiter& current = *std::exchange(waiter, waiter->next_);
    if (latest_now_ > current.start_by_) {
      decide(current, RefusalReason::kDeadline);
    } else {
      first_expiry_ = std::min(first_expiry_, current.start_by_);
    }
  }
}

void Admission::decide(AdmissionWaiter& waiter, std::optional<RefusalReason> refusal) {
  waiting_.remove(waiter);
  waiting_hint_.store(--stats_.waiting_count, std::memory_order_relaxed);
  decided_.push_back(waiter);
  if (refusal) {
    waiter.state_ = AdmissionWaiter::State::kRefused;
    waiter.reason_ = *refusal;
    count_refused(*refusal);
  } else {
    waiter.state_ = AdmissionWaiter::State::kAdmitted;
    count_accepted();
  }
}

bool Admission::has_room() {
  const std::int64_t load =
      gauge_.ready_count() + stats_.abandoned_count + starting_.load(std::memory_order_relaxed);
  if (load > settings_.high_water) stats_.is_open = false;
  if (load < settings_.low_water) stats_.is_open = true;
  return stats_.is_open && stats_.run_count < settings_.runs_max;
}

void Admission::count_accepted() {
  ++stats_.accepted;
  ++stats_.run_count;
  starting_.fetch_add(1, std::memory_order_relaxed);
}

void Admission::count_refused(RefusalReason reason) {
  ++stats_.refused;
  if (reason == RefusalReason::kDeadline) ++stats_.refused_deadline;
}

bool Admission::begin_calling() {
  // One thread makes calls at a time, in order. A call that makes room itself finds `is_calling_`
  // set and leaves its waiters to the loop that is already running, so calls never nest.
  if (is_calling_ || decided_.front == nullptr) return false;
  is_calling_ = true;
  return true;
}

std::optional<Admission::Call> Admission::next_call() {
  base::MutexLock lock(mutex_);
  AdmissionWaiter* waiter = decided_.front;
  if (waiter == nullptr) {
    is_calling_ = false;
    return std::nullopt;
  }
  decided_.remove(*waiter);
  const bool is_admitted = waiter->state_ == AdmissionWaiter::State::kAdmitted;
  waiter->state_ = AdmissionWaiter::State::kIdle;
  return Call{.waiter = waiter, .is_admitted = is_admitted, .reason = waiter->reason_};
}

void Admission::call_decided() {
  // The waiter may queue itself again, or be destroyed, during its own call.
  while (const std::optional<Call> call = next_call()) {
    if (call->is_admitted) {
      call->waiter->admitted(AdmissionPermit(*this));
    } else {
      call->waiter->refused(call->reason);
    }
  }
}

}  // namespace millrace::runtime
