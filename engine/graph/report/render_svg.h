#pragma once

#include <string>

#include "base/formats/json_writer.h"
#include "graph/compile/compiled_graph.h"

namespace millrace::graph {

/// Gives a picture of the graph: components in layers from left to right, colours by domain,
/// strokes by kind of edge.
[[nodiscard]] std::string render_svg(const CompiledGraph& graph);

/// Writes where boxes and lines of that picture are, for programs that draw it themselves.
void write_picture_json(const CompiledGraph& graph, base::JsonWriter& json);

}  // namespace millrace::graph
