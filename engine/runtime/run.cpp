#include "runtime/run.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/format.h"
#include "base/result.h"
#include "base/sync/atomics.h"
#include "base/sync/planted_bug.h"
#include "loop/stop.h"
#include "runtime/node_call.h"
#include "runtime/pool_inbox.h"
#include "runtime/run_extras.h"
#include "runtime/topology/cost_model.h"
#include "runtime/topology/node.h"
#include "runtime/topology/topology.h"

namespace millrace::runtime {

std::string_view NodeCall::node_id() const { return run_->topology().id(node_); }
bool NodeCall::stop_requested() const { return run_->stopped() || limit_.is_over(); }
bool NodeCall::is_wanted() const {
  if (stop_requested()) return false;
  const NodeCell<>* const cell = run_->find_cell(node_);
  return cell == nullptr || !cell->is_taken();
}
StagedValue& NodeCall::staged() const { return run_->staged_.at(node_); }
void NodeCall::close_replaced_inputs() const {
  for (const std::uint32_t replaced : run_->topology().stands_in_for(node_))
    run_->staged_.at(replaced).close_input();
}
loop::StopToken NodeCall::stop_token() const { return run_->stop_.token(); }

std::optional<base::Duration> NodeCall::remaining() const {
  if (!run_->options_.deadline) return std::nullopt;
  return *run_->options_.deadline - run_->clock_->now();
}

void NodeCall::set_error_from_exception() {
  const auto failed = [this](std::string what) {
    set_error(base::Error(base::ErrorCode::kNodeFailed, "The body threw: " + std::move(what)));
  };
  try {
    std::rethrow_exception(std::current_exception());
  } catch (const std::exception& error) {
    failed(error.what());
  } catch (...) {
    failed("something that is not a std::exception");
  }
}

Run::Run(const Topology& topology, CostModel& costs)
    : hints_(costs.hints()),
      worths_(costs.worths()),
      topology_(&topology),
      costs_(&costs),
      entry_(std::make_unique<QueueEntry>()),
      counter_storage_(std::make_unique<std::uint32_t[]>(topology.counter_template().size())),
      link_storage_(std::make_unique<std::uint32_t[]>(topology.node_count())),
      staged_(topology) {
  nodes_ = topology.nodes().data();
  counters_ = counter_storage_.get();
  links_ = link_storage_.get();
}

Run::~Run() { MR_CHECK(references_.load(std::memory_order_acquire) == 0); }

void Run::prepare(Start&& start, const base::Clock& clock) {
  const auto& counters = topology_->counter_template();
  if (!counters.empty()) std::memcpy(counters_, counters.data(), counters.size_bytes());
  context_ = start.context;
  if (start.context_owner != nullptr) context_owner_ = std::move(start.context_owner);
  options_ = start.options;
  priority_ = options_.priority;
  total_ns_ = costs_->total_ns();
  observer_ = start.observer;
  caller_takes_only_ = start.waiter_takes_only;
  waiter_ = caller_takes_only_ ? Waiter{.spot = &caller_spot_} : start.waiter;
  clock_ = &clock;
  order_ = &costs_->order();
  edges_ = order_->edges.data();
  measured_ = costs_->wants_sample(uses_++);
  routes_apart_ = start.steps_apart || options_.trace.enabled();
  inlining_ = start.inlining;
  sharing_ = start.sharing;
  const bool shares_singly = sharing_.shares() && costs_->most_worth_ns() >= sharing_.worth_min_ns;
  dearest_ns_ = shares_singly ? CostModel::kUnknown : costs_->dearest_ns();
  node_charge_min_ns_ = start.node_charge_min_ns;
  shared_.store(false, std::memory_order_relaxed);
  account_.open();
  executed_.store(0, std::memory_order_relaxed);
  late_completions_.store(0, std::memory_order_relaxed);
  answered_early_.store(false, std::memory_order_relaxed);
  outcome_.store(RunOutcome::kOpen, std::memory_order_relaxed);
  delivery_.open();
  if (stop_.stop_requested()) forget_last_stop();
  counted_ = start.references != 0;
  may_answer_early_ = counted_ && start.loop_host != nullptr && context_owner_ != nullptr;
  const TopologyTraits& traits = topology_->traits();
  has_extras_ = routes_apart_ || start.loop_host != nullptr || traits.needs_extras();
  counts_rows_ = traits.has_row_cost && (start.loop_host != nullptr || routes_apart_ || measured_);
  // Where every node is known to be cheap, none is worth a look at its cost.
  const bool times_bodies = has_extras_ && options_.deadline.has_value() &&
                            (costs_->dearest_ns() >= kWorthTimingNs || traits.has_async);
  const bool steps_apart = routes_apart_ || (measured_ && traits.has_timeout);
  needs_ = (steps_apart ? HotNode::kStepsApart : 0) | (measured_ ? HotNode::kMeasured : 0) |
           (counts_rows_ ? HotNode::kCountsRows : 0) | (times_bodies ? HotNode::kTimesBody : 0);
  cells_ = nullptr;
  if (has_extras_) prepare_extras(start);
  if (!counted_) return;
  // The engine itself holds the work and the delivery of the answer. From here on an alarm of an
  // earlier use may look at this one.
  references_.store(start.references + 1, std::memory_order_release);
  if (has_early_deadline()) extras_->watch_deadline(*options_.deadline);
}

void Run::forget_last_stop() {
  stop_.reset();
  verdict_.store(RunOutcome::kOpen, std::memory_order_relaxed);
  error_ready_.store(false, std::memory_order_relaxed);
  error_.reset();
  failed_node_ = kNoNode;
  pending_.clear();
  cancel_posted_.store(false, std::memory_order_relaxed);
  suppressed_errors_.store(0, std::memory_order_relaxed);
}

void Run::prepare_extras(const Start& start) {
  if (!extras_) extras_ = std::make_unique<RunExtras>(*this, *topology_, on_deadline_alarm);
  const bool has_clocks = topology_->traits().has_timeout || options_.deadline.has_value();
  const bool is_timed = may_answer_early_ || has_clocks;
  extras_->reset({.loop_host = start.loop_host,
                  .loop = options_.loop,
                  .is_timed = is_timed,
                  .times_bodies = (needs_ & HotNode::kTimesBody) != 0,
                  .is_traced = options_.trace.enabled()});
  if (has_early_deadline()) extras_->move_deadlines_to_loop();
  if (is_timed) cells_ = &extras_->states()[0];
  if (options_.trace.enabled()) extras_->set_started_at(clock_->now());
}

void Run::fail(std::uint32_t node, const base::Error& error) {
  RunOutcome open = RunOutcome::kOpen;
  if (!verdict_.compare_exchange_strong(open, RunOutcome::kError, std::memory_order_acq_rel)) {
    suppressed_errors_.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  const NodeSpec& spec = topology_->spec(node);
  std::string where = "node '" + spec.id + "' (op " + spec.op + ")";
  if (!error.where().empty()) where += ", " + error.where();
  error_.emplace(error.code(), error.message(), std::move(where));
  failed_node_ = node;
  error_ready_.store(true, std::memory_order_release);
  stop_.request_stop();
}

void Run::stop_with(RunOutcome outcome) {
  RunOutcome open = RunOutcome::kOpen;
  if (!verdict_.compare_exchange_strong(open, outcome, std::memory_order_acq_rel)) return;
  if (outcome == RunOutcome::kDeadline) {
    error_.emplace(base::ErrorCode::kDeadlineExceeded, "The run's deadline passed");
  } else {
    error_.emplace(base::ErrorCode::kCancelled, "The run was cancelled");
  }
  error_ready_.store(true, std::memory_order_release);
  stop_.request_stop();
}

void Run::cancel() {
  if (outcome() != RunOutcome::kOpen) return;
  stop_with(RunOutcome::kCancelled);
  if (!may_answer_early_) return;
  references_.fetch_add(1, std::memory_order_relaxed);
  if (!cancel_posted_.exchange(true)) {
    extras_->loop().post(extras_->answer_job);
  } else {
    drop_reference();
  }
}

RunOutcome Run::outcome_when_over() const {
  const RunOutcome verdict = verdict_.load(std::memory_order_acquire);
  if (verdict == RunOutcome::kOpen) return RunOutcome::kOk;
  // Somebody who holds no credit may be writing the reason just now: a few instructions.
  while (!error_ready_.load(std::memory_order_acquire)) base::StdAtomics::yield();
  return verdict;
}

bool Run::try_answer(RunOutcome outcome) {
  RunOutcome open = RunOutcome::kOpen;
  return outcome_.compare_exchange_strong(open, outcome, std::memory_order_acq_rel);
}

void Waiter::wake() const {
  if (!spot->is_waiting()) return;
  // Count it as searching before it wakes, as whoever wakes it for work does: it is about to look
  // around, and subtracts itself when it stops.
  if (idle != nullptr && !MR_PLANTED(kUncountedCall)) idle->start_searching();
  if (!spot->notify() && idle != nullptr) idle->stop_searching();
}

void Run::deliver(std::uint32_t references) {
  if (waiter_.spot != nullptr) {
    waiter_references_ = references;
    delivery_.deliver([this] { waiter_.wake(); });
    return;  // the waiter drops them when it has read the status
  }
  const bool counted = counted_;
  const RunObserver observer = observer_;
  if (observer.on_answer != nullptr) observer.on_answer(*this, observer.data);
  if (counted) drop_references(references);
}

bool Run::try_hold() {
  std::uint32_t count = references_.load(std::memory_order_relaxed);
  while (count != 0) {
    if (references_.compare_exchange_weak(count, count + 1, std::memory_order_acq_rel)) return true;
  }
  return false;
}

void Run::drop_references(std::uint32_t count) {
  if (references_.fetch_sub(count, std::memory_order_acq_rel) != count) return;
  context_owner_.reset();
  const RunObserver observer = observer_;
  if (observer.on_release != nullptr) observer.on_release(*this, observer.data);
}

void Run::on_deadline_alarm(Run& run, bool loop_stops) {
  RunExtras& extras = *run.extras_;
  extras.deadlines().go_off();
  if (!run.try_hold()) return extras.deadlines().leave();
  // It may be a use that has no deadline, or does not answer early, or has answered.
  if (run.has_early_deadline() && run.outcome() == RunOutcome::kOpen) {
    if (loop_stops || extras.loop().clock().now() >= *run.options_.deadline) {
      extras.loop_host()->on_deadline(run);
    } else {
      extras.watch_deadline(*run.options_.deadline);
    }
  }
  extras.deadlines().leave();
  run.drop_reference();
}

bool Run::used_fallback(NodeId node) const {
  return extras_ != nullptr && topology_->traits().has_fallback &&
         extras_->used_fallback(node.value());
}

std::string Run::pending_text() const {
  constexpr std::size_t kNamedMax = 3;
  std::string text;
  for (const PendingNode& pending :
       std::span(pending_).first(std::min(pending_.size(), kNamedMax))) {
    text += text.empty() ? "; node '" : ", node '";
    text += topology_->id(pending.node);
    text += pending.was_running ? "' was running" : "' waited for a thread";
    if (pending.elapsed.count() > 0) {
      text += base::format(
          " for {} ms",
          std::chrono::duration_cast<std::chrono::milliseconds>(pending.elapsed).count());
    }
  }
  if (pending_.size() > kNamedMax)
    text += base::format(" and {} more", pending_.size() - kNamedMax);
  return text;
}

base::Status Run::status() const {
  switch (outcome()) {
    case RunOutcome::kOk:
      return {};
    case RunOutcome::kOpen:
      return base::fail(base::ErrorCode::kInternal, "The run is not over");
    default:
      MR_CHECK(error_.has_value());
      if (pending_.empty()) return std::unexpected(*error_);
      return base::fail(error_->code(), error_->message() + pending_text(), error_->where());
  }
}

}  // namespace millrace::runtime
