#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <utility>

#include "base/clock.h"
#include "base/sync/atomics.h"

namespace millrace::rank {

class PlanLoad;

/// The place of one request among those of its plan. Gives it back when destroyed.
/// Threading: not shared; may move between threads.
class [[nodiscard]] PlanPlace {
 public:
  PlanPlace() = default;
  explicit PlanPlace(PlanLoad* load) : load_(load) {}
  PlanPlace(PlanPlace&& other) noexcept : load_(std::exchange(other.load_, nullptr)) {}
  PlanPlace& operator=(PlanPlace&& other) noexcept;
  ~PlanPlace() { release(); }

  [[nodiscard]] bool valid() const { return load_ != nullptr; }
  void release();

 private:
  PlanLoad* load_ = nullptr;
};

/// What the requests of one plan take, and how many are under way.
/// Threading: any thread. Lifetime: outlives its places.
class PlanLoad {
 public:
  /// How many answers are needed before the plan's speed is known.
  static constexpr std::uint64_t kAnswersMin = 32;
  /// A speed that no answer has confirmed for this long is not relied upon, so that a plan that was
  /// slow for a while is tried again.
  static constexpr base::Duration kFreshness = std::chrono::seconds(1);
  /// Answers that follow one that was noted more closely than this are not needed to know the speed
  /// of a busy plan, and loops that note each of theirs slow each other down.
  static constexpr base::Duration kNoteDistance = std::chrono::microseconds(50);

  /// Whether requests fail if their time is over, rather than use fallbacks. False at first.
  void set_may_fail(bool may_fail) { may_fail_ = may_fail; }

  /// Takes a place; not valid: `inflight_max` are taken.
  [[nodiscard]] PlanPlace try_enter(std::int64_t inflight_max);
  /// Notes what a full answer took, unless one was noted just before.
  void note_answer(base::Duration took, base::TimePoint now);

  /// What the fastest tenth of the answers takes at most, about; 0: not known.
  [[nodiscard]] base::Duration fastest_tenth() const;
  /// Whether a request that must be answered at `deadline` would only waste its time (S34).
  [[nodiscard]] bool is_hopeless(base::TimePoint now, base::TimePoint deadline) const;

 private:
  friend class PlanPlace;
  // Constant once requests come. Apart from what stands before it, which every request reads.
  alignas(base::kApartBytes) bool may_fail_ = false;
  // All publish nothing. An answer that is lost when two threads write at once does not matter.
  std::atomic<std::int64_t> inflight_{0};
  std::atomic<std::uint64_t> answers_{0};
  std::atomic<std::int64_t> tenth_ns_{0};
  std::atomic<std::int64_t> last_answer_ns_{0};
};

}  // namespace millrace::rank
