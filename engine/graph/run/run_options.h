#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/metrics/metrics_registry.h"
#include "graph/body/message.h"
#include "graph/payload.h"
#include "graph/run/run_result.h"
#include "loop/stop.h"

namespace millrace::graph {

class RunJournal;

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
  /// Where the time of a run in wall time comes from; nullptr: the machine's steady clock.
  const base::Clock* clock = nullptr;

  /// Given to the graph while it runs, in order of time.
  std::vector<TimedInjection> injections = {};
  /// State of an earlier run.
  std::vector<ComponentSnapshot> snapshots = {};
  /// Gives lines for `core.stdin` until there are no more; empty: there are none. In wall time a
  /// thread of its own calls it, and it may wait.
  std::function<std::optional<std::string>()> standard_input = {};
  /// Called at the end of a run in wall time: a call of `standard_input` that waits returns
  /// nothing.
  std::function<void()> close_input = {};
  /// Called for each output as it is committed.
  std::function<void(const OutputRecord&)> on_output = {};
  bool keep_outputs = false;
  /// Of use to `Runtime` only: whether a host injects values, takes those of `core.output` one by
  /// one and steps manual lanes. Without one, outputs are not kept for it, and a run in wall time
  /// that has nothing to do does not wait for it.
  bool is_hosted = true;
  bool trace = false;
  std::size_t trace_events_max = std::size_t{1} << 20U;
  /// Where the cells of the run's metrics are registered while it runs; may be nullptr.
  base::MetricsRegistry* metrics = nullptr;
  /// Records or replays the run; may be nullptr. Of use to `RuntimeRunner` only.
  RunJournal* journal = nullptr;
};

}  // namespace millrace::graph
