#include "graph/compile/component_checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/compile/compiled_graph.h"
#include "graph/compile/component_registry.h"
#include "graph/compile/descriptor.h"
#include "graph/format/graph_file.h"
#include "graph/format/words.h"
#include "graph/graph_fixture.h"

namespace millrace::graph {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

ComponentRegistry typed_registry() {
  ComponentRegistry registry = builtin_registry();
  EXPECT_TRUE(registry.add({.type = "gh.Probe",
                            .about = "",
                            .role = BoundaryRole::kInput,
                            .outputs = {{.name = "out", .payload = "gh.Reading"}},
                            .finishes = Finishes::kAlways}));
  EXPECT_TRUE(
      registry.add({.type = "gh.Score",
                    .about = "",
                    .inputs = {{.name = "raw", .payload = "gh.Reading", .is_required = true},
                               {.name = "bias", .payload = "gh.Bias"}},
                    .outputs = {{.name = "out", .payload = "gh.Score"}}}));
  return registry;
}

TEST(ComponentChecksTest, PayloadTypesOfUsersMustFit) {
  GraphText graph;
  graph.components = {
      "{id: p, type: gh.Probe, execution: {lane: main}}",
      "{id: s, type: gh.Score, trigger_policy: {type: any_input}, execution: {lane: main}}"};
  graph.edges = {"{id: e, kind: immediate, from: p.out, to: s.raw}",
                 "{id: f, kind: delay, from: s.out, to: s.bias}"};
  const CompileResult result = compile_text(graph.text(), TextFormat::kYaml, typed_registry());
  EXPECT_THAT(list_diagnostics(result.report),
              ElementsAre("payload_type_mismatch edges[1].to 10:43"));
}

TEST(ComponentChecksTest, ARequiredInputNeedsAnEdgeAndAnOptionalOneWarns) {
  GraphText graph;
  graph.lanes = {"main: {type: fixed_rate}"};
  graph.components = {"{id: s, type: gh.Score, execution: {lane: main}}"};
  const CompileResult result = compile_text(graph.text(), TextFormat::kYaml, typed_registry());
  EXPECT_THAT(list_diagnostics(result.report),
              ElementsAre("missing_required_input components[0] 6:5",
                          "optional_input_unconnected components[0] 6:5"));
}

TEST(ComponentChecksTest, JsonFitsEverything) {
  EXPECT_TRUE(payload_fits("json", "gh.Score"));
  EXPECT_TRUE(payload_fits("number", "json"));
  EXPECT_FALSE(payload_fits("number", "array"));
  GraphText graph;
  graph.source("a").step("b").edge("a", "b");
  EXPECT_THAT(diagnose(graph.text()), IsEmpty());
}

}  // namespace
}  // namespace millrace::graph
