#include "graph/run/runtime.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/did_you_mean.h"
#include "base/format.h"
#include "base/result.h"
#include "base/sync/mutex.h"
#include "graph/compile/compiled_graph.h"
#include "graph/compile/component_registry.h"
#include "graph/format/words.h"
#include "graph/payload.h"
#include "graph/run/config_updates.h"
#include "graph/run/domain.h"
#include "graph/run/engine.h"
#include "graph/run/run_options.h"
#include "graph/run/run_result.h"
#include "graph/run/run_tables.h"
#include "graph/run/state_store.h"
#include "graph/run/why.h"
#include "graph/threads/run_lock.h"
#include "graph/wall/wall_run.h"

namespace millrace::graph {
namespace {

base::Result<std::uint32_t> component_index(const CompiledGraph& graph, std::string_view id) {
  if (const auto found = graph.find_component(id)) return *found;
  std::vector<std::string_view> known;
  for (const CompiledComponent& component : graph.components) known.push_back(component.id);
  return base::fail(
      base::ErrorCode::kNotFound,
      base::format("No component has the id '{}'{}", id, base::did_you_mean(id, known)));
}

base::Status is_ending() {
  return base::fail(base::ErrorCode::kUnavailable,
                    "The run was told to end while an epoch was in progress");
}

base::Status not_running() {
  return base::fail(base::ErrorCode::kInvalidArgument,
                    "The graph has not been started, or has ended");
}

}  // namespace

Runtime::Runtime(const CompiledGraph& graph,
                 const ComponentRegistry& registry,
                 RuntimeRunnerOptions options)
    : engine_(std::make_unique<Engine>(graph, registry, options, options.is_hosted)) {}

Runtime::~Runtime() { stop(); }

base::Status Runtime::start() {
  const RuntimeRunnerOptions& options = engine_->options();
  if (options.journal != nullptr) {
    // What a host does between epochs is not part of a record.
    return base::fail(base::ErrorCode::kInvalidArgument,
                      "Only a run from start to end, by RuntimeRunner, can be recorded");
  }
  bool is_good = engine_->start();
  if (is_good && !options.virtual_time) {
    const PlayBounds bounds{
        .steps = options.steps, .duration = options.duration, .until_idle = options.until_idle};
    wall_ = std::make_unique<WallRun>(*engine_, bounds, options.is_hosted);
    is_good = wall_->start();
    if (!is_good) finish(SchedulerStopReason::kError);
  }
  if (is_good) return {};
  const RunError& error = engine_->tables().errors.front();
  return base::fail(base::ErrorCode::kNodeFailed,
                    error.message,
                    error.component.empty() ? error.lane : error.component);
}

void Runtime::finish(SchedulerStopReason reason) {
  if (wall_ != nullptr) {
    wall_->request_end(reason);
    reason = wall_->wait();
    wall_.reset();
  }
  engine_->finish(reason);
}

base::Result<std::uint64_t> Runtime::step(std::string_view domain, std::uint64_t count) {
  if (!engine_->is_running()) return std::unexpected(not_running().error());
  const CompiledGraph& graph = engine_->tables().graph;
  std::uint32_t index = 0;
  while (!domain.empty() && index < graph.domains.size() && graph.domains[index].id != domain) {
    ++index;
  }
  if (index >= graph.domains.size()) {
    return base::fail(base::ErrorCode::kNotFound,
                      base::format("No domain has the id '{}'", domain));
  }
  Domain& target = engine_->domain(index);
  if (wall_ != nullptr) {
    if (target.pace() == PaceType::kManual) return wall_->step_manual(index, count);
    return base::fail(base::ErrorCode::kInvalidArgument,
                      base::format("In wall time domain '{}' runs by itself; only a manual_step "
                                   "lane can be stepped",
                                   graph.domains[index].id));
  }
  const std::uint64_t before = target.run().epoch;
  if (target.pace() == PaceType::kManual) target.allow_steps(count);
  const SchedulerStopReason reason =
      engine_->play({.epoch = EpochBound{.domain = index, .epoch = before + count}});
  if (reason == SchedulerStopReason::kError) engine_->finish(reason);
  return target.run().epoch - before;
}

SchedulerStopReason Runtime::wait() {
  return wall_ == nullptr ? SchedulerStopReason::kNotStarted : wall_->wait();
}

SchedulerStopReason Runtime::run() {
  if (!engine_->is_running()) return SchedulerStopReason::kNotStarted;
  if (wall_ != nullptr) {
    const SchedulerStopReason reason = wall_->wait();
    finish(reason);
    return reason;
  }
  const RuntimeRunnerOptions& options = engine_->options();
  const SchedulerStopReason reason = engine_->play(
      {.steps = options.steps, .duration = options.duration, .until_idle = options.until_idle});
  if (reason == SchedulerStopReason::kError) engine_->finish(reason);
  return reason;
}

base::Status Runtime::inject(std::string_view component,
                             Payload value,
                             std::optional<Duration> event_time) {
  if (!engine_->is_running()) return not_running();
  MR_TRY(const std::uint32_t index, component_index(engine_->tables().graph, component));
  const RunLocked locked(engine_->tables().lock);
  return engine_->inject(index, std::move(value), event_time);
}

std::optional<OutputRecord> Runtime::poll_output(std::string_view component) {
  const auto index = engine_->tables().graph.find_component(component);
  if (!index) return std::nullopt;
  const RunLocked locked(engine_->tables().lock);
  auto& waiting = engine_->tables().components[*index].for_poll;
  if (waiting.empty()) return std::nullopt;
  OutputRecord oldest = std::move(waiting.front());
  waiting.pop_front();
  return oldest;
}

void Runtime::pause() {
  const RunLocked locked(engine_->tables().lock);
  engine_->pause(true);
}

void Runtime::resume() {
  const RunLocked locked(engine_->tables().lock);
  engine_->pause(false);
  if (wall_ != nullptr) wall_->wake_all();
}

bool Runtime::is_paused() const {
  const RunLocked locked(engine_->tables().lock);
  return engine_->is_paused();
}

bool Runtime::has_ended() const { return wall_ == nullptr || wall_->has_ended(); }

base::Status Runtime::update_config(std::span<const ConfigUpdate> updates) {
  if (!engine_->is_running()) return not_running();
  std::vector<std::uint32_t> components;
  for (const ConfigUpdate& update : updates) {
    MR_TRY(const std::uint32_t index, component_index(engine_->tables().graph, update.component));
    components.push_back(index);
  }
  const ComponentRegistry& registry = engine_->lifecycle().registry();
  if (wall_ == nullptr) {
    return apply_config_updates(engine_->tables(), registry, components, updates);
  }
  // Domains that do not take part go on meanwhile.
  std::vector<std::uint32_t> domains;
  for (const std::uint32_t component : components) {
    domains.push_back(engine_->tables().graph.components[component].domain);
  }
  const base::MutexLock one_at_a_time(hold_mutex_);
  base::Status status = is_ending();
  if (wall_->hold(domains)) {
    const RunLocked locked(engine_->tables().lock);
    status = apply_config_updates(engine_->tables(), registry, components, updates);
  }
  wall_->release();
  return status;
}

base::Result<std::vector<ComponentSnapshot>> Runtime::snapshot() {
  if (!engine_->is_running()) return std::unexpected(not_running().error());
  if (wall_ == nullptr) return take_snapshot();
  std::vector<std::uint32_t> domains(engine_->tables().domains.size());
  std::iota(domains.begin(), domains.end(), 0U);
  const base::MutexLock one_at_a_time(hold_mutex_);
  base::Result<std::vector<ComponentSnapshot>> snapshots = std::unexpected(is_ending().error());
  if (wall_->hold(domains)) snapshots = take_snapshot();
  wall_->release();
  return snapshots;
}

base::Result<std::vector<ComponentSnapshot>> Runtime::take_snapshot() {
  const RunLocked locked(engine_->tables().lock);
  std::vector<ComponentSnapshot> snapshots;
  if (engine_->lifecycle().snapshot(snapshots)) return snapshots;
  const RunError& error = engine_->tables().errors.back();
  return base::fail(base::ErrorCode::kNodeFailed, error.message, error.component);
}

void Runtime::stop() { finish(SchedulerStopReason::kStopRequested); }

base::Result<WhyReport> Runtime::why(std::string_view component) const {
  MR_TRY(const std::uint32_t index, component_index(engine_->tables().graph, component));
  const RunLocked locked(engine_->tables().lock);
  return explain_component(*engine_, index);
}

RuntimeRunnerResult Runtime::result() const {
  const RunLocked locked(engine_->tables().lock);
  return engine_->result();
}

std::vector<GraphEvent> Runtime::events_from(std::size_t first) const {
  const RunLocked locked(engine_->tables().lock);
  const std::vector<GraphEvent>& events = engine_->tables().events.events();
  if (first >= events.size()) return {};
  return {events.begin() + static_cast<std::ptrdiff_t>(first), events.end()};
}

std::vector<RuntimeMetric> Runtime::metrics() const {
  const RunLocked locked(engine_->tables().lock);
  return engine_->tables().metrics.values();
}

RunOverview Runtime::overview() const {
  const RunLocked locked(engine_->tables().lock);
  const RunTables& tables = engine_->tables();
  RunOverview overview{.invocations = tables.invocations, .health_events = tables.health.events()};
  for (const DomainRun& domain : tables.domains) {
    overview.epochs.push_back(
        {.domain = tables.graph.domains[domain.index].id, .epochs = domain.epoch});
    overview.time = std::max(overview.time, domain.now);
  }
  return overview;
}

std::shared_ptr<const StateSnapshot> Runtime::state() const {
  return engine_->tables().states.latest();
}

}  // namespace millrace::graph
