#pragma once

#include "base/result.h"
#include "graph/compile/compiled_graph.h"
#include "graph/compile/component_registry.h"
#include "graph/run/run_options.h"
#include "graph/run/run_result.h"

namespace millrace::graph {

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
