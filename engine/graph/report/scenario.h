#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "graph/compile/compiled_graph.h"
#include "graph/compile/component_registry.h"
#include "graph/format/graph_file.h"
#include "graph/payload.h"
#include "graph/run/run_options.h"
#include "graph/run/run_result.h"

namespace millrace::graph {

struct ExpectedOutput {
  std::string component;
  Payload value;
  std::optional<std::uint64_t> epoch = {};
  std::optional<Duration> time = {};
};

/// A series of a metric, or the sum of all its series if `place` is empty.
struct ExpectedMetric {
  std::string name;
  std::string place;
  double value = 0;
};

/// An entry of a state table when the run has ended.
struct ExpectedState {
  std::string table;
  std::string key;
  Payload value;
};

/// A test of a graph as a file: which graph, how it is run, what it is given, what it must give.
struct Scenario {
  std::string graph;  ///< path, relative to the scenario
  RuntimeRunnerOptions options = {};
  /// Input components that the test replaces by a `core.input` of the same id, because they would
  /// ask a server.
  std::vector<std::string> stand_ins = {};
  std::vector<ExpectedOutput> expect = {};
  bool is_exact = false;  ///< nothing else may come
  std::vector<ExpectedMetric> metrics = {};
  std::vector<ExpectedState> state = {};
};

/// Reads a scenario strictly; an error says where in the text it is.
[[nodiscard]] base::Result<Scenario> read_scenario(std::string_view text);

/// Replaces the stand-ins of a scenario in a file that was read by types that it adds: as
/// `core.input`, with the outputs of what they stand for. Fails if one is not there, or is no input
/// boundary.
[[nodiscard]] base::Status use_stand_ins(const Scenario& scenario,
                                         ComponentRegistry& types,
                                         GraphFile& file);

/// What a run gave and should not, and the other way round, as lines.
struct ScenarioOutcome {
  bool ok = false;
  std::vector<std::string> missing = {};
  std::vector<std::string> unexpected = {};
};

/// Compares a run with a scenario. Outputs must come in the order in which they are expected.
[[nodiscard]] ScenarioOutcome judge(const CompiledGraph& graph,
                                    const Scenario& scenario,
                                    const RuntimeRunnerResult& result);

}  // namespace millrace::graph
