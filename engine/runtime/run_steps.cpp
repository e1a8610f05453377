#include "runtime/run_steps.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/sync/asymmetric_fence.h"
#include "base/sync/planted_bug.h"
#include "loop/loop.h"
#include "runtime/node_call.h"
#include "runtime/run.h"
#include "runtime/run_extras.h"
#include "runtime/topology/cost_model.h"
#include "runtime/topology/node.h"
#include "runtime/topology/topology.h"
#include "trace/trace.h"
#include "trace/trace_writer.h"

namespace millrace::runtime {
namespace {

trace::SpanStatus span_status(RunOutcome outcome) {
  switch (outcome) {
    case RunOutcome::kOk:
      return trace::SpanStatus::Ok;
    case RunOutcome::kCancelled:
      return trace::SpanStatus::Cancelled;
    case RunOutcome::kDeadline:
      return trace::SpanStatus::Deadline;
    default:
      return trace::SpanStatus::Error;
  }
}

}  // namespace

// --- Begin

void RunSteps::begin_run() {
  if (extras_.is_traced() && host_.trace_buffer() != nullptr) {
    trace::TraceWriter(*host_.trace_buffer(), run_.options_.trace).run_start(extras_.started_at());
  }
  if (!run_.options_.deadline || !run_.topology().traits().has_fallback) return;
  loop::Loop& loop = extras_.loop();
  for (std::uint32_t node = 0; node < run_.topology().node_count(); ++node) {
    NodeTimer* const timer = extras_.give_up_timer(node);
    if (timer == nullptr || run_.topology().is_lazy(node)) continue;
    timer->credit = run_.split_credit(host_.credit());
    timer->when = *run_.options_.deadline - run_.costs().reserve(node);
    loop.arm(*timer, timer->when);
  }
  // A stop that came meanwhile may have missed timers that were not armed yet.
  if (run_.stopped()) release_give_ups();
}

void RunSteps::release_give_ups() {
  if (!run_.options_.deadline || !run_.topology().traits().has_fallback) return;
  for (std::uint32_t node = 0; node < run_.topology().node_count(); ++node)
    disarm(extras_.give_up_timer(node));
}

bool RunSteps::begin_node(std::uint32_t node, trace::Arrival arrival) {
  NodeCell<>* const cell = run_.find_cell(node);
  if (run_.is_careful(run_.nodes_[node])) {
    if (run_.stopped()) return false;
    const bool traced = extras_.is_traced();
    if (cell != nullptr && !cell->begin_careful(traced, [this] { return run_.stopped(); }))
      return false;
    run_.add_executed(1);
    if (traced) {
      if (!host_.knows_boundary_time()) host_.set_boundary_time(host_.clock().now());
      trace_start(node, arrival, host_.boundary_time());
      if (cell != nullptr) cell->set_running();
    }
    if (extras_.timeout_timer(node) != nullptr) arm_timeout(node);
  } else {
    if (!run_.begin_quick(cell)) return false;
    run_.add_executed(1);
  }
  const bool times_body = run_.is_worth_timing(node) || is_awaited(node);
  if (run_.measured_ || times_body) {
    const base::TimePoint now = host_.clock().now();
    host_.set_body_start(now);
    if (times_body) extras_.set_body_begin(node, now);
  }
  return true;
}

bool RunSteps::is_awaited(std::uint32_t node) const {
  // What an asynchronous node waits for may take long at any time.
  return run_.options_.deadline && run_.topology().spec(node).kind == NodeKind::kAsync;
}

void RunSteps::arm_timeout(std::uint32_t node) {
  NodeTimer& timer = *extras_.timeout_timer(node);
  timer.credit = run_.split_credit(host_.credit());
  loop::Loop& loop = extras_.loop();
  const std::optional<base::Duration> timeout = run_.topology().spec(node).timeout;
  MR_CHECK(timeout.has_value());
  timer.when = loop.clock().now() + *timeout;
  loop.arm(timer, timer.when);
}

void RunSteps::disarm(NodeTimer* timer) {
  if (timer == nullptr || !extras_.loop().disarm(*timer)) return;
  if (!MR_PLANTED(kLeakedCredit)) host_.credit() += timer->credit;
}

// --- End of a node

bool RunSteps::end_node(NodeCall& call, bool ok) {
  const HotNode& hot = run_.nodes_[call.node_];
  if (run_.is_careful(hot)) return end_careful(call, ok);
  if (run_.measured_) host_.set_boundary_time(host_.clock().now());
  NodeCell<>* const cell = run_.find_cell(call.node_);
  if (cell != nullptr) {
    cell->mark_ending();
    base::light_fence();
  }
  switch (publish_quick(run_, hot, cell, call, ok)) {
    case NodeEnd::kComplete:
      note_success(call);
      return true;
    case NodeEnd::kFailed:
      fall_back_or_fail(call.node_, call.take_error());
      return false;
    case NodeEnd::kLate:
      break;
  }
  return false;
}

bool RunSteps::end_careful(NodeCall& call, bool ok) {
  const std::uint32_t node = call.node_;
  const bool traced = extras_.is_traced();
  if (traced || run_.measured_) host_.set_boundary_time(host_.clock().now());
  NodeCell<>* const cell = run_.find_cell(node);
  if (cell != nullptr) {
    // The timer may be late, because its loop is busy: a body that is later still does not count
    // (C11).
    if (const NodeTimer* const timer = extras_.timeout_timer(node);
        timer != nullptr && host_.clock().now() > timer->when && !MR_PLANTED(kLateReturn)) {
      take_by_clock(*timer);
    }
    const bool won = cell->end_careful();
    // Also of a late body: an armed clock would keep the run's storage until it fires.
    if (extras_.loop_host() != nullptr) {
      disarm(extras_.timeout_timer(node));
      if (run_.options_.deadline) disarm(extras_.give_up_timer(node));
    }
    if (!won && !MR_PLANTED(kLatePublish)) {
      run_.late_completions_.fetch_add(1, std::memory_order_relaxed);
      return false;
    }
  }
  const HotNode& hot = run_.nodes_[node];
  if (ok && hot.commit != nullptr) ok = hot.commit(hot.closure, call);
  if (traced) {
    if (!ok) trace_error(node, call.error_ ? call.error_->code() : base::ErrorCode::kNodeFailed);
    trace_end(node, ok ? trace::SpanStatus::Ok : trace::SpanStatus::Error);
  }
  if (cell != nullptr) cell->settle();
  if (ok) {
    note_success(call);
    return true;
  }
  fall_back_or_fail(node, call.take_error());
  return false;
}

void RunSteps::note_success(NodeCall& call) {
  const std::uint32_t node = call.node_;
  const std::uint32_t rows_in = run_.topology().traits().has_row_cost ? extras_.row_count(node) : 0;
  if (run_.measured_) {
    run_.costs().record(
        node, host_.boundary_time() - host_.body_start() - host_.clock_overhead(), rows_in);
  }
  note_rows(call);
  if (run_.topology().spec(node).fallback != FallbackKind::kNone) {
    extras_.set_finish_time(node, host_.clock().now());
  }
}

void RunSteps::note_rows(NodeCall& call) {
  if (!run_.counts_rows_) return;
  // The next node of a strand uses the same call.
  const std::uint32_t rows = std::exchange(call.row_count_, 0);
  for (const Edge& edge : run_.topology().dependents(call.node_))
    extras_.add_row_count(edge.target, rows);
}

void RunSteps::pass_tokens(std::uint32_t node) {
  const HotNode& hot = run_.nodes_[node];
  if ((hot.needs & HotNode::kOutput) != 0) close_output();
  std::uint32_t async_head = kNoNode;
  for (std::uint32_t index = hot.edge_begin; index < hot.edge_end; ++index) {
    const Edge& edge = run_.edges_[index];
    if (!give_token(run_, edge.counter)) continue;
    if (run_.topology().spec(edge.target).kind == NodeKind::kAsync) {
      run_.links_[edge.target] = async_head;
      async_head = edge.target;
    } else {
      host_.make_ready(run_, edge.target);
    }
  }
  make_async_ready(async_head);
  if (!run_.topology().traits().has_fallback) return;
  extras_.marks(node).mark_succeeded();
  for (const std::uint32_t user : run_.topology().stands_in_for(node)) {
    if (extras_.used_fallback(user)) complete_stand_in(user);
  }
}

void RunSteps::close_output() {
  if (run_.may_answer_early_ && extras_.close_sink(run_.is_shared())) answer_complete();
}

void RunSteps::make_async_ready(std::uint32_t head) {
  // Edges come worst first, for stacks; a loop starts what is posted first (P1).
  while (head != kNoNode) {
    const std::uint32_t next = run_.links_[head];
    host_.make_ready(run_, head);
    head = next;
  }
}

// --- Clocks

void RunSteps::take_by_clock(const NodeTimer& timer) {
  bool was_running = false;
  if (run_.stopped() || !extras_.states()[timer.node].try_abandon(was_running)) return;
  extras_.count_taken();
  const auto code = timer.gives_up ? base::ErrorCode::kDeadlineExceeded : base::ErrorCode::kTimeout;
  trace_taken(timer.node, was_running, code);
  host_.begin_handing_over(timer.node, was_running);
  fall_back_or_fail(timer.node,
                    base::Error(code,
                                timer.gives_up ? "The node gave up so that its fallback is in time"
                                               : "The node took longer than its timeout"));
}

base::TimePoint RunSteps::last_moment(std::uint32_t node) const {
  if (!run_.options_.deadline) return base::TimePoint::max();
  const NodeTimer* const timer =
      run_.topology().is_lazy(node) ? nullptr : extras_.give_up_timer(node);
  return timer != nullptr ? std::min(*run_.options_.deadline, timer->when)
                          : *run_.options_.deadline;
}

base::TimePoint RunSteps::time_limit(std::uint32_t node) const {
  const NodeTimer* const timer = extras_.timeout_timer(node);
  return timer != nullptr ? std::min(last_moment(node), timer->when) : last_moment(node);
}

void RunSteps::fire_passed_timers(std::uint32_t node, base::TimePoint now) {
  if (run_.options_.deadline && now >= *run_.options_.deadline) {
    run_.stop_with(RunOutcome::kDeadline);
    return answer_early();
  }
  if (const NodeTimer* const timer = extras_.timeout_timer(node);
      timer != nullptr && now >= timer->when) {
    return take_by_clock(*timer);
  }
  if (!run_.options_.deadline || run_.topology().is_lazy(node)) return;
  if (const NodeTimer* const timer = extras_.give_up_timer(node);
      timer != nullptr && now >= timer->when) {
    take_by_clock(*timer);
  }
}

// --- Fallbacks

void RunSteps::fall_back_or_fail(std::uint32_t node, base::Error error) {
  const NodeSpec& spec = run_.topology().spec(node);
  if (run_.stopped()) {
    run_.suppressed_errors_.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  if (spec.fallback == FallbackKind::kNode) return take_fallback_node(node);
  if (spec.fallback == FallbackKind::kValue) {
    NodeCall call(run_, run_.context_);
    call.node_ = node;
    if (spec.fallback_body(spec.fallback_closure.get(), call)) {
      extras_.marks(node).mark_used();
      return pass_tokens(node);
    }
    error = call.take_error();
  }
  run_.fail(node, error);
  release_give_ups();
  answer_early();
}

void RunSteps::take_fallback_node(std::uint32_t node) {
  const std::uint32_t fallback = run_.topology().fallback_of(node);
  extras_.marks(node).mark_used();
  for (const std::uint32_t lazy : run_.topology().lazy_closure(fallback)) {
    if (!run_.topology().is_lazy(lazy) || !extras_.marks(lazy).try_activate()) continue;
    if (give_token(run_, run_.topology().counter_of(lazy))) host_.make_ready(run_, lazy);
  }
  if (extras_.marks(fallback).has_succeeded()) complete_stand_in(node);
}

void RunSteps::complete_stand_in(std::uint32_t node) {
  if (extras_.marks(node).try_complete()) pass_tokens(node);
}

// --- End of the run

void RunSteps::answer_early() {
  if (!run_.may_answer_early_) return;
  const RunOutcome outcome = run_.outcome_when_over();
  if (!run_.try_answer(outcome)) return;
  run_.answered_early_.store(true, std::memory_order_relaxed);
  if (outcome == RunOutcome::kDeadline) note_pending();
  abandon_running(outcome == RunOutcome::kDeadline ? trace::SpanStatus::Deadline
                                                   : trace::SpanStatus::Cancelled);
  trace_run_end();
  run_.deliver();
}

bool RunSteps::is_too_late() const {
  return run_.options_.deadline && !MR_PLANTED(kLateSuccess) &&
         host_.clock().now() > *run_.options_.deadline + kAnswerLatenessMax;
}

RunOutcome RunSteps::decide_outcome() {
  // Decided when the answer is made: it may be that no timer could fire before (C11).
  if (run_.outcome_when_over() == RunOutcome::kOk && run_.outcome() == RunOutcome::kOpen &&
      is_too_late()) {
    run_.stop_with(RunOutcome::kDeadline);
  }
  return run_.outcome_when_over();
}

void RunSteps::answer_complete() {
  // Every output is there. Bodies that a clock took away may still run: nobody waits for them.
  if (decide_outcome() != RunOutcome::kOk) return answer_early();
  if (!run_.try_answer(RunOutcome::kOk)) return;
  if (run_.topology().traits().has_fallback) record_downstream();
  release_give_ups();
  if (extras_.was_any_taken()) {
    run_.answered_early_.store(true, std::memory_order_relaxed);
    run_.stop_.request_stop();
    abandon_running(trace::SpanStatus::Cancelled);
  }
  trace_run_end();
  run_.deliver();
}

void RunSteps::note_pending() {
  const Topology& topology = run_.topology();
  const base::TimePoint now = host_.clock().now();
  // A node that comes after one that is not over does not tell what the run was waiting for.
  std::vector<bool> is_blocked(topology.node_count(), false);
  const auto is_open = [&](std::uint32_t node) {
    return extras_.states()[node].get() < NodeState::kEnding &&
           (!topology.is_lazy(node) || extras_.is_activated(node));
  };
  for (std::uint32_t node = 0; node < topology.node_count(); ++node) {
    if (!is_open(node)) continue;
    for (const Edge& edge : topology.dependents(node)) is_blocked[edge.target] = true;
  }
  for (std::uint32_t node = 0; node < topology.node_count(); ++node) {
    if (is_blocked[node] || !is_open(node)) continue;
    const bool was_running = extras_.states()[node].get() != NodeState::kWaiting;
    run_.pending_.push_back({.node = node,
                             .was_running = was_running,
                             .elapsed = was_running && extras_.knows_body_begin(node)
                                            ? now - extras_.body_begin(node)
                                            : base::Duration::zero()});
  }
  std::ranges::sort(run_.pending_, [](const PendingNode& left, const PendingNode& right) {
    return left.elapsed != right.elapsed ? left.elapsed > right.elapsed : left.node < right.node;
  });
}

void RunSteps::abandon_running(trace::SpanStatus status) {
  base::heavy_fence();
  for (std::uint32_t node = 0; node < run_.topology().node_count(); ++node) {
    bool was_running = false;
    if (!extras_.states()[node].try_abandon(was_running) || !was_running) continue;
    ++abandoned_count_;
    host_.set_boundary_time(host_.clock().now());
    trace_end(node, status);
  }
}

void RunSteps::finish_work(StrandHost& host, Run& run) {
  if (run.has_extras_) return RunSteps(host, run).finish_with_extras();
  const RunOutcome outcome = run.outcome_when_over();
  // Before the answer: whoever gets it may take the whole DAG down.
  if (run.measured_ && outcome == RunOutcome::kOk) run.costs_->refresh();
  run.outcome_.store(outcome, std::memory_order_release);
  const bool counted = run.counted_;
  run.deliver();
  if (counted) run.drop_reference();
}

void RunSteps::finish_with_extras() {
  const RunOutcome outcome = decide_outcome();
  const bool is_open = run_.outcome() == RunOutcome::kOpen;
  if (is_open && outcome == RunOutcome::kOk && run_.topology().traits().has_fallback)
    record_downstream();
  // Before the answer: whoever gets it may take the whole DAG down.
  if (run_.measured_ && outcome == RunOutcome::kOk) run_.costs().refresh();
  std::uint32_t references = run_.counted_ ? 1 : 0;
  if (run_.may_answer_early_) {
    if (run_.options_.deadline && extras_.loop().disarm(extras_.deadline_timer())) ++references;
    if (run_.try_answer(outcome)) {
      trace_run_end();
      run_.deliver();
    }
  } else {
    run_.outcome_.store(outcome, std::memory_order_release);
    trace_run_end();
    run_.deliver();
  }
  if (references != 0) run_.drop_references(references);
}

void RunSteps::record_downstream() {
  const std::int64_t end = host_.clock().now().time_since_epoch().count();
  for (std::uint32_t node = 0; node < run_.topology().node_count(); ++node) {
    const std::int64_t finished = extras_.finish_ns(node);
    if (finished != 0) run_.costs().record_downstream(node, base::Duration(end - finished));
  }
}

// --- Trace

void RunSteps::trace_start(std::uint32_t node, trace::Arrival arrival, base::TimePoint now) {
  if (host_.trace_buffer() == nullptr) return;
  trace::TraceWriter(*host_.trace_buffer(), run_.options_.trace)
      .node_start(node, arrival, extras_.ready_time(node), now);
}

void RunSteps::trace_end(std::uint32_t node, trace::SpanStatus status) {
  if (!extras_.is_traced() || host_.trace_buffer() == nullptr) return;
  trace::TraceWriter(*host_.trace_buffer(), run_.options_.trace)
      .node_end(node, host_.boundary_time(), status);
}

void RunSteps::trace_error(std::uint32_t node, base::ErrorCode code) {
  if (!extras_.is_traced() || host_.trace_buffer() == nullptr) return;
  trace::TraceWriter(*host_.trace_buffer(), run_.options_.trace)
      .node_error(node, host_.boundary_time(), code);
}

void RunSteps::trace_taken(std::uint32_t node, bool was_running, base::ErrorCode code) {
  if (!was_running) return;
  host_.set_boundary_time(host_.clock().now());
  trace_error(node, code);
  trace_end(node, trace::SpanStatus::Error);
}

void RunSteps::trace_run_end() {
  if (!extras_.is_traced() || host_.trace_buffer() == nullptr) return;
  const RunOutcome outcome = run_.outcome();
  const std::uint32_t executed = run_.executed_count();
  const std::uint32_t node_count = run_.topology().node_count();
  std::uint32_t eager = node_count;
  for (std::uint32_t node = 0; run_.topology().traits().has_fallback && node < node_count; ++node) {
    if (run_.topology().is_lazy(node) && !extras_.is_activated(node)) --eager;
  }
  const trace::RunTotals totals{.status = span_status(outcome),
                                .executed_count = executed,
                                .skipped_count = outcome == RunOutcome::kOk ? 0 : eager - executed,
                                .late_count = abandoned_count_};
  trace::TraceWriter(*host_.trace_buffer(), run_.options_.trace)
      .run_end(host_.clock().now(), totals);
}

}  // namespace millrace::runtime
