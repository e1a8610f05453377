#pragma once

#include <string>

#include "base/formats/json_writer.h"
#include "graph/compile/compiled_graph.h"
#include "graph/run/run_result.h"

namespace millrace::graph {

/// Writes the trace events of a run as one JSON object, in order of emission.
void write_trace_json(const CompiledGraph& graph,
                      const RuntimeRunnerResult& result,
                      base::JsonWriter& json);
/// Gives one line per event, for people.
[[nodiscard]] std::string trace_text(const CompiledGraph& graph, const RuntimeRunnerResult& result);
/// Gives the spans and instants in the format of Chrome's tracing page and of Perfetto: a process
/// per domain, a thread per lane or worker.
[[nodiscard]] std::string chrome_trace(const CompiledGraph& graph,
                                       const RuntimeRunnerResult& result);

}  // namespace millrace::graph
