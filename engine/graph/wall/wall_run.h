#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "base/sync/parking.h"
#include "graph/body/message.h"
#include "graph/run/engine.h"
#include "graph/run/run_result.h"
#include "graph/threads/watchdog.h"
#include "loop/stop.h"

namespace millrace::graph {

class LaneSettingsGate;

/// What the thread of a domain does next.
struct WallStep {
  enum class Kind : std::uint8_t {
    kAgain,  ///< an epoch was run: look again
    kWait,   ///< until `until`, or until somebody wakes it
    kEnd,    ///< the run has ended
  };
  Kind kind = Kind::kAgain;
  std::optional<Duration> until = {};
};

/// Drives a run in wall time: a thread per domain that is not manual, and one for what comes at a
/// time (injections, ends of tasks, overruns). All of them sleep until something is due or somebody
/// wakes them.
///
/// `step` and `handle_events` are what the threads do; tests call them by hand with a clock of
/// their own, without threads.
///
/// Threading: one thread starts, waits and destroys it; any thread may call `request_end`.
/// Lifetime: borrows the engine.
class WallRun final : public RunWaker {
 public:
  /// `is_hosted`: somebody may inject values and step manual domains, so that a run with nothing to
  /// do waits for that.
  WallRun(Engine& engine, const PlayBounds& bounds, bool is_hosted);
  ~WallRun() override;
  WallRun(const WallRun&) = delete;
  WallRun& operator=(const WallRun&) = delete;

  /// Starts the clock and the threads. False: a setting of the system that is required was refused;
  /// the error is in the tables.
  [[nodiscard]] bool start();
  /// Waits until the run has ended and its threads are gone. Must not hold the lock.
  SchedulerStopReason wait();
  /// Ends the run: epochs in progress end, no other begins. Only the first reason counts.
  void request_end(SchedulerStopReason reason);

  /// Runs what is due in a domain. With the lock held.
  [[nodiscard]] WallStep step(std::size_t domain);
  /// Handles injections, tasks and overruns that are due; gives when to look again. Without the
  /// lock.
  [[nodiscard]] std::optional<Duration> handle_events();
  /// Runs epochs of a manual domain on the calling thread; gives how many. Without the lock.
  [[nodiscard]] std::uint64_t step_manual(std::size_t domain, std::uint64_t count);
  /// No epoch of these domains begins until `release`; waits until none of them is in one. False if
  /// the run was told to end meanwhile. Without the lock; one caller at a time.
  [[nodiscard]] bool hold(std::span<const std::uint32_t> domains);
  void release();

  void wake_domain(std::uint32_t domain) override;
  void wake_for_events() override;
  void wake_for_input() override;
  /// All threads look again.
  void wake_all();
  [[nodiscard]] bool has_ended() const;

 private:
  struct StopWaker : loop::StopCallback {
    explicit StopWaker(WallRun& run);
    WallRun& run;
  };

  [[nodiscard]] bool start_threads(const std::shared_ptr<LaneSettingsGate>& gate);
  void drive(std::size_t domain);
  void watch_events();
  void read_input();
  void count_readers();
  /// Only the first reason counts. With the lock held.
  void end(SchedulerStopReason reason);
  void end_epoch(std::size_t domain);
  [[nodiscard]] WallStep wait_for_work(std::size_t domain, std::optional<Duration> next);
  [[nodiscard]] bool is_past_bound(std::size_t domain, std::optional<Duration> next) const;
  [[nodiscard]] bool stays_over(std::size_t domain) const;
  [[nodiscard]] bool can_nothing_happen() const;
  [[nodiscard]] bool is_ending() const;
  /// Whether lines of standard input may still come.
  [[nodiscard]] bool reads_lines() const { return tables_.lines != nullptr && !lines_.has_ended; }
  void report_overrun(const OverrunReport& report);
  void stop_threads();

  Engine& engine_;
  RunTables& tables_;
  const PlayBounds bounds_;
  Watchdog watchdog_;
  StopWaker stop_waker_;
  std::vector<std::unique_ptr<base::ParkingSpot<>>> spots_;  // of the domains
  base::ParkingSpot<> events_spot_;
  base::ParkingSpot<> hold_spot_;
  base::ParkingSpot<> input_spot_;
  std::vector<std::thread> threads_;
  std::thread events_thread_;
  std::thread input_thread_;

  // Guarded by the lock of the tables.
  bool has_ended_ = false;
  bool events_ended_ = false;
  std::vector<bool> is_held_;  // domains, see `hold`
  LineBuffer lines_;
  bool has_open_input_ = false;
  SchedulerStopReason reason_ = SchedulerStopReason::kNotStarted;
  /// Domains that begin no epoch any more because of the duration, unless a message arrives.
  std::vector<bool> is_over_;
};

}  // namespace millrace::graph
