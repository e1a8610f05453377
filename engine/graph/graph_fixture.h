#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "base/format.h"
#include "graph/compile/compiled_graph.h"
#include "graph/compile/component_registry.h"
#include "graph/format/diagnostic.h"
#include "graph/format/graph_file.h"

namespace millrace::graph {

inline CompileResult compile_yaml(std::string_view text) {
  static const ComponentRegistry registry = builtin_registry();
  return compile_text(text, TextFormat::kYaml, registry);
}

inline CompiledGraph compile_good(std::string_view text) {
  CompileResult result = compile_yaml(text);
  EXPECT_TRUE(result.graph) << result.report.to_text("graph");
  return result.graph ? *std::move(result.graph) : CompiledGraph();
}

/// `code path line:column` of each diagnostic.
inline std::vector<std::string> list_diagnostics(const DiagnosticReport& report) {
  std::vector<std::string> list;
  for (const base::Problem& problem : report.problems()) {
    list.push_back(base::format(
        "{} {} {}:{}", to_string(problem.code), problem.path, problem.line, problem.column));
  }
  return list;
}

inline std::vector<std::string> diagnose(std::string_view text) {
  return list_diagnostics(compile_yaml(text).report);
}

/// A file from its parts, each in the flow style. Kind `internal_test`, so boundaries may be
/// absent.
struct GraphText {
  std::vector<std::string> lanes = {"main: {type: event_loop}"};
  std::vector<std::string> components = {};
  std::vector<std::string> edges = {};
  std::vector<std::string> loops = {};

  [[nodiscard]] std::string text() const {
    std::string all = "schema_version: 1\ngraph: {name: t, kind: internal_test}\n";
    all += "lanes:\n";
    for (const std::string& lane : lanes) all += "  " + lane + "\n";
    all += list("components", components) + list("edges", edges);
    if (!loops.empty()) all += list("composite_loops", loops);
    return all;
  }

  /// Adds a component that any input triggers.
  GraphText& step(std::string_view id, std::string_view execution = "lane: main") {
    components.push_back(base::format(
        "{{id: {}, type: core.linear, trigger_policy: {{type: any_input}}, execution: {{{}}}}}",
        id,
        execution));
    return *this;
  }
  /// Adds a component that publishes three integers.
  GraphText& source(std::string_view id, std::string_view execution = "lane: main") {
    components.push_back(base::format(
        "{{id: {}, type: core.counter, config: {{count: 3}}, execution: {{{}}}}}", id, execution));
    return *this;
  }
  GraphText& edge(std::string_view from, std::string_view to, std::string_view kind = "immediate") {
    edges.push_back(base::format(
        "{{id: e{}, kind: {}, from: {}.out, to: {}.in}}", edges.size(), kind, from, to));
    return *this;
  }

 private:
  static std::string list(std::string_view name, const std::vector<std::string>& items) {
    if (items.empty()) return base::format("{}: []\n", name);
    std::string all = base::format("{}:\n", name);
    for (const std::string& item : items) all += "  - " + item + "\n";
    return all;
  }
};

/// Ids of the regions in order.
inline std::vector<std::string> region_ids(const CompiledGraph& graph) {
  std::vector<std::string> ids;
  for (const CompiledRegion& region : graph.regions) ids.push_back(region.id);
  return ids;
}

/// Ids of the regions of each stage.
inline std::vector<std::vector<std::string>> stage_ids(const CompiledGraph& graph) {
  std::vector<std::vector<std::string>> stages;
  for (const auto& stage : graph.stages) {
    stages.emplace_back();
    for (const std::uint32_t region : stage) stages.back().push_back(graph.regions[region].id);
  }
  return stages;
}

}  // namespace millrace::graph
