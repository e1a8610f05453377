#include "graph/run/body_runner.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/format.h"
#include "base/result.h"
#include "graph/body/component.h"
#include "graph/body/graph_context.h"
#include "graph/body/guarded_call.h"
#include "graph/body/invocation_record.h"
#include "graph/body/message.h"
#include "graph/compile/compiled_graph.h"
#include "graph/format/spec.h"
#include "graph/format/words.h"
#include "graph/run/channel.h"
#include "graph/run/run_tables.h"
#include "graph/run/trigger.h"
#include "graph/threads/detached_call.h"
#include "graph/threads/lane_team.h"
#include "graph/threads/run_lock.h"
#include "graph/threads/watchdog.h"
#include "graph/watch/graph_cells.h"
#include "graph/watch/graph_event.h"
#include "graph/watch/health.h"

namespace millrace::graph {
namespace {

double in_ms(Duration duration) {
  return std::chrono::duration<double, std::milli>(duration).count();
}

}  // namespace

void BodyRunner::mark_abandoned(InvocationRecord& record, Duration limit) {
  record.spent = limit;
  record.error.emplace(base::ErrorCode::kTimeout,
                       base::format("Still running after {} ms", in_ms(limit)));
}

/// One invocation on the thread for invocations that may be given up.
class BodyRunner::ApartWork final : public TeamWork {
 public:
  ApartWork(BodyRunner& runner, InvocationRecord& record, DomainRun& domain, LaneTeam& team)
      : runner_(runner), record_(record), domain_(domain), team_(team) {}
  bool run(std::uint32_t item, std::uint32_t) override {
    return runner_.call_detached(record_, domain_, {.team = &team_, .item = item});
  }

