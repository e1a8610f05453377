#include "graph/run/runtime_runner.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/format.h"
#include "base/result.h"
#include "graph/compile/compiled_graph.h"
#include "graph/compile/component_registry.h"
#include "graph/format/words.h"
#include "graph/run/engine.h"
#include "graph/run/run_result.h"
#include "graph/wall/wall_run.h"

namespace millrace::graph {
namespace {

/// A component that keeps its domain at one instant for ever, or nullptr.
const CompiledComponent* find_clock_stopper(const CompiledGraph& graph) {
  const auto found =
      std::ranges::find_if(graph.components, [&](const CompiledComponent& component) {
        const DomainPlan& domain = graph.domains[component.domain];
        const bool has_no_period =
            domain.pace == PaceType::kReady ||
            (domain.pace == PaceType::kSimulated && domain.period == Duration::zero());
        return component.is_free_running && has_no_period;
      });
  return found == graph.components.end() ? nullptr : &*found;
}

SchedulerStopReason run_in_wall_time(Engine& engine, const PlayBounds& bounds) {
  WallRun run(engine, bounds, false);
  if (!run.start()) return SchedulerStopReason::kError;
  const bool is_stepped = engine.domain(0).pace() == PaceType::kManual && bounds.steps;
  if (is_stepped) {
    static_cast<void>(run.step_manual(0, *bounds.steps));
    run.request_end(SchedulerStopReason::kTickBound);
  }
  return run.wait();
}

}  // namespace

base::Status check_options(const CompiledGraph& graph, const RuntimeRunnerOptions& options) {
  const auto refuse = [](std::string message) {
    return base::fail(base::ErrorCode::kInvalidArgument, std::move(message));
  };
  for (const TimedInjection& injection : options.injections) {
    const auto component = graph.find_component(injection.component);
    if (!component || !graph.components[*component].is_host_driven) {
      return refuse(
          base::format("'{}' is no input that values can be given to", injection.component));
    }
  }
  if (!options.virtual_time) return {};
  if (options.steps || options.until_idle) return {};
  if (!options.duration) {
    return refuse("Virtual time needs a bound: a number of steps, a duration, or until idle");
  }
  const CompiledComponent* stopper = find_clock_stopper(graph);
  if (stopper == nullptr) return {};
  return refuse(base::format(
      "A duration is no bound here: '{}' runs in every epoch, and no time passes between them; "
      "give a number of steps",
      stopper->id));
}

RuntimeRunnerResult RuntimeRunner::run(const CompiledGraph& graph,
                                       const ComponentRegistry& registry,
                                       const RuntimeRunnerOptions& options) {
  if (const base::Status status = check_options(graph, options); !status) {
    RuntimeRunnerResult result;
    result.errors.push_back({.phase = "configure",
                             .component = {},
                             .lane = {},
                             .code = "bad_options",
                             .message = status.error().message()});
    return result;
  }
  Engine engine(graph, registry, options, false);
  if (!engine.start()) return engine.result();
  const PlayBounds bounds{
      .steps = options.steps, .duration = options.duration, .until_idle = options.until_idle};
  if (!options.virtual_time) {
    engine.finish(run_in_wall_time(engine, bounds));
    return engine.result();
  }
  if (!graph.domains.empty() && graph.domains.front().pace == PaceType::kManual && options.steps) {
    engine.domain(0).allow_steps(*options.steps);
  }
  engine.finish(engine.play(bounds));
  return engine.result();
}

}  // namespace millrace::graph
