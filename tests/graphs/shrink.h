#pragma once

#include <functional>

#include "random_graph.h"

namespace millrace::graph_reference {

/// Says whether a graph still shows what is looked for.
using Shows = std::function<bool(const GraphModel&)>;

/// Takes parts out of a graph, one after another, as long as it still `shows` the same: components
/// with their edges, edges, loops, optional fields, injections, steps.
[[nodiscard]] GraphModel shrink(GraphModel model, const Shows& shows);

}  // namespace millrace::graph_reference
