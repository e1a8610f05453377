#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graph/compile/compiled_graph.h"
#include "graph/format/diagnostic.h"
#include "graph/run/run_result.h"
#include "graph/run/runtime.h"
#include "tasks/pinned_state.h"

// The JSON of `GET /v1/graphs` and what lies below it.

namespace millrace::bridge {

/// How the graph is, in words.
struct GraphFacts {
  std::string_view state;
  std::optional<std::string> problem = {};
};

/// What a page shows besides.
struct PageTables {
  std::vector<graph::RuntimeMetric> metrics = {};
  std::shared_ptr<const tasks::PinnedState> pinned = {};
};

/// Of a run in progress or of its result; one of them may be missing.
[[nodiscard]] graph::RunOverview overview_of(
    const graph::Runtime* runtime, const std::optional<graph::RuntimeRunnerResult>& result);
[[nodiscard]] std::vector<graph::RuntimeMetric> metrics_of(
    const graph::Runtime* runtime, const std::optional<graph::RuntimeRunnerResult>& result);

/// Name, state, problem, epochs.
[[nodiscard]] std::string graph_summary(const graph::CompiledGraph& graph,
                                        const GraphFacts& facts,
                                        const graph::RunOverview& overview);
/// The same, and lanes, health events, tables, and what `topoexec graph plan` prints.
[[nodiscard]] std::string graph_page(const graph::CompiledGraph& graph,
                                     const graph::DiagnosticReport& report,
                                     const GraphFacts& facts,
                                     const graph::RunOverview& overview,
                                     const PageTables& tables);

}  // namespace millrace::bridge
