#pragma once

#include <istream>

#include "base/result.h"
#include "graph/compile/compiled_graph.h"
#include "graph/compile/component_registry.h"
#include "graph/record/record_file.h"
#include "graph/record/replay_result.h"

namespace millrace::graph {

/// Replays a run on threads. What its domains did under the lock of the run is done again section
/// by section, in the order of the record; one thread at a time does anything. Bodies are called,
/// but nothing waits: when they began and how long they took, what they were told about
/// cancellation and whether their tasks were taken on is in the record.
///
/// Two things are not repeated: an invocation that was given up is not called, so if its instance
/// comes back it may differ; and a body that reads a channel of several readers while the channel
/// overflows may read more.
[[nodiscard]] base::Result<ReplayResult> replay_threads(const RecordFile& file,
                                                        std::istream& stream,
                                                        const CompiledGraph& graph,
                                                        const ComponentRegistry& registry,
                                                        const ReplayOptions& options);

}  // namespace millrace::graph
