#include "runtime/admission.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <expected>
#include <memory>
#include <utility>

#include "base/check.h"
#include "base/error.h"
#include "base/format.h"
#include "base/result.h"
#include "base/sync/planted_bug.h"
#include "runtime/ready_gauge.h"

namespace millrace::runtime {
namespace {

base::Status check(bool holds, const char* message, std::int64_t value, const char* where) {
  if (holds) return {};
  return base::fail(
      base::ErrorCode::kInvalidArgument, base::format("{}: {}", message, value), where);
}

}  // namespace

AdmissionPermit& AdmissionPermit::operator=(AdmissionPermit&& other) noexcept {
  if (this != &other) {
    release();
    admission_ = std::exchange(other.admission_, nullptr);
    place_ = other.place_;
    is_abandoned_ = other.is_abandoned_;
  }
  return *this;
}

void AdmissionPermit::abandon() {
  if (admission_ == nullptr || std::exchange(is_abandoned_, true)) return;
  admission_->abandoned_.fetch_add(1, std::memory_order_relaxed);
}

void AdmissionPermit::release() {
  if (admission_ == nullptr) return;
  Admission& admission = *std::exchange(admission_, nullptr);
  if (is_abandoned_) admission.abandoned_.fetch_sub(1, std::memory_order_relaxed);
  if (MR_PLANTED(kLeakedPermit)) return;
  // The last touch: whoever sees that no run is left may take the gate down.
  admission.places_.fetch_sub(place_, std::memory_order_release);
}

void AdmissionPermit::note_late(std::uint32_t count) {
  if (admission_ != nullptr) admission_->late_bodies_.fetch_add(count, std::memory_order_relaxed);
}

base::Result<std::unique_ptr<Admission>> Admission::create(const AdmissionSettings& settings,
                                                           const ReadyGauge& gauge) {
  constexpr std::int64_t kMax = AdmissionSettings::kLimitMax;
  MR_TRY_STATUS(check(settings.high_water >= 1 && settings.high_water <= kMax,
                      "The high-water mark must be from 1 to 1000000",
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
  MR_TRY_STATUS(check(settings.inflight_max >= 1 && settings.inflight_max <= kMax,
                      "The number of runs under way must be limited to 1 up to 1000000",
                      settings.inflight_max,
                      "inflight_max"));
  for (const double share : settings.class_shares) {
    if (share >= 0 && share <= 1) continue;
    return base::fail(base::ErrorCode::kInvalidArgument,
                      base::format("A class may use a share of 0 to 1, not {}", share),
                      "class_shares");
  }
  return std::unique_ptr<Admission>(new Admission(settings, gauge));
}

Admission::~Admission() {
  const std::uint64_t places = places_.load(std::memory_order_acquire);
  MR_CHECK(places == 0, places >> kRunShift);
}

std::expected<AdmissionPermit, RefusalReason> Admission::try_admit(
    const AdmissionRequest& request) {
  if (request.deadline <= request.now && !MR_PLANTED(kPatientAdmission)) [[unlikely]]
    return refuse(RefusalReason::kDeadline);
  const auto high_water = static_cast<std::uint64_t>(settings_.high_water);
  const std::uint64_t nodes = std::min<std::uint64_t>(request.node_count, high_water + 1);
  const std::uint64_t place = kOneRun + nodes;
  const std::uint64_t class_limit =
      class_limits_[static_cast<std::size_t>(request.priority)].load(std::memory_order_relaxed);
  std::uint64_t places = places_.load(std::memory_order_relaxed);
  do {
    if (places >> kRunShift >= class_limit) return refuse(RefusalReason::kLimit);
    // A late body that waits for a turn in the pool counts twice: as a ready job and as abandoned.
    const auto abandoned = static_cast<std::uint64_t>(abandoned_.load(std::memory_order_relaxed));
    const bool may_be_too_much = (places & kNodeMask) + nodes + abandoned > high_water;
    if (may_be_too_much || !is_open_.load(std::memory_order_relaxed)) {
      if (!opens_at_this_load()) return refuse(RefusalReason::kHighWater);
    }
  } while (!places_.compare_exchange_weak(
      places, places + place, std::memory_order_relaxed, std::memory_order_relaxed));
  accepted_.fetch_add(1, std::memory_order_relaxed);
  const auto count = static_cast<std::int64_t>((places >> kRunShift) + 1);
  if (count > peak_.load(std::memory_order_relaxed)) peak_.store(count, std::memory_order_relaxed);
  return AdmissionPermit(*this, place);
}

void Admission::set_limit(double limit) {
  const double bounded = std::clamp(limit, 1.0, static_cast<double>(settings_.inflight_max));
  limit_.store(static_cast<std::int64_t>(bounded), std::memory_order_relaxed);
  for (std::size_t index = 0; index < class_limits_.size(); ++index) {
    const double share = std::floor(settings_.class_shares[index] * bounded);
    class_limits_[index].store(static_cast<std::uint64_t>(std::max(share, 1.0)),
                               std::memory_order_relaxed);
  }
}

std::int64_t Admission::take_peak() {
  const auto now = static_cast<std::int64_t>(places_.load(std::memory_order_relaxed) >> kRunShift);
  return std::max(peak_.exchange(now, std::memory_order_relaxed), now);
}

bool Admission::opens_at_this_load() {
  const std::int64_t load = gauge_.ready_count() + abandoned_.load(std::memory_order_relaxed);
  // Between the marks the gate stays as it is.
  if (load > settings_.high_water) is_open_.store(false, std::memory_order_relaxed);
  if (load < settings_.low_water) is_open_.store(true, std::memory_order_relaxed);
  return is_open_.load(std::memory_order_relaxed);
}

std::unexpected<RefusalReason> Admission::refuse(RefusalReason reason) {
  auto& count = reason == RefusalReason::kDeadline ? refused_deadline_ : refused_busy_;
  count.fetch_add(1, std::memory_order_relaxed);
  return std::unexpected(reason);
}

AdmissionStats Admission::stats() const {
  AdmissionStats stats;
  stats.accepted = accepted_.load(std::memory_order_relaxed);
  stats.refused_deadline = refused_deadline_.load(std::memory_order_relaxed);
  stats.refused = stats.refused_deadline + refused_busy_.load(std::memory_order_relaxed);
  stats.run_count = static_cast<std::int64_t>(places_.load(std::memory_order_acquire) >> kRunShift);
  stats.abandoned_count = abandoned_.load(std::memory_order_relaxed);
  stats.late_bodies = late_bodies_.load(std::memory_order_relaxed);
  stats.limit = limit_.load(std::memory_order_relaxed);
  stats.load = gauge_.ready_count() + stats.abandoned_count;
  stats.is_open = is_open_.load(std::memory_order_relaxed);
  return stats;
}

}  // namespace millrace::runtime
