#pragma once

#include <cstdint>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "runtime/loop.h"
#include "runtime/run.h"
#include "runtime/run_extras.h"
#include "runtime/run_steps.h"
#include "runtime/strand_host.h"

namespace millrace::runtime {

class WorkerPool;

/// What the scheduler does on an event loop: starts asynchronous nodes, runs cheap ones that follow
/// from them within a budget, and hands the rest to the pool in one piece. Also the home of timers.
/// Threading: loop thread, except the constructor. Lifetime: borrows both; belongs to the pool.
class LoopLane final : public StrandHost {
 public:
  LoopLane(WorkerPool& pool, Loop& loop);

  [[nodiscard]] Loop& loop() { return loop_; }

  void start_async(AsyncOperation& operation);
  void finish_async(AsyncOperation& operation, base::Status status);
  void end_async(AsyncOperation& operation);
  void on_node_timer(NodeTimer& timer);
  void on_deadline(Run& run);
  void answer_cancelled(Run& run);

  void make_ready(Run& run, std::uint32_t node) override;

 private:
  struct Local {
    std::uint32_t node;
    Arrival arrival;
  };
  void run_strand(Run& run);
  void run_node(Run& run, const Local& local);
  void hand_over(Run& run, std::uint32_t node);
  void flush_hand_over(Run& run);
  [[nodiscard]] bool has_budget();

  WorkerPool& pool_;
  Loop& loop_;
  std::vector<Local> locals_;
  Arrival next_arrival_;  // for nodes made ready by the completion under way
  std::uint32_t chain_head_ = kNoNode;
  std::uint32_t chain_tail_ = kNoNode;
  bool in_strand_ = false;
  base::Duration spent_{};  // on nodes that ran here in turn `turn_seen_`
  std::uint64_t turn_seen_ = 0;
};

/// Whether a node may run on a loop thread, in the documented order of precedence (I2).
[[nodiscard]] bool may_inline_on_loop(const Run& run,
                                      std::uint32_t node,
                                      bool inline_enabled,
                                      std::uint32_t row_count);

}  // namespace millrace::runtime
