#pragma once

#include <string>

#include "base/formats/json_writer.h"
#include "graph/compile/compiled_graph.h"
#include "graph/format/diagnostic.h"

namespace millrace::graph {

/// Writes the compiled graph as one JSON object: domains, regions in order, stages, edges, what
/// each lane does, and the warnings.
void write_plan_json(const CompiledGraph& graph,
                     const DiagnosticReport& report,
                     base::JsonWriter& json);

/// Gives the same for people: domains, then their stages with the regions in the order in which
/// they run.
[[nodiscard]] std::string plan_text(const CompiledGraph& graph);

/// Gives `main (grid, every 20ms)`.
[[nodiscard]] std::string domain_text(const DomainPlan& domain);

}  // namespace millrace::graph
