#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "base/sync/atomics.h"
#include "loop/loop.h"
#include "runtime/crew.h"
#include "runtime/run.h"
#include "runtime/run_extras.h"
#include "runtime/strand_host.h"
#include "trace/trace_writer.h"

namespace millrace::runtime {

/// What the scheduler does on an event loop: starts asynchronous nodes, runs cheap ones that follow
/// from them within a budget, and hands the rest to the pool in one piece. Also the home of timers.
/// Threading: loop thread, except the constructor. Lifetime: borrows both.
class alignas(base::kApartBytes) LoopScheduler final : public StrandHost, public LoopHost {
 public:
  LoopScheduler(Crew& crew, loop::Loop& loop);

  [[nodiscard]] loop::Loop& loop() { return loop_; }

  /// Whether the caller is on this loop and every source of the run is asynchronous or cheap enough
  /// to run here. Any thread.
  [[nodiscard]] bool may_begin_here(const Run& run) const;
  /// Begins a run whose sources may begin here: at once where nothing else is under way here,
  /// so that what the caller has just prepared is still in the cache; else as a job of the loop.
  /// Threading: any thread.
  void submit(Run& run);
  void begin_run(Run& run) override;
  void start_async(AsyncOperation& operation) override;
  void finish_async(AsyncOperation& operation, base::Status status) override;
  void end_async(AsyncOperation& operation) override;
  void on_watch(Run& run) override;
  void on_deadline(Run& run) override;
  void answer_cancelled(Run& run) override;

  void make_ready(Run& run, std::uint32_t node) override;
  void begin_handing_over(std::uint32_t node, bool was_running) override;

  /// Bodies started here, and those of them that were no asynchronous ones. Any thread.
  [[nodiscard]] std::uint64_t executed_count() const {
    return executed_.load(std::memory_order_relaxed);
  }
  [[nodiscard]] std::uint64_t inlined_count() const {
    return inlined_.load(std::memory_order_relaxed);
  }

 private:
  /// A node that may run here.
  struct Local {
    std::uint32_t node;
    trace::Arrival arrival;
    base::Duration upper;  // what it will hardly exceed; 0 for a cheap node that is not measured
  };
  void run_strand(Run& run);
  void start_ready();
  /// Runs a body that begins at `begin`; gives the time at which it was over.
  base::TimePoint run_node(Run& run, const Local& local, base::TimePoint begin);
  void count_executed(Run& run);
  void hand_over(Run& run, std::uint32_t node);
  void flush_hand_over(Run& run);
  /// How long the body of a node may take here if it begins at `now`: what is left of this turn's
  /// budget and of the node's time (C9).
  [[nodiscard]] base::Duration time_for(Run& run, std::uint32_t node, base::TimePoint now);
  /// How long the loop may still work before one of its timers, which may be the deadline of any
  /// run, fires too late (C9). Asked only once bodies may have held up a timer for that long: what
  /// is shorter makes none late.
  [[nodiscard]] base::Duration time_until_a_timer_is_late(base::TimePoint now) const;

  Crew& crew_;
  loop::Loop& loop_;
  // How many asynchronous nodes start one after another before the loop looks at its other jobs.
  static constexpr std::uint32_t kStartsInARowMax = 64;

  std::vector<Local> locals_;
  // Asynchronous nodes that are ready, the next one to start last: what follows from a node starts
  // before what waited beside it, so that one run's rows stay in the cache.
  std::vector<AsyncOperation*> ready_async_;
  std::vector<AsyncOperation*> fresh_async_;  // by the completion under way, the best first
  trace::Arrival next_arrival_;               // for nodes made ready by the completion under way
  std::uint32_t chain_head_ = kNoNode;
  std::uint32_t chain_tail_ = kNoNode;
  bool in_strand_ = false;
  bool is_starting_ = false;
  // Statistics: written by the loop thread only, ordered with nothing.
  std::atomic<std::uint64_t> executed_{0};
  std::atomic<std::uint64_t> inlined_{0};
  base::Duration held_up_{};     // the longest that node bodies may have held up a timer
  base::Duration spent_{};       // on nodes that ran here in turn `turn_seen_`
  std::uint32_t ran_count_ = 0;  // of those nodes
  std::uint64_t turn_seen_ = 0;
};

/// Whether a node is to be inlined, in the documented order of precedence (I2). On a loop thread
/// this is a wish, and `upper_cost_on_loop` decides.
[[nodiscard]] bool wants_inlining(const Run& run,
                                  std::uint32_t node,
                                  const InlineRule& rule,
                                  std::uint32_t row_count);

/// What a node that may run on a loop thread will hardly exceed; nothing if it may not (C9). A cpu
/// node that this process has not measured may not, whatever a plan says; a cheap one may within
/// its bound of rows, and then counts as 0.
[[nodiscard]] std::optional<base::Duration> upper_cost_on_loop(const Run& run,
                                                               std::uint32_t node,
                                                               const InlineRule& rule,
                                                               std::uint32_t row_count);

}  // namespace millrace::runtime
