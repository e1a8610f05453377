#pragma once

#include "graph/compile/compiled_graph.h"
#include "graph/compile/component_registry.h"
#include "graph/run/run_options.h"
#include "reference_run.h"

namespace millrace::graph_reference {

/// The same options for the engine, with trace and outputs.
[[nodiscard]] graph::RuntimeRunnerOptions engine_options(const RunOptions& options);

/// Runs a graph with the engine in virtual time, and gives what the reference interpreter gives.
[[nodiscard]] Outcome run_engine(const graph::CompiledGraph& graph,
                                 const graph::ComponentRegistry& registry,
                                 const RunOptions& options,
                                 bool is_traced = true);

}  // namespace millrace::graph_reference
