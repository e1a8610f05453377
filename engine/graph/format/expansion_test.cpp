#include "graph/format/expansion.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/compile/compiled_graph.h"
#include "graph/format/diagnostic.h"
#include "graph/format/words.h"
#include "graph/graph_fixture.h"

namespace millrace::graph {
namespace {

using ::testing::ElementsAre;

constexpr const char* kParts = R"(schema_version: 1
graph: {name: t, kind: internal_test}
lanes: {main: {type: event_loop}, pool: {type: thread_pool}}
components:
  - {id: root, type: core.values, config: {values: [1]}, execution: {lane: main}}
edges:
  - {id: into, kind: immediate, from: root.out, to: sub.first.in}
subgraphs:
  - id: sub
    components:
      - {id: first, type: core.linear, trigger_policy: {type: any_input}, execution: {lane: main}}
      - {id: second, type: core.linear, trigger_policy: {type: any_input}, execution: {lane: main}, depends_on: [first]}
    edges:
      - {id: forth, kind: immediate, from: first.out, to: second.in}
      - {id: back, kind: immediate, from: second.out, to: first.back}
    composite_loops:
      - {id: ring, components: [second, first], loop_policy: {type: fixed_point, max_iterations: 2}}
templates:
  - id: tap
    components:
      - {id: "tap_{{ n }}", type: core.meter, config: {window: "{{window}}"}, trigger_policy: {type: any_input},
         execution: {lane: pool, priority: "{{class}}", reentrant: "{{again}}"}}
    edges:
      - {id: "to_{{n}}", kind: immediate, from: root.out, to: "tap_{{n}}.in", policy: {mode: queue, capacity: "{{room}}"}}
template_instances:
  - {id: one, template: tap, parameters: {n: 1, window: 2s, class: high, again: true, room: 5}}
  - {id: two, template: tap, parameters: {n: two, window: 3s, class: low, again: false, room: 6}}
)";

TEST(ExpansionTest, SubgraphsGetPrefixesAndTemplatesGetValuesWithTheirTypes) {
  const CompiledGraph graph = compile_good(kParts);
  std::vector<std::string> ids;
  for (const CompiledComponent& component : graph.components) ids.push_back(component.id);
  EXPECT_THAT(ids, ElementsAre("root", "sub.first", "sub.second", "tap_1", "tap_two"));
  ids.clear();
  for (const CompiledEdge& edge : graph.edges) ids.push_back(edge.id);
  EXPECT_THAT(ids, ElementsAre("into", "sub.forth", "sub.back", "to_1", "to_two"));
  EXPECT_TRUE(graph.components[3].execution.reentrant);
  EXPECT_EQ(graph.components[4].execution.priority, PriorityClass::kLow);
  EXPECT_EQ(graph.edges[3].policy.capacity, 5);
  EXPECT_EQ(graph.loops.at(0).id, "sub.ring");
  EXPECT_THAT(graph.loops.at(0).components, ElementsAre("sub.second", "sub.first"));
}

TEST(ExpansionTest, PlacesAndPathsAreThoseOfTheFile) {
  std::string text = kParts;
  text.replace(text.find("lane: pool"), 10, "lane: poll");
  text.replace(text.find("to: second.in"), 13, "to: third.in ");
  text.replace(text.find("room: 6"), 7, "room: x");
  EXPECT_THAT(diagnose(text),
              ElementsAre("unknown_component subgraphs[0].edges[0].to 14:59",
                          "unknown_lane templates[0].components[0].execution.lane 22:28",
                          "unknown_lane templates[0].components[0].execution.lane 22:28",
                          "wrong_type templates[0].edges[0].policy.capacity 27:95"));
}

TEST(ExpansionTest, WhatTemplatesMakeIsBounded) {
  std::string text = "schema_version: 1\ngraph: {name: t}\nlanes: {}\ncomponents: []\nedges: []\n";
  text += "templates:\n  - id: t\n    components:\n";
  for (int i = 0; i < 2000; ++i)
    text += "      - {id: \"{{n}}\", type: b, config: {x: [1, 2, 3, 4, 5]}}\n";
  text += "template_instances:\n";
  for (int i = 0; i < 100; ++i)
    text += "  - {id: i" + std::to_string(i) + ", template: t, parameters: {n: 1}}\n";
  const CompileResult result = compile_yaml(text);
  EXPECT_TRUE(result.report.has(DiagnosticCode::kTooLarge));
  EXPECT_FALSE(result.report.has(DiagnosticCode::kTemplateParameter));
}

}  // namespace
}  // namespace millrace::graph
