#pragma once

#include <cstdint>
#include <istream>
#include <optional>
#include <string>

#include "base/result.h"
#include "graph/compile/compiled_graph.h"
#include "graph/compile/component_registry.h"
#include "graph/record/record_file.h"
#include "graph/run/run_result.h"

namespace millrace::graph {

/// The first entry in which a replay differs from its record.
struct Divergence {
  std::string domain = {};
  std::uint64_t epoch = 0;
  std::string place = {};     ///< a component or edge, or the kind of the entry
  std::string recorded = {};  ///< the member of the entry that differs
  std::string now = {};
  std::uint64_t line = 0;  ///< of the record
};

struct ReplayResult {
  std::optional<Divergence> first_divergence = {};
  RuntimeRunnerResult run = {};

  [[nodiscard]] bool is_same() const { return !first_divergence; }
};

struct ReplayOptions {
  bool trace = false;
  bool keep_outputs = false;
};

/// Runs a recorded graph again on one thread. Tasks and everything else outside are not asked
/// again: their answers are in the record. `stream` is at the begin of the record that `file` was
/// read from. Fails if the record can no longer be read.
[[nodiscard]] base::Result<ReplayResult> replay(const RecordFile& file,
                                                std::istream& stream,
                                                const CompiledGraph& graph,
                                                const ComponentRegistry& registry,
                                                const ReplayOptions& options = {});

}  // namespace millrace::graph
