#pragma once

#include <atomic>
#include <cstdint>

#include "base/clock.h"
#include "base/error.h"
#include "base/sync/planted_bug.h"
#include "runtime/node_call.h"
#include "runtime/run.h"
#include "runtime/run_extras.h"
#include "runtime/strand_host.h"
#include "runtime/topology/topology.h"
#include "trace/trace_writer.h"

// The steps of a node and of a run around bodies, the same on workers and on loops. A worker takes
// the quick way of a node itself (strand.cpp); everything else is here.

namespace millrace::runtime {

/// A node was handed over directly only by one of its own producers, not by one that stood in for
/// it.
[[nodiscard]] inline trace::Arrival arrival_at(const Topology& topology,
                                               std::uint32_t node,
                                               trace::Arrival arrival) {
  if (!topology.traits().has_fallback || arrival.parent == kNoNode) return arrival;
  return topology.has_edge(arrival.parent, node) ? arrival : trace::Arrival{};
}

/// Threading: the thread that drives `host`. Lifetime: one call.
class RunSteps {
 public:
  RunSteps(StrandHost& host, Run& run) : host_(host), run_(run), extras_(*run.extras_) {}

  // --- What the quick way needs; small, so that it is inlined there.
  /// Gives one token to the target of an edge; true for the token that makes it ready (K2).
  [[nodiscard]] static bool give_token(Run& run, std::uint32_t counter) {
    return counter == kNoCounter || give_tokens(run, run.is_shared(), counter, 1);
  }
  /// The same for several that came together.
  [[nodiscard]] static bool give_tokens(Run& run,
                                        bool is_shared,
                                        std::uint32_t counter,
                                        std::uint32_t count) {
    std::uint32_t& tokens = run.counters_[counter];
    if (MR_PLANTED(kDoubleDecrement) && tokens > count) --tokens;
    if (!is_shared) return (tokens -= count) == 0;
    return std::atomic_ref(tokens).fetch_sub(count, std::memory_order_acq_rel) == count;
  }
  enum class NodeEnd : std::uint8_t { kComplete, kFailed, kLate };
  /// Publishes the result of a body, which returned `ok`. The node's cell is marked as ending, and
  /// a light fence has followed.
  [[nodiscard]] static NodeEnd publish_quick(
      Run& run, const HotNode& hot, NodeCell<>* cell, NodeCall& call, bool ok) {
    if (cell != nullptr && !cell->is_own() && !MR_PLANTED(kLateQuickPublish)) [[unlikely]] {
      cell->drop();
      run.late_completions_.fetch_add(1, std::memory_order_relaxed);
      return NodeEnd::kLate;
    }
    if (hot.commit != nullptr && ok) ok = hot.commit(hot.closure, call);
    if (cell != nullptr) cell->settle();
    return ok ? NodeEnd::kComplete : NodeEnd::kFailed;
  }

  // --- What worker and loop share.

  /// Starts the run's trace and the clocks that run from its start.
  void begin_run();
  /// Claims the node for its body, and counts it as executed in traced runs; in others the caller
  /// does. False: the run is over or a clock took the node.
  [[nodiscard]] bool begin_node(std::uint32_t node, trace::Arrival arrival);
  /// Ends a body: publishes its result or, if a clock was faster, counts it as late. Takes care of
  /// failures and fallbacks. True: the node is complete and its tokens are to be passed on.
  [[nodiscard]] bool end_node(NodeCall& call, bool ok);
  /// Tells the dependents of a complete node how many rows it made, where that matters (I4).
  void note_rows(NodeCall& call);
  /// Counts a complete node that nothing depends on; the last one makes the answer.
  void close_output();
  /// Passes the tokens of a complete node on, and those of the nodes it stands in for.
  void pass_tokens(std::uint32_t node);
  /// Makes asynchronous nodes ready that are linked from the best one on.
  void make_async_ready(std::uint32_t head);
  /// Makes sure that the watch goes off at `when` or before.
  void watch_until(base::TimePoint when);
  /// The run's watch went off: takes every node whose time has come.
  void take_overdue();
  /// Takes a node from its body, which has just returned, if its time was up at `now`: the watch
  /// may be late, because its loop is busy, and a body that is later still does not count (C11).
  void take_if_overdue(std::uint32_t node, base::TimePoint now) {
    if (now > extras_.due(node)) take_by_clock(node, base::ErrorCode::kTimeout);
  }
  /// When the time of `node` is up, whether its body has begun or not: at the run's deadline, or
  /// before that when the node has to give up in favour of its fallback.
  [[nodiscard]] base::TimePoint last_moment(std::uint32_t node) const;
  /// The same for a body that has begun: its timeout counts too.
  [[nodiscard]] base::TimePoint time_limit(std::uint32_t node) const;
  /// Does what timers would do whose time came while a body kept this thread (C10).
  void fire_passed_timers(std::uint32_t node, base::TimePoint now);
  /// Deals with a node whose body failed or that a clock took: falls back or fails the run.
  void fall_back_or_fail(std::uint32_t node, base::Error error);
  /// Answers at once, before the work is over. Does nothing if the answer is out.
  void answer_early();
  /// Ends the work of a run: answers if nobody has. The run must not be touched afterwards.
  static void finish_work(StrandHost& host, Run& run);

 private:
  /// Takes a node from its body because its time has come: `kTimeout`, or `kDeadlineExceeded` in
  /// favour of its fallback. Does nothing if the run is over or the body was faster.
  void take_by_clock(std::uint32_t node, base::ErrorCode code);
  /// Writes the events of a node that a clock took away.
  void trace_taken(std::uint32_t node, bool was_running, base::ErrorCode code);
  [[nodiscard]] bool is_too_late() const;
  [[nodiscard]] bool is_awaited(std::uint32_t node) const;
  /// Notes what the run was waiting for, before states change.
  void note_pending();
  [[nodiscard]] RunOutcome decide_outcome();
  void trace_start(std::uint32_t node, trace::Arrival arrival, base::TimePoint now);
  void trace_end(std::uint32_t node, trace::SpanStatus status);
  void trace_error(std::uint32_t node, base::ErrorCode code);
  void trace_run_end();
  void answer_complete();
  void finish_with_extras();
  void abandon_running(trace::SpanStatus status);
  void note_success(NodeCall& call);
  void record_downstream();
  void take_fallback_node(std::uint32_t node);
  void complete_stand_in(std::uint32_t node);

  StrandHost& host_;
  Run& run_;
  RunExtras& extras_;
  std::uint32_t abandoned_count_ = 0;
};

}  // namespace millrace::runtime
