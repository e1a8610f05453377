#pragma once

#include <cstdint>
#include <string>

#include "base/formats/json_writer.h"
#include "graph/compile/compiled_graph.h"

namespace millrace::graph {

/// Writes one object about one component: where it runs, what triggers it, its edges, and its
/// settings as the file gives them and as they take effect.
void write_explanation_json(const CompiledGraph& graph,
                            std::uint32_t component,
                            base::JsonWriter& json);

/// Gives the same as sentences.
[[nodiscard]] std::string explanation_text(const CompiledGraph& graph, std::uint32_t component);

}  // namespace millrace::graph
