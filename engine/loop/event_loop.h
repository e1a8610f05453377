#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "base/clock.h"
#include "base/metrics/metric_cell.h"
#include "base/metrics/metric_descriptor.h"
#include "base/result.h"
#include "base/sync/atomics.h"
#include "base/sync/thread_annotations.h"
#include "base/sync/thread_placement.h"
#include "loop/executor.h"
#include "loop/inbox.h"
#include "loop/job_list.h"
#include "loop/loop.h"
#include "loop/timer_queue.h"

namespace millrace::loop {

struct UvLoop;

/// What a loop has done since it started.
struct LoopCounters {
  std::uint64_t wakeups = 0;  ///< returns from a sleep
  std::uint64_t jobs = 0;
  std::uint64_t timers_fired = 0;
};

/// The same as cells: the loop thread writes them, any thread reads them.
struct alignas(base::kApartBytes) LoopCells {
  base::CounterCell wakeups;
  base::CounterCell jobs;
  base::CounterCell timers_fired;
  base::CounterCell busy_us;                          ///< not asleep, in microseconds
  base::HistogramCell turns{base::kDurationBuckets};  ///< seconds from one poll to the next
};

/// One thread that waits for sockets, timers and posted jobs, on libuv.
///
/// It works in turns: run at most kJobsPerTurnMax jobs for at most kJobTimePerTurnMax, poll once,
/// call what I/O is ready, fire at most kTimersPerTurnMax timers. So neither jobs nor timers can
/// starve I/O, or each other. Without anything to do it sleeps in the kernel until something
/// happens; nothing is periodic.
///
/// A job posted from outside wakes the loop only if the inbox was empty. One posted on the loop
/// thread runs in the same turn or the next and makes no system call.
///
/// Deadlines are kept by the kernel's high-resolution timer, not by libuv's millisecond clock.
///
/// Threading: any thread, except `create`, `stop` and the destructor: the owner, outside the loop.
class EventLoop final : public Loop {
 public:
  static constexpr std::uint32_t kJobsPerTurnMax = 32;
  /// After this time in a turn no further job begins, so timers and I/O do not wait for many long
  /// jobs. The first job of a turn always runs.
  static constexpr base::Duration kJobTimePerTurnMax = std::chrono::microseconds(500);
  static constexpr std::uint32_t kTimersPerTurnMax = 256;

  /// Starts the thread. Debuggers and `top` show the first 15 characters of `name`.
  [[nodiscard]] static base::Result<std::unique_ptr<EventLoop>> create(std::string name = "loop");
  ~EventLoop() override;

  /// Puts the thread on the next processor of `deal`. Before anything is posted.
  [[nodiscard]] base::Status pin(base::ProcessorDeal& deal) {
    return deal.pin_next(worker_.native_handle());
  }

  /// Ends the loop and joins the thread; a second call does nothing. In this order: every job
  /// posted before runs; armed timers are dropped (see `Timer`: sleeping tasks go on with
  /// kCancelled), and so are those armed from then on; jobs that these post run too, until nothing
  /// is left. Whoever posts or arms from other threads must have stopped before this returns:
  /// anything later never happens, and the loop checks that there is none.
  void stop();

  void post(Job& job) override;
  void arm(Timer& timer, base::TimePoint when) override { timers_.arm(timer, when); }
  [[nodiscard]] bool disarm(Timer& timer) override { return timers_.disarm(timer); }
  [[nodiscard]] const base::Clock& clock() const override { return base::steady_clock(); }
  [[nodiscard]] std::optional<base::TimePoint> next_deadline() const override {
    return timers_.earliest();
  }

  [[nodiscard]] TurnTimes turn_times() const override;

  [[nodiscard]] LoopCounters counters() const;
  [[nodiscard]] const LoopCells& cells() const { return cells_; }

  /// For code that opens sockets on this loop; it includes loop/uv_loop.h too.
  [[nodiscard]] UvLoop& uv() MR_REQUIRES(thread()) { return *uv_; }

 private:
  explicit EventLoop(std::unique_ptr<UvLoop> uv);

  void run(const std::string& name);
  void turn() MR_REQUIRES(thread());
  void begin_poll() MR_REQUIRES(thread());
  void run_jobs() MR_REQUIRES(thread());
  void fire_due() MR_REQUIRES(thread());
  void drain() MR_REQUIRES(thread());

  // Constant after construction.
  const std::unique_ptr<UvLoop> uv_;

  // Loop thread only.
  JobList jobs_ MR_GUARDED_BY(thread());
  std::uint64_t batches_taken_ MR_GUARDED_BY(thread()) = 0;
  bool stopping_ MR_GUARDED_BY(thread()) = false;
  // When the last poll began, and how long the loop had slept in all polls before it.
  base::TimePoint poll_begin_ MR_GUARDED_BY(thread()){};
  base::Duration slept_ MR_GUARDED_BY(thread()){};
  base::Duration last_turn_ MR_GUARDED_BY(thread()){};
  base::Duration busy_ MR_GUARDED_BY(thread()){};  // not yet in `cells_`

  // Own synchronisation.
  TimerQueue timers_;
  Inbox<> inbox_;
  // Counts the wake-ups that posting threads have delivered. The thread whose push makes the inbox
  // non-empty delivers one, after the push. The loop ends only when it has taken as many batches as
  // there were wake-ups: then no posting thread touches it any more. Publishes the end of `post` to
  // the loop thread.
  std::atomic<std::uint64_t> wakes_delivered_{0};
  LoopCells cells_;

  // The owner only.
  struct StopJob;
  std::thread worker_;
};

}  // namespace millrace::loop
