#pragma once

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "graph/compile/compiled_graph.h"
#include "graph/compile/component_registry.h"
#include "graph/format/graph_file.h"
#include "graph/run/run_options.h"
#include "graph/run/run_result.h"
#include "graph/run/runtime_runner.h"

namespace millrace::bridge {

/// A graph of one lane `main`: components and edges in flow style.
inline std::string graph_text(const std::vector<std::string>& components,
                              const std::vector<std::string>& edges) {
  std::string text =
      "schema_version: 1\ngraph: {name: t, kind: internal_test}\n"
      "lanes:\n  main: {type: event_loop}\ncomponents:\n";
  for (const std::string& component : components) {
    text += "  - {" + component + ", execution: {lane: main}}\n";
  }
  text += "edges:\n";
  for (const std::string& edge : edges) {
    text += "  - {" + edge + ", policy: {mode: queue, capacity: 64}}\n";
  }
  return text;
}

inline graph::RuntimeRunnerResult run_graph(const std::string& text,
                                            const graph::ComponentRegistry& registry,
                                            graph::RuntimeRunnerOptions options = {}) {
  const graph::CompileResult compiled =
      graph::compile_text(text, graph::TextFormat::kYaml, registry);
  EXPECT_TRUE(compiled.graph) << compiled.report.to_text("graph");
  if (!compiled.graph) return {};
  options.virtual_time = options.keep_outputs = true;
  if (!options.steps && !options.duration) options.until_idle = true;
  return graph::RuntimeRunner::run(*compiled.graph, registry, options);
}

inline std::vector<std::string> values(const graph::RuntimeRunnerResult& result) {
  std::vector<std::string> list;
  for (const graph::OutputRecord& output : result.outputs) list.push_back(output.value.to_json());
  return list;
}

/// What the compiler says about a file that is wrong.
inline std::string report_of(const std::string& text, const graph::ComponentRegistry& registry) {
  return graph::compile_text(text, graph::TextFormat::kYaml, registry).report.to_text("graph");
}

}  // namespace millrace::bridge
