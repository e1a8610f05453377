#pragma once

#include <string>

#include "graph/compile/compiled_graph.h"

namespace millrace::graph {

/// Gives the graph as indented text: domains, stages, components, and the edges that leave each.
[[nodiscard]] std::string render_text(const CompiledGraph& graph);

/// Gives the graph as a Mermaid flowchart, one box around each domain and each composite loop.
[[nodiscard]] std::string render_mermaid(const CompiledGraph& graph);

}  // namespace millrace::graph
