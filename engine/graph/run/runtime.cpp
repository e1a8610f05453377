#include "graph/run/runtime.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/did_you_mean.h"
#include "base/format.h"
#include "base/result.h"
#include "graph/compile/compiled_graph.h"
#include "graph/compile/component_registry.h"
#include "graph/format/words.h"
#include "graph/payload.h"
#include "graph/run/config_updates.h"
#include "graph/run/domain.h"
#include "graph/run/engine.h"
#include "graph/run/run_options.h"
#include "graph/run/run_result.h"
#include "graph/run/why.h"

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

base::Status not_running() {
  return base::fail(base::ErrorCode::kInvalidArgument,
                    "The graph has not been started, or has ended");
}

}  // namespace

Runtime::Runtime(const CompiledGraph& graph,
                 const ComponentRegistry& registry,
                 RuntimeRunnerOptions options)
    : engine_(std::make_unique<Engine>(graph, registry, std::move(options), true)) {}

Runtime::~Runtime() { stop(); }

base::Status Runtime::start() {
  if (engine_->options().journal != nullptr) {
    // What a host does between epochs is not part of a record.
    return base::fail(base::ErrorCode::kInvalidArgument,
                      "Only a run from start to end, by RuntimeRunner, can be recorded");
  }
  if (engine_->start()) return {};
  const RunError& error = engine_->tables().errors.front();
  return base::fail(base::ErrorCode::kNodeFailed, error.message, error.component);
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
  const std::uint64_t before = target.run().epoch;
  if (target.pace() == PaceType::kManual) target.allow_steps(count);
  const SchedulerStopReason reason =
      engine_->play({.epoch = EpochBound{.domain = index, .epoch = before + count}});
  if (reason == SchedulerStopReason::kError) engine_->finish(reason);
  return target.run().epoch - before;
}

SchedulerStopReason Runtime::run() {
  if (!engine_->is_running()) return SchedulerStopReason::kNotStarted;
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
  return engine_->inject(index, std::move(value), event_time);
}

std::optional<OutputRecord> Runtime::poll_output(std::string_view component) {
  const auto index = engine_->tables().graph.find_component(component);
  if (!index) return std::nullopt;
  auto& waiting = engine_->tables().components[*index].for_poll;
  if (waiting.empty()) return std::nullopt;
  OutputRecord oldest = std::move(waiting.front());
  waiting.pop_front();
  return oldest;
}

void Runtime::pause() { engine_->pause(true); }
void Runtime::resume() { engine_->pause(false); }

base::Status Runtime::update_config(std::span<const ConfigUpdate> updates) {
  if (!engine_->is_running()) return not_running();
  std::vector<std::uint32_t> components;
  for (const ConfigUpdate& update : updates) {
    MR_TRY(const std::uint32_t index, component_index(engine_->tables().graph, update.component));
    components.push_back(index);
  }
  return apply_config_updates(engine_->tables(), components, updates);
}

base::Result<std::vector<ComponentSnapshot>> Runtime::snapshot() {
  if (!engine_->is_running()) return std::unexpected(not_running().error());
  std::vector<ComponentSnapshot> snapshots;
  if (engine_->lifecycle().snapshot(snapshots)) return snapshots;
  const RunError& error = engine_->tables().errors.back();
  return base::fail(base::ErrorCode::kNodeFailed, error.message, error.component);
}

void Runtime::stop() { engine_->finish(SchedulerStopReason::kStopRequested); }

base::Result<WhyReport> Runtime::why(std::string_view component) const {
  MR_TRY(const std::uint32_t index, component_index(engine_->tables().graph, component));
  return explain_component(*engine_, index);
}

RuntimeRunnerResult Runtime::result() const { return engine_->result(); }

}  // namespace millrace::graph
