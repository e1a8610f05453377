#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "graph/body/message.h"
#include "graph/payload.h"
#include "graph/watch/graph_event.h"
#include "graph/watch/health.h"

namespace millrace::graph {

/// Why a run ended.
enum class SchedulerStopReason : std::uint8_t {
  kNotStarted,
  kTickBound,
  kDurationBound,
  kIdle,
  kStopRequested,
  kError,
};

/// Gives `not_started`, `tick_bound`, `duration_bound`, `idle`, `stop_requested` or `error`.
[[nodiscard]] std::string_view to_string(SchedulerStopReason reason);

/// Why a run failed. `phase` and `code` are from the closed lists of the contract.
struct RunError {
  std::string phase;
  std::string component;  ///< or the id of the loop; empty if none is to blame
  std::string lane;
  std::string code;
  std::string message;
};

/// What a `core.stdout` or `core.output` gave to the host.
struct OutputRecord {
  std::uint32_t component = 0;  ///< index in the compiled graph
  std::uint64_t epoch = 0;
  Duration time{};  ///< at which the invocation began
  Payload value = {};
  std::string correlation = {};  ///< `<component>#<count>`
  std::string causation = {};    ///< `<edge>#<number>`; empty for what the host injected
};

/// The value of one series of a metric.
struct RuntimeMetric {
  std::string_view name;
  double value = 0;  ///< of a histogram: how many observations
  std::string lane = {};
  std::string component_id = {};
  std::string channel_id = {};
};

struct StateEntry {
  std::string key;
  Payload value;
};

struct StateTableView {
  std::string name;
  std::uint64_t epoch = 0;  ///< that made the last change
  std::vector<StateEntry> values = {};
};

struct LoopStop {
  std::string loop;
  std::string reason;  ///< of its last end; empty if it never ran
};

/// The state of a component at the end of a run, for the next one.
struct ComponentSnapshot {
  std::string component;
  Payload state;
};

struct DomainEpochs {
  std::string domain;
  std::uint64_t epochs = 0;
};

/// A setting that a lane asked the system for, and what it got.
struct LaneSettingReport {
  std::string lane;
  std::string field;
  std::string requested;
  std::string effective;  ///< as read back
  int error = 0;          ///< errno of a refusal; 0: none

  bool operator==(const LaneSettingReport&) const = default;
};

/// How a run went.
struct RuntimeRunnerResult {
  bool ok = false;
  SchedulerStopReason scheduler_stop_reason = SchedulerStopReason::kNotStarted;
  std::vector<DomainEpochs> epochs = {};  ///< by rank
  std::uint64_t invocations = 0;
  Duration time{};  ///< of the run when it ended
  std::vector<RunError> errors = {};
  std::vector<LoopStop> loop_stop_reason = {};
  std::vector<HealthEvent> health_events = {};
  std::vector<RuntimeMetric> runtime_metrics = {};
  std::vector<StateTableView> state = {};
  std::vector<LaneSettingReport> lane_settings = {};
  std::vector<ComponentSnapshot> snapshots = {};
  /// If `keep_outputs` was asked for: in the order in which they were committed.
  std::vector<OutputRecord> outputs = {};
  /// If `trace` was asked for: in order of emission.
  std::vector<GraphEvent> events = {};
  std::uint64_t events_dropped = 0;

  /// The value of a metric: its series with that lane, component or channel, or the sum of all
  /// series; 0 if there is none.
  [[nodiscard]] double metric(std::string_view name, std::string_view label_value = {}) const;
};

}  // namespace millrace::graph
