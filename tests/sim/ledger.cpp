#include "ledger.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/result.h"
#include "runtime/run.h"
#include "runtime/topology/node.h"
#include "runtime/topology/topology.h"
#include "scenario.h"

namespace millrace::sim {

using runtime::FallbackKind;
using runtime::kNoNode;
using runtime::NodeId;
using runtime::RunOutcome;

void Judge::expect(bool holds, const char* statement, const char* message, std::uint64_t detail) {
  if (holds || violation_) return;
  violation_ = Violation{statement, std::string(message) + ": " + std::to_string(detail)};
}

RunLedger::RunLedger(const RunPlan& plan,
                     const DagPlan& dag,
                     const runtime::Topology& topology,
                     Judge& judge)
    : plan_(plan), dag_(dag), topology_(topology), judge_(judge), nodes_(dag.nodes.size()) {}

bool RunLedger::fails(std::uint32_t node) const {
  return std::binary_search(plan_.failing.begin(), plan_.failing.end(), node);
}

base::Duration RunLedger::cost(std::uint32_t node) const {
  const base::Duration work =
      dag_.nodes[node].cost + dag_.nodes[node].work_per_row * plan_.row_count;
  return work * (is_slow_body(plan_, node) ? 30 : 1);
}

std::uint32_t RunLedger::row_count(std::uint32_t node) const {
  if (plan_.row_count > 0) return plan_.row_count;
  return static_cast<std::uint32_t>(mix(plan_.salt, node) % 100);
}

base::Duration RunLedger::latency() const {
  MR_CHECK(submitted_at_.has_value());
  MR_CHECK(answered_at_.has_value());
  return *answered_at_ - *submitted_at_;
}

// --- Nodes

void RunLedger::body_started(std::uint32_t node, bool stop_requested, Moment at) {
  NodeEntry& entry = nodes_[node];
  judge_.expect(++entry.start_count == 1, "K2", "A node started twice, node", node);
  judge_.expect(!stop_requested, "C1", "A node started after the stop flag was set, node", node);
  judge_.expect(!is_answered(), "C1", "A node started after the answer, node", node);
  for (const std::uint32_t producer : dag_.nodes[node].producers) {
    judge_.expect(
        is_complete(producer), "K2", "A node started before a producer was complete, node", node);
  }
  if (topology_.is_lazy(node)) {
    judge_.expect(
        may_have_been_activated(node), "K5", "A lazy node started without need, node", node);
  }
  entry.started_at = at.now;
  ++started_count_;
  ++in_progress_;
}

void RunLedger::body_finished(std::uint32_t node, Moment at) {
  NodeEntry& entry = nodes_[node];
  entry.is_finished = true;
  entry.finished_at = at.now;
  last_body_end_ = at.now;
  --in_progress_;
  if (!dag_.uses_commit && !fails(node)) publish(node);
}

void RunLedger::body_settled(std::uint32_t node, Moment at) {
  NodeEntry& entry = nodes_[node];
  entry.is_settled = true;
  const auto& timeout = dag_.nodes[node].timeout;
  if (fails(node) || is_answered() || entry.is_published) return;
  // The body did not decide its node, so a timeout or the deadline must have decided it first.
  const bool timed_out = timeout && at.now >= entry.started_at + *timeout;
  const bool gave_up = deadline_ && dag_.nodes[node].fallback != FallbackKind::kNone;
  judge_.expect(timed_out || gave_up, "C3", "A body that was in time did not count, node", node);
}

void RunLedger::committed(std::uint32_t node, Moment at) {
  NodeEntry& entry = nodes_[node];
  judge_.expect(!entry.is_published, "C2", "A node was published twice, node", node);
  judge_.expect(!is_answered(), "C2", "A body published after the answer, node", node);
  judge_.expect(
      !entry.has_fallback_value, "C3", "Both a body and its fallback counted, node", node);
  judge_.expect(run == nullptr || !run->used_fallback(NodeId(node)),
                "C3",
                "Both body and clock won, node",
                node);
  const auto& timeout = dag_.nodes[node].timeout;
  if (timeout && at.now > entry.started_at + *timeout) {
    judge_.expect(!at.is_exact, "C3", "A body published after its timeout, node", node);
    late_node_ = node;
  }
  publish(node);
}

void RunLedger::fallback_value_supplied(std::uint32_t node, Moment /*at*/) {
  NodeEntry& entry = nodes_[node];
  judge_.expect(!entry.has_fallback_value, "C3", "A fallback value was taken twice, node", node);
  judge_.expect(!entry.is_published, "C3", "Both a body and its fallback counted, node", node);
  judge_.expect(may_have_fallen_back(node), "K5", "A fallback was taken without need, node", node);
  judge_.expect(!is_answered(), "C2", "A fallback was taken after the answer, node", node);
  entry.has_fallback_value = true;
}

bool RunLedger::is_complete(std::uint32_t node) const {
  if (nodes_[node].is_published || nodes_[node].has_fallback_value) return true;
  const std::uint32_t fallback = dag_.nodes[node].fallback_node;
  // A run that began on the thread that submitted it has no handle here until it waits for
  // something.
  const bool used = run == nullptr || run->used_fallback(NodeId(node));
  return fallback != kNoNode && used && is_complete(fallback);
}

bool RunLedger::may_have_fallen_back(std::uint32_t node) const {
  const NodePlan& plan = dag_.nodes[node];
  if (plan.fallback == FallbackKind::kNone) return false;
  const bool has_started = nodes_[node].start_count > 0;
  return deadline_.has_value() || (has_started && (plan.timeout.has_value() || fails(node)));
}

bool RunLedger::may_have_been_activated(std::uint32_t lazy) const {
  for (std::uint32_t user = 0; user < nodes_.size(); ++user) {
    const std::uint32_t fallback = dag_.nodes[user].fallback_node;
    if (fallback == kNoNode || !may_have_fallen_back(user)) continue;
    const std::vector<std::uint32_t> closure = topology_.lazy_closure(fallback);
    if (std::find(closure.begin(), closure.end(), lazy) != closure.end()) return true;
  }
  return false;
}

std::uint64_t RunLedger::value_of(std::uint32_t node) const {
  if (nodes_[node].is_published) return nodes_[node].value;
  if (nodes_[node].has_fallback_value) return mix(node, 7);
  const std::uint32_t fallback = dag_.nodes[node].fallback_node;
  return fallback != kNoNode ? value_of(fallback) : 0;
}

std::uint64_t RunLedger::make_value(std::uint32_t node) const {
  std::uint64_t value = node;
  for (const std::uint32_t producer : dag_.nodes[node].producers)
    value = mix(value, value_of(producer));
  return value;
}

void RunLedger::publish(std::uint32_t node) {
  nodes_[node].is_published = true;
  nodes_[node].value = make_value(node);
}

// --- The run

void RunLedger::submitted(Moment at) {
  submitted_at_ = at.now;
  if (plan_.deadline_after) deadline_ = at.now + *plan_.deadline_after;
}

void RunLedger::cancelled(Moment at) {
  if (!is_answered()) cancelled_at_ = at.now;
}

void RunLedger::answered(const runtime::Run& answer, Moment at) {
  judge_.expect(!is_answered(), "C4", "A run answered twice", 0);
  answered_at_ = at.now;
  outcome_ = answer.outcome();
  result_hash_ = static_cast<std::uint64_t>(outcome_);
  const base::Status status = answer.status();
  judge_.expect(outcome_ != RunOutcome::kOpen, "C4", "A run answered without an outcome", 0);
  judge_.expect(
      status.has_value() == (outcome_ == RunOutcome::kOk), "C4", "Status and outcome differ", 0);
  judge_time_of_answer(at);
  switch (outcome_) {
    case RunOutcome::kOk:
      return judge_ok();
    case RunOutcome::kError:
      return judge_error(status.error(), at);
    case RunOutcome::kCancelled:
      judge_.expect(status.error().code() == base::ErrorCode::kCancelled,
                    "C4",
                    "The status of a cancelled run is not kCancelled",
                    0);
      return judge_.expect(cancelled_at_.has_value(), "C4", "Nobody cancelled a cancelled run", 0);
    default:
      return judge_.expect(status.error().code() == base::ErrorCode::kDeadlineExceeded,
                           "C4",
                           "The status of a late run is not kDeadlineExceeded",
                           0);
  }
}

void RunLedger::judge_time_of_answer(Moment at) {
  if (deadline_ && outcome_ == RunOutcome::kOk) {
    judge_.expect(
        at.now <= *deadline_ + runtime::kAnswerLatenessMax, "C11", "An answer was late and ok", 0);
  }
  if (!at.is_exact) return;
  if (deadline_) judge_.expect(at.now <= *deadline_, "C2", "An answer came after its deadline", 0);
  if (outcome_ == RunOutcome::kDeadline) {
    judge_.expect(deadline_.has_value() && at.now == *deadline_,
                  "C2",
                  "An answer is not exactly at the deadline",
                  0);
  }
  if (outcome_ == RunOutcome::kCancelled && dag_.needs_loop() && cancelled_at_) {
    judge_.expect(at.now == *cancelled_at_, "C7", "A cancelled run did not answer at once", 0);
  }
}

std::vector<bool> RunLedger::nodes_needed() const {
  // A node whose only use is to feed nodes that a fallback replaced need not have ended.
  std::vector<bool> needed(nodes_.size());
  const auto order = topology_.topological_order();
  for (auto node = order.rbegin(); node != order.rend(); ++node) {
    if (topology_.dependents(*node).empty() && !topology_.is_lazy(*node)) needed[*node] = true;
    if (!needed[*node]) continue;
    if (run != nullptr && run->used_fallback(NodeId(*node))) continue;
    for (const std::uint32_t producer : dag_.nodes[*node].producers) needed[producer] = true;
  }
  return needed;
}

void RunLedger::judge_ok() {
  judge_.expect(
      !late_node_, "C11", "A body counted after its timeout, node", late_node_.value_or(0));
  const std::vector<bool> needed = nodes_needed();
  for (std::uint32_t node = 0; node < nodes_.size(); ++node) {
    const NodeEntry& entry = nodes_[node];
    if (entry.is_published) {
      judge_.expect(entry.value == make_value(node),
                    "K2",
                    "A node used a value that changed later, node",
                    node);
    }
    if (!topology_.is_lazy(node)) {
      judge_.expect(is_complete(node) || !needed[node],
                    "K2",
                    "A run ended well with a node left over, node",
                    node);
      result_hash_ = mix(result_hash_, value_of(node));
    }
  }
}

void RunLedger::judge_error(const base::Error& error, Moment at) {
  result_hash_ = mix(result_hash_, std::hash<std::string_view>{}(error.where()));
  for (std::uint32_t node = 0; node < nodes_.size(); ++node) {
    const runtime::NodeSpec& spec = topology_.spec(node);
    if (error.where().find("node '" + spec.id + "' (op " + spec.op + ")") == std::string::npos)
      continue;
    const NodeEntry& entry = nodes_[node];
    const std::optional<base::Duration>& timeout = dag_.nodes[node].timeout;
    const bool timed_out = timeout && at.now >= entry.started_at + *timeout;
    judge_.expect(entry.start_count == 1, "C4", "The failed node never started, node", node);
    judge_.expect(timed_out || (fails(node) && entry.is_finished),
                  "C4",
                  "The failed node did not fail, node",
                  node);
    for (std::uint32_t other = 0; other < nodes_.size(); ++other) {
      const bool was_first = nodes_[other].is_settled && fails(other) &&
                             nodes_[other].finished_at < entry.finished_at &&
                             dag_.nodes[other].fallback == FallbackKind::kNone;
      judge_.expect(timed_out || !was_first, "C4", "A later error won over that of node", other);
    }
    return;
  }
  judge_.expect(false, "C4", "The error names no node of the flow", 0);
}

void RunLedger::released(const runtime::Run& answer,
                         Moment at,
                         std::optional<base::Duration> slack) {
  judge_.expect(!is_released_, "C2", "A run was released twice", 0);
  judge_.expect(is_answered(), "C2", "A run was released before its answer", 0);
  judge_.expect(
      in_progress_ == 0, "C2", "Storage was released while a body was running", in_progress_);
  is_released_ = true;
  if (slack && at.is_exact && answered_at_) {
    const base::TimePoint over = std::max(*answered_at_, last_body_end_);
    judge_.expect(at.now <= over + *slack,
                  "C5",
                  "A finished run was held for ns",
                  static_cast<std::uint64_t>((at.now - over).count()));
  }
  judge_late_count(answer);
  run = nullptr;
}

void RunLedger::judge_late_count(const runtime::Run& answer) {
  if (!dag_.uses_commit) return;
  std::uint32_t least = 0;
  std::uint32_t most = 0;
  for (std::uint32_t node = 0; node < nodes_.size(); ++node) {
    const NodeEntry& entry = nodes_[node];
    if (entry.start_count == 0 || entry.is_published) continue;
    ++most;
    // An async body that saw the stop reports that as its error, in time or not.
    const bool may_hear =
        dag_.nodes[node].kind == runtime::NodeKind::kAsync && dag_.nodes[node].honours_stop;
    if (!fails(node) && !may_hear) ++least;
  }
  judge_.expect(answer.executed_count() == started_count_,
                "T3",
                "Wrong number of executed nodes",
                answer.executed_count());
  judge_.expect(
      answer.late_completion_count() >= least, "C2", "Late bodies were not counted", least);
  judge_.expect(
      answer.late_completion_count() <= most, "C2", "Too many bodies were counted as late", most);
}

}  // namespace millrace::sim
