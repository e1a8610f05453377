#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/format.h"
#include "base/result.h"
#include "graph/body/component.h"
#include "graph/body/graph_context.h"
#include "graph/compile/compiled_graph.h"
#include "graph/compile/component_registry.h"
#include "graph/compile/descriptor.h"
#include "graph/graph_fixture.h"
#include "graph/run/run_result.h"
#include "graph/run/runtime_runner.h"

namespace millrace::graph {

/// A component whose body is a function.
class FunctionComponent final : public Component {
 public:
  using Body = std::function<base::Status(const Invocation&, GraphContext&)>;
  explicit FunctionComponent(Body body) : body_(std::move(body)) {}
  base::Status execute(const Invocation& invocation, GraphContext& context) override {
    return body_(invocation, context);
  }

 private:
  Body body_;
};

/// The built-in types and further ones: any inputs, the output `out`.
class TestTypes {
 public:
  TestTypes() : registry_(builtin_registry()) {}
  TestTypes& add(std::string type, ComponentFactory factory, std::vector<ConfigField> config = {}) {
    EXPECT_TRUE(registry_.add({.type = std::move(type),
                               .about = "",
                               .outputs = {{.name = "out"}},
                               .takes_any_input = true,
                               .config = std::move(config)},
                              std::move(factory)));
    return *this;
  }
  TestTypes& add_body(std::string type, FunctionComponent::Body body) {
    return add(std::move(type), [body] { return std::make_unique<FunctionComponent>(body); });
  }
  [[nodiscard]] const ComponentRegistry& registry() const { return registry_; }

  [[nodiscard]] CompiledGraph compile(std::string_view text) const {
    CompileResult result = compile_text(text, TextFormat::kYaml, registry_);
    EXPECT_TRUE(result.graph) << result.report.to_text("graph");
    return result.graph ? *std::move(result.graph) : CompiledGraph();
  }

 private:
  ComponentRegistry registry_;
};

/// A graph of parts in flow style, and its run in virtual time.
struct RunText {
  std::vector<std::string> lanes = {"main: {type: event_loop}"};
  std::vector<std::string> components = {};
  std::vector<std::string> edges = {};
  std::vector<std::string> loops = {};
  std::string tasks = {};

  [[nodiscard]] std::string text() const {
    std::string all =
        "schema_version: 1\ngraph: {name: t, kind: internal_test" + tasks + "}\nlanes:\n";
    for (const std::string& lane : lanes) all += "  " + lane + "\n";
    add("components", components, all);
    add("edges", edges, all);
    if (!loops.empty()) add("composite_loops", loops, all);
    return all;
  }

  static void add(std::string_view name, const std::vector<std::string>& items, std::string& all) {
    all += base::format("{}:{}\n", name, items.empty() ? " []" : "");
    for (const std::string& item : items) all += "  - {" + item + "}\n";
  }
};

inline RuntimeRunnerResult run_graph(const RunText& parts,
                                     RuntimeRunnerOptions options = {},
                                     const TestTypes& types = {}) {
  const CompiledGraph graph = types.compile(parts.text());
  options.virtual_time = true;
  options.keep_outputs = true;
  if (!options.steps && !options.duration) options.until_idle = true;
  return RuntimeRunner::run(graph, types.registry(), options);
}

/// The same on threads, until idle unless a bound is given.
inline RuntimeRunnerResult run_graph_in_wall_time(const RunText& parts,
                                                  RuntimeRunnerOptions options = {},
                                                  const TestTypes& types = {}) {
  const CompiledGraph graph = types.compile(parts.text());
  options.virtual_time = false;
  options.keep_outputs = true;
  return RuntimeRunner::run(graph, types.registry(), options);
}

/// `value` of each output, or `value@epoch` or `value@milliseconds`.
inline std::vector<std::string> values(const RuntimeRunnerResult& result) {
  std::vector<std::string> list;
  for (const OutputRecord& output : result.outputs) list.push_back(output.value.to_json());
  return list;
}
inline std::vector<std::string> values_and_epochs(const RuntimeRunnerResult& result) {
  std::vector<std::string> list;
  for (const OutputRecord& output : result.outputs) {
    list.push_back(base::format("{}@{}", output.value.to_json(), output.epoch));
  }
  return list;
}
inline std::vector<std::string> values_and_times(const RuntimeRunnerResult& result) {
  std::vector<std::string> list;
  for (const OutputRecord& output : result.outputs) {
    list.push_back(base::format("{}@{}", output.value.to_json(), output.time.count() / 1'000'000));
  }
  return list;
}

using Strings = std::vector<std::string>;

}  // namespace millrace::graph
