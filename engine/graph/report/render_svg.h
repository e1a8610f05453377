#pragma once

#include <string>

#include "graph/compile/compiled_graph.h"

namespace millrace::graph {

/// Gives a picture of the graph: components in layers from left to right, colours by domain,
/// strokes by kind of edge.
[[nodiscard]] std::string render_svg(const CompiledGraph& graph);

}  // namespace millrace::graph