 private:
  BodyRunner& runner_;
  InvocationRecord& record_;
  DomainRun& domain_;
  LaneTeam& team_;
};

BodySite BodyRunner::site_of(std::uint32_t component, const DomainRun& domain) const {
  const CompiledComponent& compiled = tables_.graph.components[component];
  const bool is_traced = tables_.events.is_on();
  ComponentRun& run = tables_.components[component];
  return {.compiled = compiled,
          .run = run,
          .cells = tables_.metrics.components[component],
          .lane = tables_.metrics.lanes[compiled.lane],
          .targets = run.outputs.empty() ? std::span<const EdgeTarget>()
                                         : std::span<const EdgeTarget>(run.outputs.front().targets),
          .component = component,
          .is_plain = domain.clock == nullptr && !tables_.lock.is_shared() && !is_traced &&
                      apart_ == nullptr,
          .is_judged = is_traced || tables_.settings.journal != nullptr ||
                       compiled.execution.budget != Duration::zero() ||
                       compiled.role == BoundaryRole::kOutput};
}

inline void BodyRunner::start(InvocationRecord& record,
                              ComponentRun& run,
                              const DomainRun& domain) {
  record.epoch = domain.epoch;
  record.has_run = true;
  record.output_count = static_cast<std::uint32_t>(run.outputs.size());
  record.call = ++run.call_count;
  if (record.correlation.component != kNoIndex) [[likely]]
    return;
  record.is_root = true;
  record.correlation = {.component = record.component, .count = ++run.root_count};
}

void BodyRunner::prepare(InvocationRecord& record, const DomainRun& domain) {
  start(record, tables_.components[record.component], domain);
}

void BodyRunner::call_body(InvocationRecord& record, Component& instance) {
  GraphContext context(services_, record);
  const Invocation invocation(record, record.inputs(), services_);
  base::Status status =
      guarded_call([&]() -> base::Status { return instance.execute(invocation, context); });
  if (!status) [[unlikely]] {
    record.has_more = true;
    record.error.emplace(std::move(status).error());
  }
}

bool BodyRunner::run(InvocationRecord& record, const BodySite& site, DomainRun& domain) {
  if (!site.is_plain) {
    execute(record, domain, domain.now);
  } else {
    start(record, site.run, domain);
    begin_call(record, domain.now);
    call_body(record, *site.run.instance);
    if (record.is_abandoned) [[unlikely]]
      mark_abandoned(record, site.compiled.execution.abandon_after);
  }
  domain.now = record.end();
  return judge(record, site, domain);
}

void BodyRunner::execute(InvocationRecord& record, DomainRun& domain, Duration begin) {
  prepare(record, domain);
  if (domain.clock != nullptr) begin = domain.clock->now();
  if (tables_.settings.journal != nullptr) [[unlikely]] {
    record.facts = tables_.settings.journal->find_facts(tables_, record);
    // A replay of threads never calls a body as a run does: that could wait.
    static constexpr CallFacts kUnknown{.told_at = 1};
    if (record.facts == nullptr && tables_.settings.journal->replays_threads()) {
      record.facts = &kUnknown;
    }
    if (record.facts != nullptr) return execute_again(record, domain);
  }
  begin_call(record, begin);
  if (tables_.events.is_on()) [[unlikely]]
    trace_begin(record, domain);
  ComponentRun& run = tables_.components[record.component];
  ++run.under_way;
  call_outside(record, domain);
  --run.under_way;
}

void BodyRunner::call_outside(InvocationRecord& record, DomainRun& domain) {
  const OutsideSection outside(tables_, domain);
  if (apart_ == nullptr || !can_be_given_up(record, domain)) return call(record, domain);
  ApartWork work(*this, record, domain, *apart_);
  const TeamItem item;
  apart_->begin({&item, 1}, work);
  apart_->finish();
}

void BodyRunner::execute_again(InvocationRecord& record, DomainRun& domain) {
  const OutsideSection outside(tables_, domain);
  call_again(record, domain);
}

void BodyRunner::call_again(InvocationRecord& record, DomainRun& domain) {
  const CallFacts& facts = *record.facts;
  begin_call(record, facts.begin);
  record.worker = facts.worker;
  record.was_cancelled = record.was_reported = facts.was_cancelled;
  if (facts.is_abandoned && domain.clock != nullptr) {
    // It may never have returned, so it is not called.
    record.is_abandoned = true;
    mark_abandoned(record, tables_.graph.components[record.component].execution.abandon_after);
    ++tables_.components[record.component].stuck_count;
    return;
  }
  call_body(record, *tables_.components[record.component].instance);
  if (domain.clock != nullptr) record.spent = facts.spent;
  if (record.is_abandoned) {
    mark_abandoned(record, tables_.graph.components[record.component].execution.abandon_after);
  }
}

bool BodyRunner::call_on_worker(InvocationRecord& record,
                                DomainRun& domain,
                                Duration begin,
                                TeamPlace place) {
  if (domain.clock != nullptr) begin = domain.clock->now();
  begin_call(record, begin);
  if (tables_.events.is_on()) [[unlikely]] {
    const RunLocked locked(tables_.lock);
    trace_begin(record, domain);
  }
  if (can_be_given_up(record, domain)) [[unlikely]]
    return call_detached(record, domain, place);
  call(record, domain);
  return true;
}

void BodyRunner::begin_call(InvocationRecord& record, Duration begin) {
  record.begin = begin;
  if (!record.is_root) return;
  record.correlation.root_time = begin;
  for (InputMessage& input : record.messages) input.message.correlation = record.correlation;
}

void BodyRunner::trace_begin(const InvocationRecord& record, const DomainRun& domain) {
  tables_.trace(domain,
                {.name = GraphEventName::kComponentExecuteBegin,
                 .lane = tables_.graph.components[record.component].lane,
                 .component = record.component,
                 .worker = record.worker,
                 .time = record.begin});
}

void BodyRunner::call(InvocationRecord& record, DomainRun& domain) {
  Component& instance = *tables_.components[record.component].instance;
  const ExecutionSpec& execution = tables_.graph.components[record.component].execution;
  const bool is_watched = domain.clock != nullptr && execution.budget != Duration::zero() &&
                          tables_.watchdog != nullptr;
  std::uint64_t watch = 0;
  if (is_watched) [[unlikely]] {
    watch = tables_.watchdog->arm(
        {.record = &record, .domain = domain.index, .budget_at = record.begin + execution.budget});
  }
  call_body(record, instance);
  if (is_watched) [[unlikely]]
    tables_.watchdog->disarm(watch);
  if (domain.clock != nullptr) record.spent = domain.clock->now() - record.begin;
  if (record.is_abandoned) [[unlikely]]
    mark_abandoned(record, execution.abandon_after);
}

bool BodyRunner::can_be_given_up(const InvocationRecord& record, const DomainRun& domain) const {
  return domain.clock != nullptr && tables_.watchdog != nullptr &&
         tables_.graph.components[record.component].execution.abandon_after != Duration::zero();
}

bool BodyRunner::call_detached(InvocationRecord& record, DomainRun& domain, TeamPlace place) {
  const ExecutionSpec& execution = tables_.graph.components[record.component].execution;
  auto call = std::make_shared<DetachedCall>(
      services_, tables_.components[record.component].instance, record);
  call->on_abandoned = [this, &record, place](const std::shared_ptr<DetachedCall>& given_up) {
    give_up(record, place, given_up);
  };
  // Looked up first: a call that is watched may be given up, and then the run may end. After that
  // nothing of it may be touched here, unless the call returns in time.
  Watchdog& watchdog = *tables_.watchdog;
  const RunClock& clock = *domain.clock;
  const std::uint64_t watch = watchdog.arm({.record = &call->record(),
                                            .domain = domain.index,
                                            .budget_at = execution.budget == Duration::zero()
                                                             ? Duration::max()
                                                             : record.begin + execution.budget,
                                            .abandon_at = record.begin + execution.abandon_after,
                                            .call = call});
  if (!call->execute()) return false;
  watchdog.disarm(watch);
  const std::uint32_t worker = record.worker;
  record = std::move(call->record());
  record.worker = worker;
  record.spent = clock.now() - record.begin;
  return true;
}

void BodyRunner::give_up(InvocationRecord& record,
                         TeamPlace place,
                         std::shared_ptr<DetachedCall> call) {
  const ExecutionSpec& execution = tables_.graph.components[record.component].execution;
  record.was_cancelled = record.was_reported = call->record().was_reported;
  record.is_abandoned = true;
  mark_abandoned(record, execution.abandon_after);
  {
    const RunLocked locked(tables_.lock);
    ++tables_.components[record.component].stuck_count;
    tables_.abandoned_calls.push_back(std::move(call));
  }
  place.team->abandon(place.item, execution.reentrant && execution.on_error == OnError::kContinue);
}

void BodyRunner::start_apart_thread(std::function<void(std::uint32_t worker)> on_thread_start) {
  apart_ = std::make_unique<LaneTeam>(
      TeamOptions{.width = 1, .on_thread_start = std::move(on_thread_start)});
}

bool BodyRunner::settle(InvocationRecord& record, const BodySite& site, DomainRun& domain) {
  count(site, 1, record);
  return judge(record, site, domain);
}

void BodyRunner::count(const BodySite& site, std::uint64_t number, const InvocationRecord& last) {
  tables_.invocations += number;
  site.cells.execution_count.add(number);
  site.lane.completed_count.add(number);
  site.lane.priority_count[static_cast<std::size_t>(site.compiled.execution.priority)].add(number);
  site.run.last_run_epoch = last.epoch;
  site.run.last_kind = last.kind;
  site.run.last_cause = last.cause;
}

bool BodyRunner::judge_slowly(InvocationRecord& record, const BodySite& site, DomainRun& domain) {
  RunJournal* const journal = tables_.settings.journal;
  if (journal != nullptr && !tables_.settings.virtual_time) journal->call(tables_, record);
  if (record.wants_finish) site.run.trigger->finish();
  if (record.was_cancelled || site.compiled.execution.budget != Duration::zero()) {
    check_budget(record, domain);
  }
  if (site.compiled.role == BoundaryRole::kOutput) note_age(record, domain);
  if (tables_.events.is_on()) trace_execution(record, domain);
  if (!record.error) [[likely]]
    return true;
  site.cells.error_count.add();
  return apply_error_policy(record, domain);
}

void BodyRunner::trace_execution(const InvocationRecord& record, const DomainRun& domain) {
  GraphEvent event{.name = GraphEventName::kComponentExecute,
                   .has_duration = true,
                   .lane = tables_.graph.components[record.component].lane,
                   .component = record.component,
                   .worker = record.worker,
                   .time = record.begin,
                   .duration = record.spent,
                   .first = record.messages.size(),
                   .second = record.error ? 1U : 0U};
  tables_.trace(domain, event);
  event.name = GraphEventName::kComponentExecuteEnd;
  event.time = record.end();
  event.has_duration = false;
  tables_.trace(domain, event);
}

void BodyRunner::check_budget(InvocationRecord& record, DomainRun& domain) {
  const ExecutionSpec& execution = tables_.graph.components[record.component].execution;
  ComponentCells& cells = tables_.metrics.components[record.component];
  GraphEvent event{.name = GraphEventName::kComponentTimeoutBudgetExceeded,
                   .lane = tables_.graph.components[record.component].lane,
                   .component = record.component,
                   .worker = record.worker,
                   .time = record.end()};
  // What the watchdog reported while it ran is counted already.
  const bool is_over = execution.budget != Duration::zero() && record.spent > execution.budget;
  if (is_over && !record.was_reported) {
    cells.budget_overrun_count.add();
    cells.timeout_budget_exceeded_count.add();
    event.time = record.begin + execution.budget;
    tables_.trace(domain, event);
  }
  if (!record.was_cancelled) return;
  if (!record.was_reported) {
    cells.cancellation_requested_count.add();
    event.name = GraphEventName::kComponentCancellationRequested;
    tables_.trace(domain, event);
  }
  if (!record.observed_cancel) return;
  cells.cancellation_observed_count.add();
  event.name = GraphEventName::kComponentCancellationObserved;
  event.time = record.end();
  tables_.trace(domain, event);
}

void BodyRunner::note_age(const InvocationRecord& record, const DomainRun& domain) {
  const CompiledComponent& compiled = tables_.graph.components[record.component];
  const Duration age = record.begin - record.correlation.root_time;
  tables_.metrics.age(record.correlation.component, compiled.lane).observe(in_ms(age));
  if (compiled.max_age == Duration::zero() || age <= compiled.max_age) return;
  tables_.metrics.components[record.component].max_age_exceeded_count.add();
  tables_.report({.kind = HealthKind::kMaxAge, .component = record.component}, domain);
}

bool BodyRunner::apply_error_policy(InvocationRecord& record, DomainRun& domain) {
  const CompiledComponent& compiled = tables_.graph.components[record.component];
  ComponentRun& run = tables_.components[record.component];
  if (record.is_abandoned) {
    ComponentCells& cells = tables_.metrics.components[record.component];
    cells.abandoned_count.add();
    tables_.report({.kind = HealthKind::kComponentAbandoned, .component = record.component},
                   domain);
    tables_.trace(domain,
                  {.name = GraphEventName::kComponentAbandoned,
                   .lane = compiled.lane,
                   .component = record.component,
                   .worker = record.worker,
                   .time = record.end()});
    if (++domain.abandoned[compiled.lane] > tables_.graph.lanes[compiled.lane].abandon_max) {
      return false;
    }
  }
  switch (compiled.execution.on_error) {
    case OnError::kFailFast:
      return false;
    case OnError::kContinue:
      return true;
    case OnError::kIsolate:
      if (!run.is_isolated) {
        run.is_isolated = true;
        tables_.report({.kind = HealthKind::kComponentIsolated, .component = record.component},
                       domain);
      }
      return true;
    case OnError::kRestart:
      break;
  }
  return plan_restart(record);
}

bool BodyRunner::plan_restart(const InvocationRecord& record) {
  const RestartSpec& spec = tables_.graph.components[record.component].execution.restart;
  ComponentRun& run = tables_.components[record.component];
  const Duration now = record.end();
  run.failures.push_back(now);
  while (spec.window != Duration::zero() && now - run.failures.front() > spec.window) {
    run.failures.pop_front();
  }
  if (run.failures.size() > static_cast<std::size_t>(spec.max)) return false;
  run.down_until = now + spec.backoff;
  return true;
}

bool BodyRunner::bring_back(std::uint32_t component, const DomainRun& domain) {
  tables_.components[component].down_until.reset();
  if (!lifecycle_.replace(component)) return false;
  tables_.metrics.components[component].restart_count.add();
  tables_.report({.kind = HealthKind::kComponentRestarted, .component = component}, domain);
  tables_.trace(domain, {.name = GraphEventName::kComponentRestart, .component = component});
  return true;
}

void BodyRunner::fail_run(const InvocationRecord& record) {
  const CompiledComponent& compiled = tables_.graph.components[record.component];
  std::string_view code = "component_execute";
  if (record.is_abandoned) code = "component_abandoned";
  for (const DomainRun& domain : tables_.domains) {
    const auto count = domain.abandoned.find(compiled.lane);
    if (count == domain.abandoned.end()) continue;
    if (count->second > tables_.graph.lanes[compiled.lane].abandon_max) code = "too_many_abandoned";
  }
  if (!tables_.errors.empty()) return;
  tables_.fail("execute", record.component, code, record.error->message());
}

}  // namespace millrace::graph
