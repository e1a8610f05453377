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
/// Lifetime: must not be destroyed while it is armed or about to fire. On the loop thread it may be
/// destroyed after `disarm`, whatever that returns. On another thread only after `disarm` returned
/// true; after false, wait until `fire` was called.
class Timer {
 public:
  using Fire = void (*)(Timer& timer);

  /// The loop does not touch the timer after calling `fire`, so `fire` may destroy it or arm it
  /// again. `drop` is called instead of `fire`, on the loop thread, when the loop stops while the
  /// timer is armed; without one the timer is then silently disarmed.
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

/// How long the loop has been at work.
struct TurnTimes {
  base::Duration since_poll{};  ///< since the events that are handled now were found
  base::Duration last_turn{};   ///< from finding the events before until looking for these
};

/// An executor of one thread, with timers. Jobs run in the order in which they were posted.
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

  /// The clock of the times that `arm` takes.
  [[nodiscard]] virtual const base::Clock& clock() const = 0;

  /// When the earliest timer fires, if there is one. May lie in the past.
  /// Threading: any thread.
  [[nodiscard]] virtual std::optional<base::TimePoint> next_deadline() const = 0;

  /// Whether a timer is due. Long work asks this between its steps and, if so, posts the rest of
  /// itself, so that timers fire in time.
  [[nodiscard]] bool has_due_timer() const {
    const std::optional<base::TimePoint> next = next_deadline();
    return next && *next <= clock().now();
  }

  [[nodiscard]] bool is_current() const final { return thread_.is_current(); }

  /// The number of the current turn, for work that is limited per turn.
  /// Threading: loop thread.
  [[nodiscard]] std::uint64_t turn_number() const { return turn_number_; }

  /// What an event that is handled now may have waited for this loop: it was found `since_poll`
  /// ago, and had happened at any time within the turn before. Zero where nobody measures it.
  /// Threading: loop thread.
  [[nodiscard]] virtual TurnTimes turn_times() const { return {}; }

  /// The capability that guards what belongs to this loop.
  [[nodiscard]] const LoopThread& thread() const MR_RETURN_CAPABILITY(thread_) { return thread_; }

 protected:
  /// Called by the loop, on its thread, when a turn begins.
  void begin_turn() { ++turn_number_; }

 private:
  const LoopThread thread_;
  std::uint64_t turn_number_ = 0;
};

}  // namespace millrace::loop
