#pragma once

#include <istream>

#include "base/result.h"
#include "graph/compile/compiled_graph.h"
#include "graph/compile/component_registry.h"
#include "graph/record/record_file.h"
#include "graph/record/replay_result.h"

namespace millrace::graph {

/// Runs a recorded graph again, one thing at a time. Tasks and everything else outside are not
/// asked again: their answers are in the record. `stream` is at the begin of the record that `file`
/// was read from. Fails if the record can no longer be read.
[[nodiscard]] base::Result<ReplayResult> replay(const RecordFile& file,
                                                std::istream& stream,
                                                const CompiledGraph& graph,
                                                const ComponentRegistry& registry,
                                                const ReplayOptions& options = {});

}  // namespace millrace::graph
