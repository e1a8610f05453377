#include "graph/report/render_text.h"

#include <gtest/gtest.h>

#include "graph/compile/compiled_graph.h"
#include "graph/graph_fixture.h"

namespace millrace::graph {
namespace {

CompiledGraph drawn_graph() {
  GraphText graph;
  graph.source("a").step("x").step("y");
  graph.edge("a", "x").edge("x", "y").edge("y", "x").edge("y", "y", "delay");
  graph.loops = {
      "{id: ring, components: [x, y], loop_policy: {type: fixed_point, max_iterations: 3}}"};
  return compile_good(graph.text());
}

TEST(RenderTextTest, ShowsStagesComponentsAndEdges) {
  EXPECT_EQ(render_text(drawn_graph()),
            "t\n"
            "  >> input  << output  --> immediate  ~~> delay  ==> state  ..> async\n"
            "\n"
            "domain main (ready)\n"
            "  stage 0\n"
            "    >> [a]  core.counter, lane main\n"
            "      .out --> x.in  (e0)\n"
            "  stage 1\n"
            "    loop ring\n"
            "      [x]  core.linear, lane main\n"
            "        .out --> y.in  (e1)\n"
            "      [y]  core.linear, lane main\n"
            "        .out --> x.in  (e2)\n"
            "        .out ~~> y.in  (e3)\n");
}

TEST(RenderTextTest, MermaidHasBoxesForDomainsAndLoops) {
  EXPECT_EQ(render_mermaid(drawn_graph()),
            "flowchart LR\n"
            "  subgraph d0[\"main (ready)\"]\n"
            "    c0([\"a<br/>core.counter\"])\n"
            "    subgraph l1[\"loop ring\"]\n"
            "    c1[\"x<br/>core.linear\"]\n"
            "    c2[\"y<br/>core.linear\"]\n"
            "    end\n"
            "  end\n"
            "  c0 -->|\"e0\"| c1\n"
            "  c1 -->|\"e1\"| c2\n"
            "  c2 -->|\"e2\"| c1\n"
            "  c2 -.->|\"e3 (delay)\"| c2\n");
}

}  // namespace
}  // namespace millrace::graph
