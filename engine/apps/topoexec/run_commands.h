#pragma once

#include "apps/topoexec/flags.h"
#include "apps/topoexec/graph_input.h"
#include "apps/topoexec/outcome.h"
#include "graph/compile/component_registry.h"

namespace millrace::topoexec {

/// Runs a graph in virtual time and prints what run, trace, metrics or why ask for.
[[nodiscard]] Outcome run_graph_command(const GraphInput& input);

/// Runs the scenario that the flags name and prints what differs from what it expects.
[[nodiscard]] Outcome run_scenario(const Flags& flags, const graph::ComponentRegistry& registry);

}  // namespace millrace::topoexec
