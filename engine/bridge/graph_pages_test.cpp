#include "bridge/graph_pages.h"

#include <optional>

#include <gtest/gtest.h>

#include "bridge/bridge_fixture.h"
#include "graph/compile/component_registry.h"

namespace millrace::bridge {
namespace {

TEST(GraphPagesTest, S59_TheSummaryHasNameStateProblemAndEpochs) {
  const graph::ComponentRegistry types = graph::builtin_registry();
  const auto compiled = graph::compile_text(
      graph_text({"id: n, type: core.counter, config: {count: 2}",
                  "id: o, type: core.output, trigger_policy: {type: any_input}"},
                 {"id: e, kind: immediate, from: n.out, to: o.in"}),
      graph::TextFormat::kYaml,
      types);
  const std::optional<graph::RuntimeRunnerResult> none;
  EXPECT_EQ(graph_summary(*compiled.graph, {.state = "loaded"}, overview_of(nullptr, none)),
            R"({"name":"t","state":"loaded","epochs":{}})");
  EXPECT_TRUE(metrics_of(nullptr, none).empty());
  graph::RuntimeRunnerResult result;
  result.epochs = {{.domain = "main", .epochs = 7}};
  result.runtime_metrics = {{.name = "x", .value = 1}};
  EXPECT_EQ(
      graph_summary(
          *compiled.graph, {.state = "failed", .problem = "no"}, overview_of(nullptr, result)),
      R"({"name":"t","state":"failed","problem":"no","epochs":{"main":7}})");
  EXPECT_EQ(metrics_of(nullptr, result).size(), 1U);
}

}  // namespace
}  // namespace millrace::bridge
