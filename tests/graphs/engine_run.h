#pragma once

#include "graph/compile/compiled_graph.h"
#include "graph/compile/component_registry.h"
#include "reference_run.h"

namespace millrace::graph_reference {

/// Runs a graph with the engine in virtual time, and gives what the reference interpreter gives.
[[nodiscard]] Outcome run_engine(const graph::CompiledGraph& graph,
                                 const graph::ComponentRegistry& registry,
                                 const RunOptions& options);

}  // namespace millrace::graph_reference
