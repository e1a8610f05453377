#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/formats/json_writer.h"
#include "graph/body/message.h"
#include "graph/compile/compiled_graph.h"
#include "graph/run/run_result.h"
#include "graph/run/why.h"
#include "graph/watch/health.h"

namespace millrace::graph {

/// The line that a `core.stdout` prints for one message: component, epoch, value, and time and ids
/// if its config asks for them.
[[nodiscard]] std::string output_line(const CompiledGraph& graph, const OutputRecord& output);

/// Writes how a run went as one JSON object.
void write_run_json(const CompiledGraph& graph,
                    const RuntimeRunnerResult& result,
                    base::JsonWriter& json);
/// What a run is doing at the moment.
struct RunStatus {
  bool is_paused = false;
  bool has_ended = false;
  Duration time{};  ///< since it was started
};
/// Writes the state of a run in progress: `status` (`running`, `paused` or `ended`), `time_ms`, and
/// the members of `write_run_json`.
void write_status_json(const CompiledGraph& graph,
                       const RuntimeRunnerResult& result,
                       const RunStatus& status,
                       base::JsonWriter& json);
/// Gives the same for people, in a few lines.
[[nodiscard]] std::string run_summary(const CompiledGraph& graph,
                                      const RuntimeRunnerResult& result);

/// Writes what `health_events` of `write_run_json` has, as an array.
void write_health_json(const CompiledGraph& graph,
                       const std::vector<HealthEvent>& events,
                       base::JsonWriter& json);
/// Writes the tables of state as one object, or only the one of that name.
void write_state_json(const RuntimeRunnerResult& result,
                      std::string_view table,
                      base::JsonWriter& json);

/// Writes descriptors and values of all metrics.
void write_metrics_json(const RuntimeRunnerResult& result, base::JsonWriter& json);
/// Gives the values that are not 0, one per line.
[[nodiscard]] std::string metrics_text(const RuntimeRunnerResult& result);

void write_why_json(const WhyReport& report, base::JsonWriter& json);
[[nodiscard]] std::string why_text(const WhyReport& report);

}  // namespace millrace::graph
