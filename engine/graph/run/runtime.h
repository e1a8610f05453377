#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/sync/mutex.h"
#include "graph/body/message.h"
#include "graph/compile/compiled_graph.h"
#include "graph/compile/component_registry.h"
#include "graph/payload.h"
#include "graph/run/config_updates.h"
#include "graph/run/run_options.h"
#include "graph/run/run_result.h"
#include "graph/run/why.h"
#include "graph/watch/health.h"

namespace millrace::graph {

class Engine;
class WallRun;
struct StateSnapshot;

/// What a run in progress has done.
struct RunOverview {
  std::vector<DomainEpochs> epochs = {};  ///< by rank
  std::uint64_t invocations = 0;
  Duration time{};
  std::vector<HealthEvent> health_events = {};
};

/// A graph in a program that lives with it. In virtual time the host moves the clock by `step` and
/// `run`; nothing happens in between. In wall time it runs on threads of its own from `start` to
/// `stop`, or until it ends by itself.
///
/// Threading: one thread calls `start`, `step`, `wait`, `run` and `stop`; in wall time any thread
/// may call the others between `start` and the end of `wait`. Lifetime: borrows graph, registry and
/// what the options point to.
class Runtime {
 public:
  Runtime(const CompiledGraph& graph,
          const ComponentRegistry& registry,
          RuntimeRunnerOptions options);
  ~Runtime();
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  /// Configures, activates, restores and resets all components. On failure those that were started
  /// are deactivated, and `result` has the error.
  [[nodiscard]] base::Status start();
  /// Runs epochs of one domain, as they become due; of a manual one whether due or not. An empty
  /// name is the domain of lowest rank. Gives how many there were. In wall time only a manual
  /// domain can be stepped.
  [[nodiscard]] base::Result<std::uint64_t> step(std::string_view domain = {},
                                                 std::uint64_t count = 1);
  /// Goes on until a bound of the options is reached, or nothing more can happen; in wall time
  /// waits for that.
  SchedulerStopReason run();
  /// In wall time waits until a bound is reached, a stop is requested or nothing more can happen.
  /// The components are still there afterwards, until `run` or `stop`.
  SchedulerStopReason wait();
  /// Gives a value to a `core.input`. Fails if there is none of that name, or it is full.
  [[nodiscard]] base::Status inject(std::string_view component,
                                    Payload value,
                                    std::optional<Duration> event_time = {});
  /// Takes the oldest value that a `core.output` holds, if any.
  [[nodiscard]] std::optional<OutputRecord> poll_output(std::string_view component);
  /// No epoch begins until `resume`.
  void pause();
  void resume();
  [[nodiscard]] bool is_paused() const;
  /// Whether no epoch will begin any more.
  [[nodiscard]] bool has_ended() const;
  /// Checks all, then applies all between two epochs of their domains; on a failure those already
  /// applied get their old configuration back, in reverse. In wall time waits for the epochs in
  /// progress there; fails if the run is told to end meanwhile.
  [[nodiscard]] base::Status update_config(std::span<const ConfigUpdate> updates);
  /// The state of the components that make snapshots.
  [[nodiscard]] base::Result<std::vector<ComponentSnapshot>> snapshot();
  /// Ends the run and deactivates the components in reverse order of start. Later calls do nothing.
  void stop();
  /// Why a component ran in the last epoch of its domain, or did not. Fails if there is none of
  /// that name.
  [[nodiscard]] base::Result<WhyReport> why(std::string_view component) const;
  /// What happened so far.
  [[nodiscard]] RuntimeRunnerResult result() const;
  /// The trace events from that one on, if `trace` was asked for; of a run in progress too.
  [[nodiscard]] std::vector<GraphEvent> events_from(std::size_t first) const;
  /// The values of the metrics now.
  [[nodiscard]] std::vector<RuntimeMetric> metrics() const;
  /// Where a run in progress is: less than `result`, and no copies of tables.
  [[nodiscard]] RunOverview overview() const;
  /// The state tables as the last epoch that wrote to them left them. Waits for nobody.
  [[nodiscard]] std::shared_ptr<const StateSnapshot> state() const;

 private:
  void finish(SchedulerStopReason reason);
  [[nodiscard]] base::Result<std::vector<ComponentSnapshot>> take_snapshot();

  std::unique_ptr<Engine> engine_;
  std::unique_ptr<WallRun> wall_;  // in wall time, between `start` and `stop`
  base::Mutex hold_mutex_;         // one caller at a time holds the epochs
};

}  // namespace millrace::graph
