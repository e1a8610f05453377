#include "graph/run/loop_runner.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "base/format.h"
#include "graph/body/invocation_record.h"
#include "graph/body/message.h"
#include "graph/compile/compiled_graph.h"
#include "graph/format/spec.h"
#include "graph/format/words.h"
#include "graph/run/body_runner.h"
#include "graph/run/channel.h"
#include "graph/run/commit.h"
#include "graph/run/run_tables.h"
#include "graph/run/trigger.h"
#include "graph/watch/graph_cells.h"
#include "graph/watch/graph_event.h"

namespace millrace::graph {
namespace {

bool is_unconverged(std::string_view reason) {
  return reason == "budget_overrun" || reason == "cancelled" || reason == "max_iterations";
}

PartialSuccess partial_success(const LoopPolicySpec& policy) {
  if (policy.partial_success) return *policy.partial_success;
  const bool discards = policy.type == CompositeLoopType::kSolverIteration ||
                        policy.type == CompositeLoopType::kTransaction;
  return discards ? PartialSuccess::kDiscardOutputs : PartialSuccess::kCommitOutputs;
}

std::uint32_t loop_index(const CompiledGraph& graph, const std::string& id) {
  const auto found = std::ranges::find(graph.loops, id, &CompositeLoopSpec::id);
  return static_cast<std::uint32_t>(found - graph.loops.begin());
}

}  // namespace

LoopRunner::LoopRunner(RunTables& tables,
                       DomainRun& domain,
                       BodyRunner& bodies,
                       std::uint32_t region)
    : tables_(tables),
      domain_(domain),
      bodies_(bodies),
      committer_(tables, domain),
      loop_(loop_index(tables.graph, tables.graph.regions[region].id)),
      policy_(tables.graph.loops[loop_].policy) {
  const auto members = tables.graph.members(tables.graph.regions[region]);
  members_.assign(members.begin(), members.end());
  for (const std::uint32_t member : members_) {
    for (const OutputTargets& output : tables.components[member].outputs) {
      for (const std::uint32_t edge : output.inner) inner_.push_back(tables.channels[edge].get());
    }
  }
}

bool LoopRunner::run(TriggerNotes& notes) {
  const Duration began = domain_.now;
  current_.clear();
  last_.clear();
  results_.clear();
  iteration_ = 0;
  is_tainted_ = false;
  failed_ = nullptr;
  static_cast<void>(is_stable());
  const std::int64_t most =
      is_transaction() ? 1 : std::max<std::int64_t>(policy_.max_iterations, 1);
  std::string_view reason;
  while (reason.empty()) {
    if (iteration_ == most) {
      reason = "max_iterations";
      break;
    }
    if (iteration_ > 0 && sees_stop()) {
      tables_.trace(domain_, {.name = GraphEventName::kLoopCancellationRequested, .loop = loop_});
      tables_.trace(domain_, {.name = GraphEventName::kLoopCancellationObserved, .loop = loop_});
      reason = "cancelled";
      break;
    }
    const Step step = run_iteration(notes);
    if (step == Step::kFailed) {
      tables_.metrics.loops[loop_].error.add();
      tables_.loop_reasons[loop_] = "error";
      return false;
    }
    if (step == Step::kIdle) {
      if (iteration_ == 0) return true;
      reason = "quiescent";
      break;
    }
    ++iteration_;
    tables_.metrics.loops[loop_].iterations.add();
    reason = reason_after_iteration(began);
  }
  return end(reason, began);
}

bool LoopRunner::sees_stop() const {
  const bool is_requested = tables_.settings.stop_token.stop_requested();
  RunJournal* const journal = tables_.settings.journal;
  if (journal == nullptr || tables_.settings.virtual_time) return is_requested;
  return journal->sees_stop(tables_, domain_, is_requested);
}

LoopRunner::Step LoopRunner::run_iteration(TriggerNotes& notes) {
  const Duration began = domain_.now;
  const bool keeps_all = policy_.outputs == LoopOutputs::kAll;
  // An idle iteration leaves the results of the one before as they are.
  if (!keeps_all) {
    std::swap(current_, last_);
    current_.clear();
  }
  const std::size_t first = current_.size();
  reported_ = false;
  tables_.trace(domain_,
                {.name = GraphEventName::kLoopIterationBegin,
                 .loop = loop_,
                 .first = static_cast<std::uint64_t>(iteration_) + 1});
  for (const std::uint32_t member : members_) {
    if (run_member(member, notes) == Step::kFailed) return Step::kFailed;
  }
  trace_iteration(began);
  if (current_.size() > first) return Step::kRan;
  if (!keeps_all) std::swap(current_, last_);
  return Step::kIdle;
}

LoopRunner::Step LoopRunner::run_member(std::uint32_t member, TriggerNotes& notes) {
  ComponentRun& run = tables_.components[member];
  if (run.is_isolated) {
    run.trigger->discard_all();
    return Step::kIdle;
  }
  if (!tables_.can_be_called(member)) return Step::kIdle;
  const std::size_t first = current_.size();
  run.trigger->collect({.now = domain_.now, .boundary = domain_.boundary},
                       current_,
                       notes,
                       policy_.type == CompositeLoopType::kCoalescedEvent);
  const bool is_on_pool =
      tables_.graph.lanes[tables_.graph.components[member].lane].type == LaneType::kThreadPool;
  for (std::size_t i = first; i < current_.size(); ++i) {
    InvocationRecord& record = current_[i];
    if (is_on_pool) record.worker = 0;
    bodies_.execute(record, domain_, domain_.now);
    domain_.now = record.end();
    reported_ = reported_ || record.is_converged;
    if (record.residual) tables_.metrics.loops[loop_].residual.set(*record.residual);
    if (!bodies_.settle(record, domain_)) {
      failed_ = &record;
      return Step::kFailed;
    }
    if (record.error) {
      is_tainted_ = true;
      committer_.discard(record);
      if (!tables_.can_be_called(member)) drop_rest(i + 1);
    }
  }
  for (std::size_t i = first; i < current_.size(); ++i) {
    if (!current_[i].error && !committer_.commit_inner(current_[i])) is_tainted_ = true;
  }
  return Step::kRan;
}

void LoopRunner::drop_rest(std::size_t first) {
  while (current_.size() > first) {
    const InvocationRecord& last = current_[current_.size() - 1];
    tables_.metrics.triggers[last.component].isolated_drop_count.add(last.messages.size());
    current_.pop_back();
  }
}

std::string_view LoopRunner::reason_after_iteration(Duration began) {
  if (policy_.convergence == Convergence::kSinglePass || is_transaction()) return "single_pass";
  if (reported_) return "component_report";
  if (policy_.residual_threshold) {
    for (std::size_t i = current_.size(); i-- > 0;) {
      if (!current_[i].residual) continue;
      if (*current_[i].residual <= *policy_.residual_threshold) return "residual_threshold";
      break;
    }
  }
  if (policy_.convergence == Convergence::kStableState && is_stable()) return "stable_state";
  if (policy_.budget != Duration::zero() && domain_.now - began > policy_.budget) {
    return "budget_overrun";
  }
  return {};
}

bool LoopRunner::is_stable() {
  bool has_changed = false;
  for (Channel* channel : inner_) has_changed = channel->take_change() || has_changed;
  return !has_changed;
}

bool LoopRunner::end(std::string_view reason, Duration began) {
  LoopCells& cells = tables_.metrics.loops[loop_];
  tables_.loop_reasons[loop_] = reason;
  const bool has_converged = !is_unconverged(reason);
  if (has_converged) cells.converged.add();
  if (reason == "budget_overrun") cells.budget_overrun.add();
  if (reason == "max_iterations") cells.max_iterations_hit.add();
  tables_.trace(domain_,
                {.name = GraphEventName::kLoopEnd,
                 .has_duration = true,
                 .loop = loop_,
                 .time = began,
                 .duration = domain_.now - began,
                 .first = static_cast<std::uint64_t>(iteration_),
                 .second = has_converged ? 1U : 0U});
  gather_results();
  const PartialSuccess partial = partial_success(policy_);
  if (!has_converged && partial == PartialSuccess::kFailRun) {
    cells.error.add();
    tables_.errors.push_back(
        {.phase = "execute",
         .component = tables_.graph.loops[loop_].id,
         .lane = tables_.graph.lanes[tables_.graph.components[members_.front()].lane].id,
         .code = "loop_not_converged",
         .message = base::format("Ended by {} after {} iterations", reason, iteration_)});
    return false;
  }
  const bool is_partial = !has_converged && partial == PartialSuccess::kDiscardOutputs;
  if (is_partial || (is_transaction() && is_tainted_)) discard(committer_);
  // Members may still hold messages for each other.
  const bool has_rest =
      std::ranges::any_of(inner_, [](const Channel* channel) { return channel->has_new(); });
  if (has_rest) domain_.mark(tables_.position[members_.front()]);
  return true;
}

void LoopRunner::gather_results() {
  for (std::size_t i = 0; i < current_.size(); ++i) {
    if (!current_[i].error) results_.push_back(&current_[i]);
  }
}

void LoopRunner::discard(Committer& committer) {
  for (const InvocationRecord* record : results_) {
    tables_.metrics.loops[loop_].output_discarded.add(record->published.size());
    committer.discard(*record);
  }
  results_.clear();
}

void LoopRunner::trace_iteration(Duration began) {
  if (!tables_.events.is_on()) return;
  GraphEvent event{.name = GraphEventName::kLoopIteration,
                   .has_duration = true,
                   .loop = loop_,
                   .time = began,
                   .duration = domain_.now - began,
                   .first = static_cast<std::uint64_t>(iteration_) + 1};
  tables_.trace(domain_, event);
  event.name = GraphEventName::kLoopIterationEnd;
  event.has_duration = false;
  event.time = domain_.now;
  tables_.trace(domain_, event);
}

}  // namespace millrace::graph
