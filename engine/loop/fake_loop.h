#pragma once

#include <cstdint>
#include <optional>

#include "base/clock.h"
#include "base/sync/thread_annotations.h"
#include "loop/executor.h"
#include "loop/job_list.h"
#include "loop/loop.h"
#include "loop/timer_queue.h"

namespace millrace::loop {

/// A loop in virtual time without a thread: its owner makes it run. Jobs and timers run in the same
/// order in every run.
///
/// The clock is borrowed, so several loops and workers can share one time. `is_current` is true
/// inside the calls that run something, and only there.
///
/// Threading: not shared.
/// Lifetime: borrows the clock. The destructor does what `EventLoop::stop` does: drops the armed
/// timers and runs jobs until nothing is left.
class FakeLoop final : public Loop {
 public:
  explicit FakeLoop(base::ManualClock& clock) : clock_(clock) {}
  ~FakeLoop() override;

  void post(Job& job) override { jobs_.push_back(job); }
  void arm(Timer& timer, base::TimePoint when) override { timers_.arm(timer, when); }
  [[nodiscard]] bool disarm(Timer& timer) override { return timers_.disarm(timer); }
  [[nodiscard]] const base::Clock& clock() const override { return clock_; }
  [[nodiscard]] std::optional<base::TimePoint> next_deadline() const override {
    return timers_.earliest();
  }

  /// Runs the oldest job, or when there is none the earliest timer that is due now. False when
  /// there was neither.
  bool run_one();
  /// Runs a turn as `EventLoop` does: jobs within its bounds, then the timers that are due. False
  /// when there was neither.
  bool run_turn();
  /// Runs jobs and due timers until there are none, without moving the clock; gives their number.
  std::uint64_t run_ready();
  /// Moves the clock to `time`, stopping at every deadline on the way to run all that is ready
  /// then.
  void advance_to(base::TimePoint time);
  void advance(base::Duration span) { advance_to(clock_.now() + span); }

  [[nodiscard]] bool has_ready() const;

 private:
  base::ManualClock& clock_;
  JobList jobs_;
  TimerQueue timers_;
};

}  // namespace millrace::loop
