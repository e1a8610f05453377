#pragma once

#include "apps/topoexec/flags.h"
#include "apps/topoexec/graph_input.h"
#include "apps/topoexec/outcome.h"

namespace millrace::topoexec {

/// Runs a graph in wall time and shows what it is doing: on a terminal a table that is drawn again
/// and again, else one table or JSON object after the other. What its `core.stdout` would print is
/// not shown.
[[nodiscard]] Outcome observe_graph(const GraphInput& input);

/// Whether what `observe` was given is an address and no file.
[[nodiscard]] bool names_address(const Flags& flags);
/// Shows what a graph in another process is doing, which was started with `run --admin`.
[[nodiscard]] Outcome observe_address(const Flags& flags);
/// Asks a graph in another process why a component ran, or did not.
[[nodiscard]] Outcome ask_why(const Flags& flags);

}  // namespace millrace::topoexec
