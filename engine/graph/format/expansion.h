#pragma once

#include "base/formats/json_document.h"
#include "graph/format/limits.h"
#include "graph/format/reporter.h"

namespace millrace::graph {

/// Whether a file has subgraphs or templates.
[[nodiscard]] bool needs_expansion(const base::JsonDocument& document);

/// Writes the file out: subgraphs and template instances become plain components, edges and loops
/// behind those of the root. Places stay those of the file, and `origins` gets the paths that the
/// copied items have there. What is wrong with subgraphs, templates and instances themselves is
/// reported; their content is checked later, where it was copied to.
void expand(const base::JsonDocument& document,
            const GraphLimits& limits,
            Reporter& reporter,
            base::JsonDocument& expanded,
            base::OriginPaths& origins);

}  // namespace millrace::graph
