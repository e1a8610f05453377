#include "rank/plan_load.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <utility>

namespace millrace::rank {

PlanPlace& PlanPlace::operator=(PlanPlace&& other) noexcept {
  if (this != &other) {
    release();
    load_ = std::exchange(other.load_, nullptr);
  }
  return *this;
}

void PlanPlace::release() {
  if (load_ == nullptr) return;
  std::exchange(load_, nullptr)->inflight_.fetch_sub(1, std::memory_order_relaxed);
}

PlanPlace PlanLoad::try_enter(std::int64_t inflight_max) {
  std::int64_t count = inflight_.load(std::memory_order_relaxed);
  do {
    if (count >= inflight_max) return {};
  } while (!inflight_.compare_exchange_weak(count, count + 1, std::memory_order_relaxed));
  return PlanPlace(this);
}

void PlanLoad::note_answer(base::Duration took, base::TimePoint now) {
  // Moves down by nine parts for an answer below it and up by one for an answer above it, so it
  // rests where one answer of ten is below.
  constexpr std::int64_t kParts = 160;
  const std::uint64_t answers = answers_.load(std::memory_order_relaxed);
  const base::Duration last(last_answer_ns_.load(std::memory_order_relaxed));
  if (answers >= kAnswersMin && now.time_since_epoch() - last < kNoteDistance) return;
  const std::int64_t took_ns = std::max<std::int64_t>(took.count(), 1);
  std::int64_t tenth = tenth_ns_.load(std::memory_order_relaxed);
  if (answers < kAnswersMin) {
    tenth = answers == 0 ? took_ns : std::min(tenth, took_ns);
  } else {
    const std::int64_t part = std::max<std::int64_t>(tenth / kParts, 1);
    tenth += took_ns < tenth ? -9 * part : part;
  }
  tenth_ns_.store(std::max<std::int64_t>(tenth, 1), std::memory_order_relaxed);
  answers_.store(answers + 1, std::memory_order_relaxed);
  last_answer_ns_.store(now.time_since_epoch().count(), std::memory_order_relaxed);
}

base::Duration PlanLoad::fastest_tenth() const {
  if (answers_.load(std::memory_order_relaxed) < kAnswersMin) return {};
  return base::Duration(tenth_ns_.load(std::memory_order_relaxed));
}

bool PlanLoad::is_hopeless(base::TimePoint now, base::TimePoint deadline) const {
  if (!may_fail_ || deadline - now >= fastest_tenth()) return false;
  const base::Duration last(last_answer_ns_.load(std::memory_order_relaxed));
  return now.time_since_epoch() - last < kFreshness;
}

}  // namespace millrace::rank
