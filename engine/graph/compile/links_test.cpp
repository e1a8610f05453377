#include "graph/compile/links.h"

#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/body/component.h"
#include "graph/compile/compiled_graph.h"
#include "graph/compile/component_registry.h"
#include "graph/format/graph_file.h"
#include "graph/graph_fixture.h"

namespace millrace::graph {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(LinksTest, AnEndpointIsSplitAtTheLastDot) {
  GraphText graph;
  graph.source("a.b").step("c.d").edge("a.b", "c.d");
  const CompiledGraph compiled = compile_good(graph.text());
  EXPECT_EQ(compiled.edges[0].from_port, "out");
  EXPECT_EQ(compiled.to_text(compiled.edges[0]), "c.d.in");
}

TEST(LinksTest, SuggestsTheNearestName) {
  GraphText graph;
  graph.source("a", "lane: mian");
  const CompileResult result = compile_yaml(graph.text());
  ASSERT_EQ(result.report.problems().size(), 1U);
  EXPECT_EQ(result.report.problems()[0].hint, "write 'main'");
}

TEST(LinksTest, SaysNothingAboutWhatDependsOnAnUnreadablePart) {
  GraphText graph;
  graph.source("a").step("b");
  // The edge cannot be read, so nobody can say that 'b' lacks an input.
  graph.edges = {"{id: e, kind: soon, from: a.out, to: b.in}"};
  EXPECT_THAT(diagnose(graph.text()), ElementsAre("bad_value edges[0].kind 9:19"));
}

TEST(LinksTest, G10_ChecksNeedDescriptorsOnly) {
  ComponentRegistry registry;
  ASSERT_TRUE(registry.add({.type = "user.Type", .about = "", .outputs = {{.name = "out"}}},
                           []() -> std::unique_ptr<Component> {
                             ADD_FAILURE() << "a check has made a component";
                             return nullptr;
                           }));
  GraphText graph;
  graph.lanes = {"main: {type: fixed_rate}"};
  graph.components = {"{id: a, type: user.Type, execution: {lane: main}}"};
  const CompileResult result = compile_text(graph.text(), TextFormat::kYaml, registry);
  EXPECT_THAT(list_diagnostics(result.report), IsEmpty());
  EXPECT_TRUE(result.graph);
}

}  // namespace
}  // namespace millrace::graph
