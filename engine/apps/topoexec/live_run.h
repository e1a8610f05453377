#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "apps/topoexec/graph_input.h"
#include "apps/topoexec/run_session.h"
#include "base/result.h"
#include "graph/compile/compiled_graph.h"
#include "graph/run/config_updates.h"
#include "graph/run/run_options.h"
#include "graph/run/run_result.h"

namespace millrace::topoexec {

/// Runs a graph in wall time until a bound is reached or a stop is requested. With `--admin` it can
/// be asked meanwhile; SIGHUP reads the config values of its file again. Fails if the address of
/// `--admin` cannot be used; errors of the run are in the result.
[[nodiscard]] base::Result<graph::RuntimeRunnerResult> run_live(
    const GraphInput& input, RunSession& session, graph::RuntimeRunnerOptions options);

/// The components whose config differs in a newer form of the graph. Fails if anything else
/// differs: components, their types, edges and lanes stay as they are while a graph runs.
[[nodiscard]] base::Result<std::vector<graph::ConfigUpdate>> find_config_changes(
    const graph::CompiledGraph& running, const graph::CompiledGraph& newer);

}  // namespace millrace::topoexec
