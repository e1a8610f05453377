#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/metrics/metrics_registry.h"
#include "base/result.h"
#include "graph/compile/compiled_graph.h"
#include "graph/compile/component_registry.h"
#include "graph/payload.h"
#include "graph/run/run_result.h"
#include "loop/stop.h"

namespace millrace::graph {

/// A value that a run of virtual time gives to a `core.input` at a time.
struct TimedInjection {
  Duration at{};
  std::string component;
  Payload value;
  std::optional<Duration> event_time = {};
};

/// Ends a run after an epoch of one domain, so that `why` can be asked about it.
struct EpochBound {
  std::uint32_t domain = 0;
  std::uint64_t epoch = 0;
};

struct RuntimeRunnerOptions {
  /// Ends the run: the epoch in progress ends, no other begins.
  loop::StopToken stop_token = {};
  /// Epochs of the domain of lowest rank. The run ends with the last of them.
  std::optional<std::uint64_t> steps = {};
  /// No epoch begins at or after it.
  std::optional<Duration> duration = {};
  /// Ends after the first epoch behind which nothing can happen without input from outside.
  bool until_idle = false;
  /// Plays all domains on one timeline and one thread; nothing sleeps.
  bool virtual_time = false;

  /// Given to the graph while it runs, in order of time.
  std::vector<TimedInjection> injections = {};
  /// State of an earlier run.
  std::vector<ComponentSnapshot> snapshots = {};
  /// Lines for `core.stdin`; nothing: there are none.
  std::function<std::optional<std::string>()> standard_input = {};
  /// Called for each output as it is committed.
  std::function<void(const OutputRecord&)> on_output = {};
  bool keep_outputs = false;
  bool trace = false;
  std::size_t trace_events_max = std::size_t{1} << 20U;
  /// Where the cells of the run's metrics are registered while it runs; may be nullptr.
  base::MetricsRegistry* metrics = nullptr;
};

/// Says whether a run with these options can end and can be told apart from a mistake: virtual time
/// needs a bound, and a duration is none where a free-running component stops the clock.
[[nodiscard]] base::Status check_options(const CompiledGraph& graph,
                                         const RuntimeRunnerOptions& options);

/// Runs a graph from start to end in one call.
class RuntimeRunner {
 public:
  /// Never fails as a call: errors of the run, and options that `check_options` refuses (reason
  /// `not_started`), are in the result. The registry must have a factory for every type used.
  [[nodiscard]] static RuntimeRunnerResult run(const CompiledGraph& graph,
                                               const ComponentRegistry& registry,
                                               const RuntimeRunnerOptions& options);
};

}  // namespace millrace::graph
