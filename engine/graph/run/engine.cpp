#include "graph/run/engine.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/format.h"
#include "base/result.h"
#include "graph/body/graph_context.h"
#include "graph/body/invocation_record.h"
#include "graph/body/message.h"
#include "graph/compile/compiled_graph.h"
#include "graph/compile/component_registry.h"
#include "graph/format/duration_text.h"
#include "graph/format/words.h"
#include "graph/payload.h"
#include "graph/run/channel.h"
#include "graph/run/domain.h"
#include "graph/run/run_journal.h"
#include "graph/run/run_options.h"
#include "graph/run/run_result.h"
#include "graph/run/run_tables.h"
#include "graph/run/task_board.h"
#include "graph/threads/detached_call.h"
#include "graph/threads/run_lock.h"

namespace millrace::graph {
namespace {

constexpr std::uint64_t kBeginsAtOneInstantMax = 1'000'000;

RunSettings settings_of(const RuntimeRunnerOptions& options, bool polls_outputs) {
  return {.stop_token = options.stop_token,
          .standard_input = options.standard_input,
          .on_output = options.on_output,
          .keep_outputs = options.keep_outputs,
          .polls_outputs = polls_outputs,
          .trace = options.trace,
          .trace_events_max = options.trace_events_max,
          .metrics = options.metrics,
          .journal = options.journal,
          .virtual_time = options.virtual_time};
}

TaskExecutorConfig tasks_of(const CompiledGraph& graph) {
  return {.workers = static_cast<std::size_t>(std::max<std::int64_t>(graph.tasks.workers, 1)),
          .max_inflight = static_cast<std::size_t>(graph.tasks.max_inflight),
          .task_budget = graph.tasks.task_budget};
}

}  // namespace

Engine::Engine(const CompiledGraph& graph,
               const ComponentRegistry& registry,
               RuntimeRunnerOptions options,
               bool polls_outputs)
    : options_(std::move(options)),
      clock_{.clock = options_.clock != nullptr ? *options_.clock : base::steady_clock()},
      tables_(graph, settings_of(options_, polls_outputs)),
      lifecycle_(tables_, registry),
      tasks_(tables_, tasks_of(graph)) {
  for (std::uint32_t i = 0; i < graph.domains.size(); ++i) {
    // A simulated domain has a time of its own in wall time too.
    const bool is_simulated = graph.domains[i].pace == PaceType::kSimulated;
    if (!options_.virtual_time && !is_simulated) tables_.domains[i].clock = &clock_;
    domains_.push_back(std::make_unique<Domain>(tables_, *this, lifecycle_, i));
  }
  tasks_.set_on_completed([this] {
    if (waker_ == nullptr) return;
    wake_for_arrivals();
    waker_->wake_for_events();
  });
  for (std::size_t i = 0; i < options_.injections.size(); ++i) injection_order_.push_back(i);
  std::ranges::sort(injection_order_, {}, [this](std::size_t i) {
    return std::pair(options_.injections[i].at, i);
  });
}

bool Engine::start() {
  is_running_ = lifecycle_.start(options_.snapshots);
  if (!is_running_) reason_ = SchedulerStopReason::kError;
  return is_running_;
}

void Engine::start_clock() { clock_.origin = clock_.clock.now(); }

std::optional<Duration> Engine::handle_events(Duration now) {
  now_ = now;
  const auto due = [this] { return options_.injections[injection_order_[next_injection_]].at; };
  while (next_injection_ < options_.injections.size() && due() <= now) inject_next();
  for (auto end = tasks_.next_end(); end && *end <= now; end = tasks_.next_end()) {
    tasks_.complete_next();
  }
  wake_for_arrivals();
  std::optional<Duration> next = tasks_.next_end();
  if (next_injection_ < options_.injections.size() && (!next || due() < *next)) next = due();
  return next;
}

void Engine::wake_for_arrivals() {
  for (std::uint32_t i = 0; i < domains_.size(); ++i) {
    if (waker_ != nullptr && !tables_.domains[i].arrivals.empty()) waker_->wake_domain(i);
  }
}

void Engine::set_waker(RunWaker* waker) {
  // Threads of tasks may still use the one before.
  const RunLocked locked(tables_.lock);
  waker_ = waker;
}

bool Engine::has_events() const {
  return !tasks_.is_empty() || next_injection_ < options_.injections.size();
}

Engine::Next Engine::find_next(bool only_ends) const {
  Next best;
  const auto consider = [&best](Next next) {
    const bool is_first = best.kind == Kind::kNothing || next.at < best.at ||
                          (next.at == best.at && next.kind < best.kind);
    if (is_first) best = next;
  };
  for (std::size_t i = 0; i < domains_.size(); ++i) {
    const Domain& domain = *domains_[i];
    if (domain.state() == DomainState::kBusy) {
      consider({.at = domain.end_time(), .kind = Kind::kEnd, .domain = i});
    } else if (domain.state() == DomainState::kBlocked) {
      const auto at = domain.unblock_time();
      if (at) consider({.at = std::max(*at, now_), .kind = Kind::kEnd, .domain = i});
    } else if (domain.state() == DomainState::kIdle && !only_ends) {
      const auto at = domain.next_start(now_);
      if (at) consider({.at = *at, .kind = Kind::kBegin, .domain = i});
    }
  }
  if (only_ends) return best;
  if (const auto at = tasks_.next_end()) consider({.at = *at, .kind = Kind::kTaskEnd});
  if (next_injection_ < options_.injections.size()) {
    consider({.at = std::max(options_.injections[injection_order_[next_injection_]].at, now_),
              .kind = Kind::kInjection});
  }
  return best;
}

SchedulerStopReason Engine::play(const PlayBounds& bounds) {
  while (true) {
    if (tables_.settings.journal != nullptr) [[unlikely]] {
      check_journal();
    }
    if (!tables_.errors.empty()) return SchedulerStopReason::kError;
    Next next = find_next(false);
    if (next.kind != Kind::kEnd) {
      if (is_stop_requested()) return SchedulerStopReason::kStopRequested;
      if (next.kind == Kind::kNothing) return SchedulerStopReason::kIdle;
      if (is_past(bounds, next)) {
        // Nothing begins any more; epochs in progress end, and one of them may be the last step.
        next = find_next(true);
        if (next.kind == Kind::kNothing) return SchedulerStopReason::kDurationBound;
      }
    }
    if (next.kind == Kind::kBegin) {
      if (is_paused_) return SchedulerStopReason::kIdle;
      if (bounds.steps == 0) return SchedulerStopReason::kTickBound;
    }
    now_ = next.at;
    if (next.kind == Kind::kTaskEnd) {
      tasks_.complete_next();
      continue;
    }
    if (next.kind == Kind::kInjection) {
      inject_next();
      continue;
    }
    Domain& domain = *domains_[next.domain];
    if (next.kind == Kind::kBegin) {
      if (!begin_epoch(domain, now_, bounds.steps.has_value())) return SchedulerStopReason::kError;
      continue;
    }
    end_epoch(domain, now_);
    if (domain.state() != DomainState::kIdle) continue;
    const bool is_last_step =
        next.domain == 0 && bounds.steps && domain.run().epoch >= *bounds.steps;
    const bool is_asked_for = bounds.epoch && bounds.epoch->domain == next.domain &&
                              domain.run().epoch >= bounds.epoch->epoch;
    if (is_last_step || is_asked_for) return SchedulerStopReason::kTickBound;
    const bool is_stopped = tables_.settings.stop_token.stop_requested();
    if (bounds.until_idle && !is_stopped && is_idle()) return SchedulerStopReason::kIdle;
  }
}

bool Engine::is_past(const PlayBounds& bounds, const Next& next) {
  if (bounds.duration && next.at >= *bounds.duration) return true;
  // Those that a replay only waits for are beyond all times.
  return next.kind != Kind::kInjection && next.at > kDurationMax;
}

void Engine::check_journal() {
  const std::optional<std::string> problem = tables_.settings.journal->problem();
  if (!problem || !tables_.errors.empty()) return;
  tables_.errors.push_back({.phase = "commit",
                            .component = {},
                            .lane = {},
                            .code = "record_failed",
                            .message = *problem});
}

bool Engine::is_stop_requested() const {
  const RunJournal* journal = tables_.settings.journal;
  return tables_.settings.stop_token.stop_requested() || (journal != nullptr && journal->is_over());
}

void Engine::end_epoch(Domain& domain, Duration at) {
  if (domain.state() == DomainState::kBlocked) {
    domain.resume(at);
  } else {
    domain.leave();
  }
}

bool Engine::begin_epoch(Domain& domain, Duration at, bool has_step_bound) {
  begun_at_instant_ = at == instant_ ? begun_at_instant_ + 1 : 1;
  instant_ = at;
  if (begun_at_instant_ > kBeginsAtOneInstantMax && !has_step_bound) {
    tables_.errors.push_back(
        {.phase = "execute",
         .component = {},
         .lane = {},
         .code = "time_does_not_advance",
         .message = base::format("{} epochs have begun at the same time; give a number of steps",
                                 kBeginsAtOneInstantMax)});
    return false;
  }
  domain.begin(at);
  return true;
}

bool Engine::is_idle() const {
  return !has_events() &&
         std::ranges::all_of(domains_, [](const auto& domain) { return domain->is_idle(); });
}

void Engine::inject_next() {
  TimedInjection& injection = options_.injections[injection_order_[next_injection_++]];
  const auto component = tables_.graph.find_component(injection.component);
  if (!component) return fail_injection(injection.component, "There is no such component");
  inject_or_fail(*component, std::move(injection.value), injection.event_time);
}

void Engine::fail_injection(std::string component, std::string message) {
  tables_.errors.push_back({.phase = "execute",
                            .component = std::move(component),
                            .lane = {},
                            .code = "channel_overflow",
                            .message = std::move(message)});
}

void Engine::inject_or_fail(std::uint32_t component,
                            Payload value,
                            std::optional<Duration> event_time) {
  const base::Status status = inject(component, std::move(value), event_time);
  if (!status) fail_injection(tables_.graph.components[component].id, status.error().message());
}

Duration Engine::time_of(std::uint32_t domain) const {
  if (options_.virtual_time) return now_;
  const DomainRun& run = tables_.domains[domain];
  return run.clock != nullptr ? run.clock->now() : run.now;
}

base::Status Engine::inject(std::uint32_t component,
                            Payload value,
                            std::optional<Duration> event_time) {
  ComponentRun& run = tables_.components[component];
  const std::uint32_t domain = tables_.graph.components[component].domain;
  Message message{.value = std::move(value),
                  .published_at = time_of(domain),
                  .event_time = event_time.value_or(Duration::zero()),
                  .has_event_time = event_time.has_value()};
  // One that is refused is part of the record, too: it may be what ends the run.
  if (tables_.settings.journal != nullptr) {
    tables_.settings.journal->inject(tables_, component, message);
  }
  if (run.injected == nullptr) {
    return base::fail(base::ErrorCode::kInvalidArgument,
                      "Values can be given to a core.input only",
                      tables_.graph.components[component].id);
  }
  if (run.injected->refuses()) {
    return base::fail(base::ErrorCode::kResourceExhausted,
                      base::format("The input holds {} values already", run.injected->capacity()),
                      tables_.graph.components[component].id);
  }
  run.injected->expect();
  run.injected->push(std::move(message), 0);
  tables_.add_arrival(
      {.edge = kNoIndex, .component = component, .number = run.injected->last_number()});
  if (waker_ != nullptr) waker_->wake_domain(domain);
  return {};
}

void Engine::drain() {
  for (const auto& domain : domains_) {
    if (domain->state() == DomainState::kBusy) domain->leave();
  }
}

void Engine::finish(SchedulerStopReason reason) {
  if (!is_running_) return;
  is_running_ = false;
  reason_ = reason;
  // From here on nothing that was given up reaches the run.
  for (const auto& call : std::exchange(tables_.abandoned_calls, {})) call->close();
  if (tables_.errors.empty()) drain();
  tasks_.cancel_all();
  if (tables_.errors.empty() && !lifecycle_.snapshot(snapshots_)) {
    reason_ = SchedulerStopReason::kError;
  }
  lifecycle_.deactivate();
  if (!tables_.errors.empty()) reason_ = SchedulerStopReason::kError;
}

RuntimeRunnerResult Engine::result() const {
  RuntimeRunnerResult result;
  result.ok = tables_.errors.empty();
  result.scheduler_stop_reason = reason_;
  for (const auto& domain : domains_) {
    const DomainRun& run = domain->run();
    result.epochs.push_back({.domain = tables_.graph.domains[run.index].id, .epochs = run.epoch});
    result.time = std::max(result.time, run.now);
  }
  result.invocations = tables_.invocations;
  result.errors = tables_.errors;
  for (std::size_t i = 0; i < tables_.graph.loops.size(); ++i) {
    result.loop_stop_reason.push_back(
        {.loop = tables_.graph.loops[i].id, .reason = std::string(tables_.loop_reasons[i])});
  }
  result.health_events = tables_.health.events();
  result.runtime_metrics = tables_.metrics.values();
  result.state = tables_.states.view();
  result.lane_settings = tables_.lane_settings;
  result.snapshots = snapshots_;
  result.outputs = tables_.outputs;
  result.events = tables_.events.events();
  result.events_dropped = tables_.events.dropped_count();
  return result;
}

std::uint32_t Engine::find_output(std::uint32_t component, std::string_view name) const {
  const std::vector<std::string>& names = tables_.components[component].output_names;
  const auto found = std::ranges::find(names, name);
  return found == names.end() ? kNoIndex : static_cast<std::uint32_t>(found - names.begin());
}

PublishReport Engine::publish_report(std::uint32_t component, std::string_view output) const {
  const std::uint32_t index = find_output(component, output);
  if (index == kNoIndex) return {};
  const OutputTargets& targets = tables_.components[component].outputs[index];
  return {.committed = targets.committed,
          .refused = targets.refused,
          .dropped = targets.dropped,
          .edge = targets.guilty_edge == kNoIndex ? std::string()
                                                  : tables_.graph.edges[targets.guilty_edge].id};
}

bool Engine::cancel_requested(const InvocationRecord& record) const {
  ++record.asks;
  if (record.facts != nullptr) {
    const bool is_told = record.facts->told_at != 0 && record.asks >= record.facts->told_at;
    if (!is_told) return false;
    record.was_cancelled = true;
  }
  // The watchdog writes it while the body runs.
  const std::atomic_ref was_cancelled(record.was_cancelled);
  if (!was_cancelled.load(std::memory_order_relaxed) &&
      tables_.settings.stop_token.stop_requested()) {
    was_cancelled.store(true, std::memory_order_relaxed);
  }
  const bool is_cancelled = was_cancelled.load(std::memory_order_relaxed);
  if (!is_cancelled) return false;
  if (record.told_at == 0) record.told_at = record.asks;
  record.observed_cancel = record.has_more = true;
  return true;
}

void Engine::note_late_publish(const InvocationRecord& record) {
  const RunLocked locked(tables_.lock);
  tables_.metrics.components[record.component].late_publish_count.add();
}

void Engine::note_return(const InvocationRecord& record, const Component* instance) {
  const RunLocked locked(tables_.lock);
  ComponentRun& run = tables_.components[record.component];
  if (run.instance.get() != instance || run.stuck_count == 0) return;
  RunJournal* const journal = tables_.settings.journal;
  if (journal != nullptr) journal->end_abandoned(tables_, record.component);
  --run.stuck_count;
  const std::uint32_t domain = tables_.graph.components[record.component].domain;
  tables_.domains[domain].returned.push_back(record.component);
  if (waker_ != nullptr) waker_->wake_domain(domain);
}

void Engine::spend(InvocationRecord& record, Duration duration, bool is_busy) {
  const CompiledComponent& compiled = tables_.graph.components[record.component];
  if (tables_.domains[compiled.domain].clock != nullptr) {
    // What is replayed has taken its time.
    if (record.facts == nullptr) take_time(duration, is_busy);
    return;
  }
  record.has_more = true;
  // No run is longer than that.
  const Duration left = std::max(kDurationMax - record.end(), Duration::zero());
  record.spent += std::clamp(duration, Duration::zero(), left);
  const auto is_over = [&record](Duration limit) {
    return limit != Duration::zero() && record.spent > limit;
  };
  if (is_over(compiled.execution.budget)) record.was_cancelled = true;
  if (is_over(compiled.execution.abandon_after)) record.is_abandoned = true;
}

base::Status Engine::submit_task(InvocationRecord& record,
                                 std::string_view output,
                                 TaskFunction function,
                                 Duration budget) {
  const RunLocked locked(tables_.lock);
  ++record.task_count;
  base::Status status =
      tasks_.submit(record, find_output(record.component, output), std::move(function), budget);
  if (status && waker_ != nullptr) waker_->wake_for_events();
  return status;
}

base::Result<Payload> Engine::ask(InvocationRecord& record,
                                  const std::function<base::Result<Payload>()>& question) {
  RunJournal* journal = tables_.settings.journal;
  return journal == nullptr ? question() : journal->ask(tables_, record, question);
}

std::optional<std::string> Engine::read_line(InvocationRecord& record) {
  const auto read = [this]() -> std::optional<std::string> {
    if (tables_.lines != nullptr) return take_line();
    return tables_.settings.standard_input ? tables_.settings.standard_input() : std::nullopt;
  };
  RunJournal* journal = tables_.settings.journal;
  return journal == nullptr ? read() : journal->read_line(tables_, record, read);
}

std::optional<std::string> Engine::take_line() {
  const RunLocked locked(tables_.lock);
  std::deque<std::string>& lines = tables_.lines->lines;
  if (lines.empty()) return std::nullopt;
  std::string line = std::move(lines.front());
  lines.pop_front();
  if (waker_ != nullptr) waker_->wake_for_input();
  return line;
}

std::optional<Payload> Engine::read_state(const InvocationRecord& record,
                                          std::string_view table,
                                          std::string_view key) const {
  const DomainRun& domain = tables_.domains[tables_.graph.components[record.component].domain];
  return domain.state->find(table, key);
}

std::vector<Message> Engine::read_channel(const InvocationRecord& record,
                                          std::string_view input,
                                          std::string_view reader) {
  const RunLocked locked(tables_.lock);
  std::vector<Message> found;
  for (const std::uint32_t edge : tables_.graph.in(record.component)) {
    if (tables_.graph.edges[edge].to_port != input) continue;
    if (tables_.graph.edges[edge].policy.readers != Readers::kMulti) continue;
    for (Message& message : tables_.channels[edge]->read(reader)) {
      found.push_back(std::move(message));
    }
  }
  return found;
}

}  // namespace millrace::graph
