#pragma once

#include <string>
#include <vector>

#include "base/formats/json_writer.h"
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
/// Gives the same for people, in a few lines.
[[nodiscard]] std::string run_summary(const CompiledGraph& graph,
                                      const RuntimeRunnerResult& result);

/// Writes the member `health_events`.
void write_health_events(const CompiledGraph& graph,
                         const std::vector<HealthEvent>& events,
                         base::JsonWriter& json);

/// Writes descriptors and values of all metrics.
void write_metrics_json(const RuntimeRunnerResult& result, base::JsonWriter& json);
/// Gives the values that are not 0, one per line.
[[nodiscard]] std::string metrics_text(const RuntimeRunnerResult& result);

void write_why_json(const WhyReport& report, base::JsonWriter& json);
[[nodiscard]] std::string why_text(const WhyReport& report);

}  // namespace millrace::graph
