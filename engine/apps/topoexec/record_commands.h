#pragma once

#include "apps/topoexec/flags.h"
#include "apps/topoexec/graph_input.h"
#include "apps/topoexec/outcome.h"
#include "base/result.h"
#include "graph/compile/component_registry.h"
#include "graph/run/run_options.h"
#include "graph/run/run_result.h"

namespace millrace::topoexec {

/// Runs a graph; if the flags name a record, writes it. Fails if the file cannot be opened. That it
/// could not be written to its end is an error of the run.
[[nodiscard]] base::Result<graph::RuntimeRunnerResult> run_and_record(
    const GraphInput& input, graph::RuntimeRunnerOptions options);

/// Replays the record that the flags name and prints the first difference.
[[nodiscard]] Outcome replay_record(const Flags& flags, const graph::ComponentRegistry& types);

}  // namespace millrace::topoexec
