#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "base/check.h"
#include "base/clock.h"
#include "base/sync/thread_annotations.h"
#include "loop/executor.h"
#include "loop/loop_thread.h"

namespace millrace::loop {

/// Something that happens once at a point in time: embed one, or derive from it.
///
/// Threading: `Loop` arms and disarms it from any thread; it fires on the loop thread.
/// Lifetime: must not be destroyed while armed, nor between being taken out for firing and the call
/// of `fire`. On the loop thread the first `disarm` settles both: whatever it returns, the timer
/// does not fire later. On another thread only `true` does; after `false` wait for `fire`.
class Timer {
 public:
  using Fire = void (*)(Timer& timer);

  /// `fire` is the last thing the loop does with the timer, so it may destroy it or arm it again.
  /// `drop` is called instead of `fire`, on the loop thread, when the loop stops while the timer is
  /// armed; without one the timer is then silently disarmed.
  explicit Timer(Fire fire, Fire drop = nullptr) : fire_(fire), drop_(drop) {}
  ~Timer() { MR_CHECK(heap_index_ == kNotArmed, heap_index_); }
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

 private:
  friend class TimerQueue;
  static constexpr std::uint32_t kNotArmed = std::numeric_limits<std::uint32_t>::max();

  const Fire fire_;
  const Fire drop_;
  // Place in the queue's heap; guarded by the mutex of the queue that holds the timer.
  std::uint32_t heap_index_ = kNotArmed;
};

/// An executor of one thread that also has time. Jobs run in the order in which they were posted.
class Loop : public Executor {
 public:
  /// Makes `timer` fire once at `when`, or as soon as possible when that has passed. Moves it when
  /// it is armed already. Timers with the same `when` fire in the order of arming.
  /// Threading: any thread. A timer belongs to the loop that holds it; arm it elsewhere only after
  /// it fired or was disarmed.
  virtual void arm(Timer& timer, base::TimePoint when) = 0;

  /// Takes `timer` back. True: it was armed and will not fire. False: it was not armed, or it has
  /// fired, or it is firing now on the loop thread.
  /// Threading: any thread.
  [[nodiscard]] virtual bool disarm(Timer& timer) = 0;

  /// The clock that `arm` means.
  [[nodiscard]] virtual const base::Clock& clock() const = 0;

  /// When the earliest timer fires, if there is one. May lie in the past.
  /// Threading: any thread.
  [[nodiscard]] virtual std::optional<base::TimePoint> next_deadline() const = 0;

  /// Whether a timer waits for the loop. Work that may be long asks this between its steps, and
  /// posts the rest of itself while it is so: deadlines are kept whatever else there is to do.
  [[nodiscard]] bool has_due_timer() const {
    const std::optional<base::TimePoint> next = next_deadline();
    return next && *next <= clock().now();
  }

  [[nodiscard]] bool is_current() const final { return thread_.is_current(); }

  /// Counts turns, so that what must be bounded per turn can be.
  /// Threading: loop thread.
  [[nodiscard]] std::uint64_t turn_number() const { return turn_number_; }

  /// The capability that guards what belongs to this loop.
  [[nodiscard]] const LoopThread& thread() const MR_RETURN_CAPABILITY(thread_) { return thread_; }

 protected:
  /// Loop thread: says that a new turn begins.
  void begin_turn() { ++turn_number_; }

 private:
  const LoopThread thread_;
  std::uint64_t turn_number_ = 0;
};

}  // namespace millrace::loop
