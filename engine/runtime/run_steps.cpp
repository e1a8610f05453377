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
  if (!run_.topology().traits().has_fallback) return;
  base::TimePoint earliest = base::TimePoint::max();
  for (const std::uint32_t node : run_.topology().timed_nodes()) {
    if (run_.topology().spec(node).fallback == FallbackKind::kNone) continue;
    if (run_.topology().is_lazy(node)) continue;
    const base::TimePoint when = run_.options_.deadline
                                     ? *run_.options_.deadline - run_.costs().reserve(node)
                                     : base::TimePoint::max();
    extras_.set_give_up_time(node, when);
    earliest = std::min(earliest, when);
  }
  watch_until(earliest);
}

bool RunSteps::begin_node(std::uint32_t node, trace::Arrival arrival) {
  const bool traced = extras_.is_traced();
  const base::Duration timeout = run_.topology().timeout(node);
  const bool has_timeout = timeout != base::Duration::zero();
  base::TimePoint now{};
  if (has_timeout) {
    now = host_.clock().now();
    extras_.set_due(node, now + timeout);
  }
  NodeCell<>* const cell = run_.find_cell(node);
  const auto is_stopped = [this] { return run_.stopped(); };
  if (cell == nullptr ? run_.stopped() : !cell->begin_unless_taken(traced, is_stopped))
    return false;
  if (has_timeout) watch_until(now + timeout);
  if (traced) {
    run_.add_executed(1);
    if (!host_.knows_boundary_time()) host_.set_boundary_time(host_.clock().now());
    trace_start(node, arrival, host_.boundary_time());
    if (cell != nullptr) cell->set_running();
  }
  const bool times_body = run_.is_worth_timing(node) || is_awaited(node);
  if (run_.measured_ || times_body) {
    // To set the watch may have taken longer than the body will.
    if (!has_timeout || run_.measured_) now = host_.clock().now();
    host_.set_body_start(now);
    if (times_body) extras_.set_body_begin(node, now);
  }
  return true;
}

bool RunSteps::is_awaited(std::uint32_t node) const {
  // What an asynchronous node waits for may take long at any time.
  return run_.options_.deadline && run_.topology().spec(node).kind == NodeKind::kAsync;
}

void RunSteps::watch_until(base::TimePoint when) {
  if (when.time_since_epoch().count() >= extras_.watch().time()) return;
  // The answer at the deadline comes first.
  if (run_.may_answer_early_ && run_.options_.deadline && when >= *run_.options_.deadline) return;
  // From now on another thread may take a part of the run.
  run_.mark_shared();
  extras_.watch_until(when);
}

// --- End of a node

