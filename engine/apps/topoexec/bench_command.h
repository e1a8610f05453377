#pragma once

#include "apps/topoexec/graph_input.h"
#include "apps/topoexec/outcome.h"

namespace millrace::topoexec {

/// Runs a graph several times with the same bounds and prints how long its epochs and invocations
/// took. Without a bound each run has 10 000 epochs.
[[nodiscard]] Outcome bench_graph(const GraphInput& input);

}  // namespace millrace::topoexec
