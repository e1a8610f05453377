#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "base/sync/mutex.h"
#include "base/sync/thread_annotations.h"
#include "loop/loop.h"

namespace millrace::loop {

/// Something that wakes a loop at a point in time. Called under the mutex of a `TimerQueue`.
class Alarm {
 public:
  virtual ~Alarm() = default;
  /// Wakes at `when` instead of at the time set before.
  virtual void set(base::TimePoint when) = 0;
  virtual void clear() = 0;
};

/// The armed timers of one loop: a heap of four children per node, ordered by time, then by order
/// of arming. Knows no clock and no event library, so the simulator uses it too.
///
/// The alarm is set when a timer becomes the earliest one, and again after firing. Disarming a
/// timer does not touch the alarm, because nearly all timers are disarmed before they fire: that
/// saves a system call for each, and costs at most one needless wake-up per setting.
///
/// Allocates only when more timers are armed than ever before.
///
/// Threading: any thread, except `fire_next`, `drop_next` and `reset_alarm`: loop thread.
/// Lifetime: borrows the armed timers and the alarm.
class TimerQueue {
 public:
  /// Without `alarm` the owner asks `earliest`.
  explicit TimerQueue(Alarm* alarm = nullptr) : alarm_(alarm) { heap_.reserve(kReserved); }
  ~TimerQueue();
  TimerQueue(const TimerQueue&) = delete;
  TimerQueue& operator=(const TimerQueue&) = delete;

  /// As `Loop::arm` and `Loop::disarm`.
  void arm(Timer& timer, base::TimePoint when) MR_EXCLUDES(mutex_);
  [[nodiscard]] bool disarm(Timer& timer) MR_EXCLUDES(mutex_);

  [[nodiscard]] std::optional<base::TimePoint> earliest() const MR_EXCLUDES(mutex_);
  [[nodiscard]] std::size_t size() const MR_EXCLUDES(mutex_);

  /// Takes out the earliest timer and fires it, if it is due at `now`.
  bool fire_next(base::TimePoint now) MR_EXCLUDES(mutex_);
  /// Takes out the earliest timer and drops it, if there is one.
  bool drop_next() MR_EXCLUDES(mutex_);
  /// Sets the alarm for the earliest timer, after the alarm went off.
  void reset_alarm() MR_EXCLUDES(mutex_);

 private:
  struct Entry {
    base::TimePoint when;
    std::uint64_t sequence;
    Timer* timer;
  };
  static constexpr std::size_t kReserved = 256;
  static constexpr std::size_t kChildren = 4;

  [[nodiscard]] static bool before(const Entry& left, const Entry& right);
  void place(std::size_t index, const Entry& entry) MR_REQUIRES(mutex_);
  void sift_up(std::size_t index, const Entry& entry) MR_REQUIRES(mutex_);
  void sift_down(std::size_t index, const Entry& entry) MR_REQUIRES(mutex_);
  /// Puts `entry` where the one at `index` was.
  void replace(std::size_t index, const Entry& entry) MR_REQUIRES(mutex_);
  Timer& remove(std::size_t index) MR_REQUIRES(mutex_);

  Alarm* const alarm_;
  mutable base::Mutex mutex_;
  std::vector<Entry> heap_ MR_GUARDED_BY(mutex_);
  std::uint64_t next_sequence_ MR_GUARDED_BY(mutex_) = 0;
  // The time the alarm is set to; empty once it has gone off.
  std::optional<base::TimePoint> alarm_at_ MR_GUARDED_BY(mutex_);
};

}  // namespace millrace::loop