bool RunSteps::end_node(NodeCall& call, bool ok) {
  const std::uint32_t node = call.node_;
  const HotNode& hot = run_.nodes_[node];
  const bool has_timeout = run_.topology().timeout(node) != base::Duration::zero();
  const bool traced = extras_.is_traced();
  if (traced || run_.measured_ || has_timeout) host_.set_boundary_time(host_.clock().now());
  NodeCell<>* const cell = run_.find_cell(node);
  if (cell != nullptr) {
    if (has_timeout && !MR_PLANTED(kLateReturn)) take_if_overdue(node, host_.boundary_time());
    cell->mark_ending();
    base::light_fence();
    if (!cell->is_own() && !MR_PLANTED(kLatePublish)) {
      cell->drop();
      run_.late_completions_.fetch_add(1, std::memory_order_relaxed);
      return false;
    }
  }
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
  if (!run_.may_answer_early_ || !extras_.close_sink(run_.is_shared())) return;
  // Whoever has all of the run ends its work at once, and answers then.
  if (run_.is_shared()) answer_complete();
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

void RunSteps::take_overdue() {
  extras_.watch().go_off();
  const base::TimePoint now = host_.clock().now();
  base::TimePoint next = base::TimePoint::max();
  for (const std::uint32_t node : run_.topology().timed_nodes()) {
    if (run_.stopped()) return;
    const NodeCell<>& cell = extras_.states()[node];
    const NodeState state = cell.state();
    if (state >= NodeState::kEnding || cell.is_taken()) continue;
    // A body has a timeout once it has begun.
    const base::TimePoint due =
        state == NodeState::kWaiting ? base::TimePoint::max() : extras_.due(node);
    const base::TimePoint give_up = extras_.give_up_time(node);
    const base::TimePoint when = std::min(due, give_up);
    if (when > now) {
      next = std::min(next, when);
    } else {
      take_by_clock(
          node, due <= give_up ? base::ErrorCode::kTimeout : base::ErrorCode::kDeadlineExceeded);
    }
  }
  if (!run_.stopped()) watch_until(next);
}

void RunSteps::take_by_clock(std::uint32_t node, base::ErrorCode code) {
  bool was_running = false;
  if (run_.stopped() || !extras_.states()[node].try_take(was_running)) return;
  extras_.count_taken();
  trace_taken(node, was_running, code);
  host_.begin_handing_over(node, was_running);
  fall_back_or_fail(node,
                    base::Error(code,
                                code == base::ErrorCode::kTimeout
                                    ? "The node took longer than its timeout"
                                    : "The node gave up so that its fallback is in time"));
}

base::TimePoint RunSteps::last_moment(std::uint32_t node) const {
  if (!run_.options_.deadline) return base::TimePoint::max();
  return std::min(*run_.options_.deadline, extras_.give_up_time(node));
}

base::TimePoint RunSteps::time_limit(std::uint32_t node) const {
  const base::TimePoint last = last_moment(node);
  if (run_.topology().timeout(node) == base::Duration::zero()) return last;
  return std::min(last, extras_.due(node));
}

void RunSteps::fire_passed_timers(std::uint32_t node, base::TimePoint now) {
  if (run_.options_.deadline && now >= *run_.options_.deadline) {
    run_.stop_with(RunOutcome::kDeadline);
    return answer_early();
  }
  if (run_.topology().timeout(node) != base::Duration::zero() && now >= extras_.due(node))
    return take_by_clock(node, base::ErrorCode::kTimeout);
  if (now >= last_moment(node)) take_by_clock(node, base::ErrorCode::kDeadlineExceeded);
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
    const NodeCell<>& cell = extras_.states()[node];
    return cell.state() < NodeState::kEnding && !cell.is_taken() &&
           (!topology.is_lazy(node) || extras_.is_activated(node));
  };
  for (std::uint32_t node = 0; node < topology.node_count(); ++node) {
    if (!is_open(node)) continue;
    for (const Edge& edge : topology.dependents(node)) is_blocked[edge.target] = true;
  }
  for (std::uint32_t node = 0; node < topology.node_count(); ++node) {
    if (is_blocked[node] || !is_open(node)) continue;
    const bool was_running = extras_.states()[node].state() != NodeState::kWaiting;
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
  const std::uint32_t node_count = run_.topology().node_count();
  for (std::uint32_t node = 0; node < node_count; ++node)
    static_cast<void>(extras_.states()[node].try_ask(NodeTaker::kAnswer));
  base::heavy_fence();
  for (std::uint32_t node = 0; node < node_count; ++node) {
    NodeCell<>& cell = extras_.states()[node];
    bool was_running = false;
    if (!cell.is_asked_by_answer() || !cell.decide(was_running)) {
      cell.wait_until_settled();
      continue;
    }
    if (!was_running) continue;
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
  run.deliver(2);
}

void RunSteps::finish_with_extras() {
  const RunOutcome outcome = decide_outcome();
  const bool is_open = run_.outcome() == RunOutcome::kOpen;
  if (is_open && outcome == RunOutcome::kOk && run_.topology().traits().has_fallback)
    record_downstream();
  // Before the answer: whoever gets it may take the whole DAG down.
  if (run_.measured_ && outcome == RunOutcome::kOk) run_.costs().refresh();
  extras_.close_watch();
  if (!run_.may_answer_early_) {
    run_.outcome_.store(outcome, std::memory_order_release);
  } else if (!is_open || !run_.try_answer(outcome)) {
    return run_.drop_reference();
  }
  trace_run_end();
  run_.deliver(2);
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
