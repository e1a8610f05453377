#include "runtime/loop_scheduler.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/check.h"
#include "base/error.h"
#include "base/result.h"
#include "base/sync/planted_bug.h"
#include "loop/loop.h"
#include "loop/task.h"
#include "runtime/crew.h"
#include "runtime/node_call.h"
#include "runtime/pool_inbox.h"
#include "runtime/run.h"
#include "runtime/run_extras.h"
#include "runtime/run_steps.h"
#include "runtime/topology/cost_model.h"
#include "runtime/topology/node.h"
#include "runtime/topology/topology.h"
#include "trace/trace_collector.h"

namespace millrace::runtime {

namespace {

void add_one(std::atomic<std::uint64_t>& counter) {
  counter.store(counter.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

// What the loop is doing for a run, on this thread. In it answers are given, and whoever starts a
// new run from there waits for its turn: runs that follow one another must not keep the loop from
// the others. Not a member: an answer may take the scheduler away.
thread_local bool is_visited = false;

class Visit {
 public:
  Visit() : outer_(std::exchange(is_visited, true)) {}
  ~Visit() { is_visited = outer_; }
  Visit(const Visit&) = delete;
  Visit& operator=(const Visit&) = delete;

 private:
  const bool outer_;
};

}  // namespace

bool wants_inlining(const Run& run,
                    std::uint32_t node,
                    const InlineRule& rule,
                    std::uint32_t row_count) {
  const NodeSpec& spec = run.topology().spec(node);
  if (!rule.enabled) return false;
  if (spec.inline_hint != InlineHint::kUnset) return spec.inline_hint == InlineHint::kAlways;
  if (spec.kind == NodeKind::kCheap) return true;
  return run.costs().is_cheaper_than(rule.threshold, node, row_count);
}

std::optional<base::Duration> upper_cost_on_loop(const Run& run,
                                                 std::uint32_t node,
                                                 const InlineRule& rule,
                                                 std::uint32_t row_count) {
  const NodeSpec& spec = run.topology().spec(node);
  if (!rule.enabled || spec.inline_hint == InlineHint::kNever) return std::nullopt;
  const bool is_cheap = spec.kind == NodeKind::kCheap;
  if (is_cheap && row_count > spec.cheap_rows_max) return std::nullopt;
  const std::optional<base::Duration> upper = run.costs().upper_estimate(node, row_count);
  if (!upper) return is_cheap ? std::optional(base::Duration::zero()) : std::nullopt;
  if (spec.timeout && *upper > *spec.timeout) return std::nullopt;
  const bool is_told = is_cheap || spec.inline_hint == InlineHint::kAlways;
  if (is_told || *upper < run.costs().inline_limit(rule.threshold, node)) return upper;
  return std::nullopt;
}

LoopScheduler::LoopScheduler(Crew& crew, loop::Loop& loop)
    : StrandHost(loop.clock(), crew.clock_overhead()), crew_(crew), loop_(loop) {
  if (trace::TraceCollector* const trace = crew.config().trace)
    trace_buffer_ = &trace->add_buffer("loop");
}

// --- Asynchronous nodes

bool LoopScheduler::may_begin_here(const Run& run) const {
  if (!run.inlining_.enabled || run.inlining_.depth_max == 0 || !loop_.is_current()) return false;
  return std::ranges::all_of(run.order_->sources, [&](std::uint32_t source) {
    const NodeSpec& spec = run.topology().spec(source);
    return spec.kind == NodeKind::kAsync ||
           (spec.kind == NodeKind::kCheap && upper_cost_on_loop(run, source, run.inlining_, 0));
  });
}

void LoopScheduler::submit(Run& run) {
  if (is_visited || !loop_.is_current()) return loop_.post(run.extras_->start_job);
  begin_run(run);
}

void LoopScheduler::begin_run(Run& run) {
  const Visit visit;
  // What the sources waited for includes the way here.
  if (run.extras_->is_traced()) {
    set_boundary_time(run.extras_->started_at());
  } else {
    forget_boundary_time();
  }
  credit_ = Run::kFullCredit;
  next_arrival_ = {};  // nobody made the sources ready
  RunSteps steps(*this, run);
  steps.begin_run();
  std::uint32_t head = kNoNode;
  for (const std::uint32_t source : run.order_->sources) {
    run.links_[source] = head;
    head = source;
  }
  steps.make_async_ready(head);
  run_strand(run);
}

void LoopScheduler::start_async(AsyncOperation& operation) {
  const Visit visit;
  Run& run = operation.extras.run();
  forget_boundary_time();
  credit_ = operation.credit;
  RunSteps steps(*this, run);
  if (!steps.begin_node(operation.node, {})) return run_strand(run);
  count_executed(run);
  operation.credit = static_cast<std::uint32_t>(credit_);
  credit_ = 0;
  const NodeSpec& spec = run.topology().spec(operation.node);
  operation.call.emplace(run, run.context());
  operation.call->node_ = operation.node;
  const base::TimePoint limit = steps.time_limit(operation.node);
  if (limit != base::TimePoint::max()) operation.call->limit_ = {.clock = &clock(), .when = limit};
  operation.body_start = body_start();
  start(loop_, spec.async_body(spec.closure.get(), *operation.call), operation.completion);
}

void LoopScheduler::finish_async(AsyncOperation& operation, base::Status status) {
  operation.status = std::move(status);
  // A body that runs here may have let this one complete: its strand must end first. A task that
  // ended on another executor comes home.
  if (in_strand_ || !loop_.is_current()) return loop_.post(operation.end_job);
  end_async(operation);
}

void LoopScheduler::end_async(AsyncOperation& operation) {
  const Visit visit;
  Run& run = operation.extras.run();
  RunSteps steps(*this, run);
  forget_boundary_time();
  credit_ = operation.credit;
  set_body_start(operation.body_start);
  MR_CHECK(operation.call.has_value());
  NodeCall& call = *operation.call;
  const bool ok = operation.status.has_value();
  if (!ok) call.set_error(std::move(operation.status.error()));
  next_arrival_ = {.parent = operation.node, .depth = 1};
  in_strand_ = true;
  // A body that saw its time run out gives up before a timer could fire (C10).
  if (!ok && call.limit_.is_over()) steps.fire_passed_timers(operation.node, clock().now());
  if (steps.end_node(call, ok)) steps.pass_tokens(operation.node);
  in_strand_ = false;
  run_strand(run);
}

// --- Clocks

void LoopScheduler::on_watch(Run& run) {
  const Visit visit;
  Run::Credit held = 0;
  // Whoever ended the work waits for this.
  if (!run.account_.try_join(held)) return run.extras_->watch().leave();
  forget_boundary_time();
  credit_ = held;
  in_strand_ = true;
  RunSteps(*this, run).take_overdue();
  in_strand_ = false;
  if (MR_PLANTED(kLeakedCredit)) credit_ = 0;
  run_strand(run);
}

void LoopScheduler::on_deadline(Run& run) {
  const Visit visit;
  run.stop_with(RunOutcome::kDeadline);
  RunSteps(*this, run).answer_early();
}

void LoopScheduler::answer_cancelled(Run& run) {
  const Visit visit;
  RunSteps(*this, run).answer_early();
  run.drop_reference();
}

// --- Strands

void LoopScheduler::make_ready(Run& run, std::uint32_t node) {
  RunExtras& extras = *run.extras_;
  if (extras.is_traced()) extras.set_ready_time(node, boundary_time());
  if (run.topology().spec(node).kind == NodeKind::kAsync) {
    AsyncOperation& operation = extras.operation(node);
    operation.credit = run.split_credit(credit_);
    return fresh_async_.push_back(&operation);
  }
  const std::uint32_t rows = run.topology().traits().has_row_cost ? extras.row_count(node) : 0;
  if (const auto upper = upper_cost_on_loop(run, node, run.inlining_, rows)) {
    return locals_.push_back({node, arrival_at(run.topology(), node, next_arrival_), *upper});
  }
  hand_over(run, node);
}

void LoopScheduler::begin_handing_over(std::uint32_t node, bool was_running) {
  // What follows from a node that never started was not handed over by it.
  next_arrival_ = was_running ? trace::Arrival{.parent = node, .depth = 1} : trace::Arrival{};
}

void LoopScheduler::run_strand(Run& run) {
  in_strand_ = true;
  base::TimePoint since = locals_.empty() ? base::TimePoint() : clock().now();
  while (!locals_.empty()) {
    const Local local = locals_.back();
    locals_.pop_back();
    base::Duration granted = time_for(run, local.node, since);
    if (held_up_ + local.upper > kAnswerLatenessMax)
      granted = std::min(granted, time_until_a_timer_is_late(since));
    if (granted <= base::Duration::zero() || local.upper > granted) {
      hand_over(run, local.node);
      continue;
    }
    const base::TimePoint now = run_node(run, local, since);
    const base::Duration took = now - std::exchange(since, now);
    spent_ += took;
    held_up_ += took;
    if (took > granted) [[unlikely]]
      run.costs().forget_samples(local.node);
  }
  in_strand_ = false;
  flush_hand_over(run);
  // Whoever gets the answer may take the pool away, with this scheduler. What is held keeps the run
  // open, wherever its other nodes are, until nothing is left to do here.
  const Run::Credit held = std::exchange(credit_, 0);
  start_ready();
  if (held != 0 && run.return_credit(held)) RunSteps::finish_work(*this, run);
}

void LoopScheduler::start_ready() {
  ready_async_.insert(ready_async_.end(), fresh_async_.rbegin(), fresh_async_.rend());
  fresh_async_.clear();
  if (is_starting_) return;  // whoever does goes on with these
  is_starting_ = true;
  for (std::uint32_t count = 0; !ready_async_.empty(); ++count) {
    AsyncOperation& operation = *ready_async_.back();
    ready_async_.pop_back();
    if (count < kStartsInARowMax) {
      start_async(operation);
    } else {
      loop_.post(operation);
    }
  }
  is_starting_ = false;
}

base::TimePoint LoopScheduler::run_node(Run& run, const Local& local, base::TimePoint begin) {
  RunSteps steps(*this, run);
  if (!steps.begin_node(local.node, local.arrival)) return begin;
  count_executed(run);
  add_one(inlined_);
  ++ran_count_;
  NodeCall call(run, run.context());
  call.node_ = local.node;
  const HotNode& hot = run.nodes_[local.node];
  const base::TimePoint limit = steps.time_limit(local.node);
  if (limit != base::TimePoint::max()) call.limit_ = {.clock = &clock(), .when = limit};
  const bool ok = hot.body(hot.closure, call);
  const base::TimePoint end = clock().now();
  if (end >= limit) [[unlikely]]
    steps.fire_passed_timers(local.node, end);
  next_arrival_ = {.parent = local.node, .depth = local.arrival.depth + 1};
  if (steps.end_node(call, ok)) steps.pass_tokens(local.node);
  return end;
}

void LoopScheduler::count_executed(Run& run) {
  add_one(executed_);
  if (!run.extras_->is_traced()) run.add_executed(1);  // else its begin did
}

base::Duration LoopScheduler::time_for(Run& run, std::uint32_t node, base::TimePoint now) {
  if (std::exchange(turn_seen_, loop_.turn_number()) != loop_.turn_number()) {
    spent_ = base::Duration::zero();
    ran_count_ = 0;
    // A timer that became due in the turn before has waited since then.
    if (!loop_.has_due_timer()) held_up_ = base::Duration::zero();
  }
  if (ran_count_ >= run.inlining_.depth_max) return base::Duration::zero();
  const base::Duration budget = crew_.config().loop_inline_budget - spent_;
  if (!run.options_.deadline) return budget;
  return std::min(budget, RunSteps(*this, run).last_moment(node) - now);
}

base::Duration LoopScheduler::time_until_a_timer_is_late(base::TimePoint now) const {
  const std::optional<base::TimePoint> next = loop_.next_deadline();
  return next ? *next + kAnswerLatenessMax - now : base::Duration::max();
}

void LoopScheduler::hand_over(Run& run, std::uint32_t node) {
  run.links_[node] = kNoNode;
  if (chain_head_ == kNoNode) {
    chain_head_ = node;
  } else {
    run.links_[chain_tail_] = node;
  }
  chain_tail_ = node;
}

void LoopScheduler::flush_hand_over(Run& run) {
  if (chain_head_ == kNoNode) return;
  const std::uint32_t head = std::exchange(chain_head_, kNoNode);
  const bool is_chain = std::exchange(chain_tail_, kNoNode) != head;
  QueueEntry& entry = run.extras_->entry(head);
  entry.run = &run;
  entry.payload = pack_item(is_chain ? head | kChainBit : head, run.split_credit(credit_));
  crew_.inbox().push(entry, run.class_of(head));
  crew_.announce_work();
}

}  // namespace millrace::runtime
