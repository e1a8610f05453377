#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/clock.h"
#include "ledger.h"
#include "runtime/admission.h"
#include "runtime/run.h"
#include "scenario.h"
#include "sim_world.h"
#include "trace/trace.h"
#include "trace/trace_record.h"
#include "trace/trace_sink.h"
#include "trace/trace_validate.h"

// The life of runs: arrival, admission, submission, answer, release; and their traces.

namespace millrace::sim {

using runtime::Run;

namespace {

/// A digest of the multiset of events that scheduling must not change (D5).
std::uint64_t digest(const trace::RunTrace& trace) {
  std::uint64_t sum = 1;
  for (const trace::TraceRecord& record : trace.records) {
    const trace::TraceKind kind = record.kind;
    if (kind == trace::TraceKind::kNodeInlined || kind == trace::TraceKind::kQueueDelay) continue;
    std::uint64_t event = mix(static_cast<std::uint64_t>(kind), record.span_id.value());
    event = mix(event, mix(record.node_index, static_cast<std::uint64_t>(record.status)));
    event = mix(event, mix(record.parent, record.depth));
    sum += mix(event, record.value);
  }
  return sum;
}

}  // namespace

void SimWorld::happen(const Event& event) {
  RunLedger& ledger = *ledgers_[event.run];
  log(event.run);
  if (!event.is_cancel) return arrive(event.run);
  if (ledger.is_answered() || (!ledger.inner_run && !ledger.handle.holds_run())) return;
  ledger.cancelled(moment());
  ledger.inner_run ? ledger.inner_run->cancel() : ledger.handle.cancel();
}

void SimWorld::arrive(std::uint32_t run) {
  if (!scenario_.admission) return submit(run);
  const RunPlan& plan = scenario_.runs[run];
  if (plan.deadline_after) admit_by_[run] = clock_.now() + *plan.deadline_after;
  if (ask(run)) return;
  // Some owners wait and ask again, as a batch does with its lines; others give up.
  if (clock_.now() < admit_by_[run] && random_.below(4) != 0) {
    waiting_.push_back(run);
  } else {
    refuse(run);
  }
}

bool SimWorld::ask(std::uint32_t run) {
  const RunPlan& plan = scenario_.runs[run];
  const runtime::AdmissionSettings& limits = *scenario_.admission;
  const runtime::AdmissionStats before = admission_->stats();
  const std::int64_t load = pool_->ready_count() + before.abandoned_count;
  const bool is_late = admit_by_[run] <= clock_.now();
  // Bodies that execute runs put more nodes into the queues than their own run has.
  const std::uint32_t node_count = scenario_.has_inner_runs
                                       ? runtime::AdmissionRequest::kUnknownNodes
                                       : dags_[plan.dag]->topology->node_count();
  ++asked_count_;
  auto permit = admission_->try_admit(
      {.now = clock_.now(), .deadline = admit_by_[run], .node_count = node_count});
  if (permit) {
    judge_.expect(load <= limits.high_water, "B1", "A run was admitted above high water", run);
    judge_.expect(!is_late, "B3", "A run was admitted after its deadline, run", run);
    ++admitted_count_;
    submit(run, *std::move(permit));
    return true;
  }
  const bool has_room = load < limits.low_water && before.run_count < limits.inflight_max;
  judge_.expect(is_late || !has_room, "B1", "A run was refused below low water, run", run);
  judge_.expect(is_late == (permit.error() == runtime::RefusalReason::kDeadline),
                "B3",
                "A run was refused for the wrong reason, run",
                run);
  return false;
}

void SimWorld::ask_for_waiting() {
  // An answer may come at once and bring runs that wait in their turn: each is asked for once.
  for (std::size_t left = waiting_.size(); left > 0; --left) {
    const std::uint32_t run = waiting_.front();
    waiting_.erase(waiting_.begin());
    if (ask(run)) continue;
    if (clock_.now() < admit_by_[run]) {
      waiting_.push_back(run);
    } else {
      refuse(run);
    }
  }
}

void SimWorld::refuse(std::uint32_t run) {
  judge_.expect(!ledgers_[run]->is_refused, "B4", "A run was refused twice, run", run);
  judge_.expect(!ledgers_[run]->is_submitted(), "B4", "An admitted run was refused, run", run);
  ledgers_[run]->is_refused = true;
  // Runs that would have been submitted from its answer are submitted all the same.
  for (std::uint32_t next = run + 1; next < scenario_.runs.size(); ++next) {
    if (scenario_.runs[next].follows == run) arrive(next);
  }
}

void SimWorld::submit(std::uint32_t run, runtime::AdmissionPermit permit) {
  RunLedger& ledger = *ledgers_[run];
  judge_.expect(!ledger.is_submitted(), "B4", "A run was admitted twice, run", run);
  ledger.submitted(moment());
  const RunPlan& plan = scenario_.runs[run];
  // The run owns its context; the ledger itself belongs to the world.
  const std::shared_ptr<void> context(&ledger, [](void*) {});
  auto handle = dags_[plan.dag]->runs.submit(
      *pool_, context, options_of(run), observer_of(ledger), std::move(permit));
  MR_CHECK(handle.has_value(), handle.has_value() ? "" : handle.error().message());
  ledger.run = &handle->run();
  ledger.handle = *std::move(handle);
  plan_cancellation(run);
  if (!plan.cancel_after && plan.handle_end == HandleEnd::kAtOnce) ledger.handle = {};
}

runtime::RunOptions SimWorld::options_of(std::uint32_t run) {
  const RunPlan& plan = scenario_.runs[run];
  runtime::RunOptions options{.priority = plan.priority, .deadline = ledgers_[run]->deadline()};
  if (plan.has_loop) options.loop = &loop_;
  if (plan.is_traced) {
    options.trace = trace::TraceContext(
        trace::TraceId(run + 1), trace::TraceFlag::All, dags_[plan.dag]->trace_id);
  }
  return options;
}

runtime::RunObserver SimWorld::observer_of(RunLedger& ledger) {
  struct Observer {
    SimWorld* world;
    RunLedger* ledger;
  };
  auto* const observer = new Observer{this, &ledger};
  return {.on_answer =
              [](Run& done, void* data) {
                const auto& told = *static_cast<Observer*>(data);
                told.world->answered(done, *told.ledger);
              },
          .on_release =
              [](Run& done, void* data) {
                const std::unique_ptr<Observer> told(static_cast<Observer*>(data));
                told->world->released(done, *told->ledger);
              },
          .data = observer};
}

void SimWorld::plan_cancellation(std::uint32_t run) {
  const RunPlan& plan = scenario_.runs[run];
  if (!plan.cancel_after) return;
  const Event cancel{clock_.now() + *plan.cancel_after, run, true};
  const auto later = [](const Event& left, const Event& right) { return left.when > right.when; };
  events_.insert(std::upper_bound(events_.begin(), events_.end(), cancel, later), cancel);
}

void SimWorld::answered(Run& run, RunLedger& ledger) {
  log(static_cast<std::uint64_t>(run.outcome()));
  ledger.answered(run, moment());
  const std::uint32_t index = index_of(ledger);
  for (std::uint32_t next = index + 1; next < scenario_.runs.size(); ++next) {
    if (scenario_.runs[next].follows == index) arrive(next);
  }
  if (ledger.plan().handle_end != HandleEnd::kAtEnd) ledger.handle = {};
}

void SimWorld::released(Run& run, RunLedger& ledger) {
  log(run.late_completion_count());
  // Only a run that is alone in the world can be expected to end at once.
  std::optional<base::Duration> slack;
  if (scenario_.runs.size() == 1 && ledger.plan().handle_end != HandleEnd::kAtEnd) {
    slack = scenario_.config.spin_time + std::chrono::microseconds(1);
  }
  ledger.released(run, moment(), slack);
}

void SimWorld::judge_admission() {
  if (!scenario_.admission) return;
  const runtime::AdmissionStats stats = admission_->stats();
  judge_.expect(stats.accepted == admitted_count_,
                "B4",
                "The gate counts other runs as accepted than it let in",
                stats.accepted);
  judge_.expect(stats.accepted + stats.refused == asked_count_,
                "B4",
                "accepted + refused is not received",
                asked_count_);
  judge_.expect(stats.run_count <= scenario_.admission->inflight_max,
                "B4",
                "Too many runs at once",
                static_cast<std::uint64_t>(stats.run_count));
}

std::vector<std::uint64_t> SimWorld::results() const {
  std::vector<std::uint64_t> results;
  results.reserve(ledgers_.size());
  for (std::uint32_t run = 0; run < ledgers_.size(); ++run)
    results.push_back(is_decided(run) ? ledgers_[run]->result_hash() : 0);
  return results;
}

std::vector<std::uint64_t> SimWorld::trace_digests() const {
  std::vector<std::uint64_t> digests = trace_digests_;
  for (std::uint32_t run = 0; run < digests.size(); ++run) {
    if (!is_decided(run)) digests[run] = 0;
  }
  return digests;
}

void SimWorld::TraceJudge::consume(const trace::RunTrace& trace) {
  const auto run = static_cast<std::uint32_t>(trace.trace_id.value() - 1);
  const RunLedger& ledger = *world_.ledgers_[run];
  trace::TraceFacts facts{
      .topology = trace.topology.get(),
      .is_inlining_enabled = world_.scenario_.config.enable_inline_execution &&
                             world_.scenario_.config.max_inline_depth != 0,
      .may_give_up = ledger.deadline().has_value() && ledger.dag().has_fallback(),
      .has_exact_waits = !ledger.dag().has_fallback()};
  for (std::uint32_t node = 0; node < ledger.dag().nodes.size(); ++node) {
    facts.lazy_nodes.push_back(ledger.topology().is_lazy(node));
  }
  // After a failure, timing decides which other nodes still ran.
  if (ledger.outcome() == runtime::RunOutcome::kOk) world_.trace_digests_[run] = digest(trace);
  world_.judge_.expect(trace.is_complete, "T3", "A trace has no RunEnd, run", run);
  for (const trace::TraceViolation& violation : trace::validate_trace(trace.records, facts)) {
    world_.judge_.expect(false, violation.statement.c_str(), violation.message.c_str(), run);
  }
}

}  // namespace millrace::sim
