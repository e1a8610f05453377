#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/format.h"
#include "case_graph.h"
#include "graph/compile/compiled_graph.h"
#include "graph/compile/component_registry.h"
#include "graph/format/graph_file.h"
#include "outcome_text.h"
#include "reference_run.h"

namespace millrace::graph_reference {

using Lines = std::vector<std::string>;

/// Asks the compiler of the engine; `why` gets its report.
inline bool is_valid(const std::string& yaml, std::string& why) {
  static const graph::ComponentRegistry registry = graph::builtin_registry();
  const graph::CompileResult result = graph::compile_text(yaml, graph::TextFormat::kYaml, registry);
  why = result.report.to_text("case");
  return result.graph.has_value();
}

inline Outcome run(const CaseGraph& graph) {
  std::string why;
  const bool is_good = is_valid(graph.yaml(), why);
  EXPECT_TRUE(is_good) << why << graph.yaml();
  if (!is_good) return {};
  const graph::GraphFile file(graph.yaml(), graph::TextFormat::kYaml, {});
  return run_reference(file.spec(), graph.options);
}

/// The values that one component printed.
inline Lines printed(const Outcome& outcome, const std::string& component = "out") {
  Lines values;
  for (const OutputLine& line : outcome.lines) {
    if (line.component == component) values.push_back(line.value);
  }
  return values;
}

/// When the invocations of a component began, in milliseconds.
inline std::vector<std::int64_t> begins(const Outcome& outcome, const std::string& component) {
  std::vector<std::int64_t> times;
  for (const ExecutionSpan& span : outcome.executions) {
    if (span.component != component) continue;
    times.push_back(std::chrono::duration_cast<std::chrono::milliseconds>(span.begin).count());
  }
  return times;
}

/// When the epochs of a domain began, in milliseconds.
inline std::vector<std::int64_t> tick_times(const Outcome& outcome, const std::string& domain) {
  std::vector<std::int64_t> times;
  for (const EpochSpan& span : outcome.epoch_spans) {
    if (span.domain != domain) continue;
    times.push_back(std::chrono::duration_cast<std::chrono::milliseconds>(span.begin).count());
  }
  return times;
}

/// `name` without `runtime.`, with the label in braces.
inline double metric(const Outcome& outcome, const std::string& name) {
  const auto found = outcome.metrics.find("runtime." + name);
  return found == outcome.metrics.end() ? 0 : found->second;
}

inline std::string queue(int capacity, const std::string& overflow) {
  return base::format(
      "kind: immediate, policy: {{mode: queue, capacity: {}, overflow: {}}}", capacity, overflow);
}

}  // namespace millrace::graph_reference
