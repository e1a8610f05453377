#include "runtime/flow/flow_drawing.h"

#include <chrono>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/scheduler_fixture.h"
#include "runtime/topology/node.h"

namespace millrace::runtime {
namespace {

using testing::HasSubstr;

TEST(FlowDrawingTest, DrawsKindsEdgesTimeoutsAndFallbacks) {
  NodeSpec slow = noting_node("slow");
  slow.op = "lookup";
  slow.timeout = std::chrono::microseconds(1500);
  slow.fallback = FallbackKind::kNode;
  slow.fallback_node = "quick";
  NodeSpec last = noting_node("last", {"slow", "other"});
  last.kind = NodeKind::kCheap;
  const TestDag dag({slow, noting_node("other"), noting_node("quick"), last});
  EXPECT_EQ(to_dot(dag.topology()),
            "digraph flow {\n"
            "  rankdir=LR;\n"
            "  \"slow\" [label=\"slow\\nlookup\\ntimeout 1500 us\", shape=box];\n"
            "  \"other\" [label=\"other\", shape=box];\n"
            "  \"quick\" [label=\"quick\", shape=box];\n"
            "  \"last\" [label=\"last\", shape=box, style=rounded];\n"
            "  \"slow\" -> \"last\";\n"
            "  \"slow\" -> \"quick\" [style=dotted, label=\"or else\"];\n"
            "  \"other\" -> \"last\";\n"
            "}\n");
  EXPECT_EQ(to_mermaid(dag.topology()),
            "flowchart LR\n"
            "  n0[\"slow<br/>lookup<br/>timeout 1500 us\"]\n"
            "  n1[\"other\"]\n"
            "  n2[\"quick\"]\n"
            "  n3(\"last\")\n"
            "  n0 --> n3\n"
            "  n0 -. or else .-> n2\n"
            "  n1 --> n3\n");
}

TEST(FlowDrawingTest, NamesCannotBreakOutOfTheirQuotes) {
  const TestDag dag({noting_node("a\"]; x -> y [label=\"\\"), noting_node("<b>&#\n")});
  const std::string dot = to_dot(dag.topology());
  EXPECT_THAT(dot, HasSubstr(R"("a\"]; x -> y [label=\"\\" [label=)"));
  EXPECT_THAT(dot, HasSubstr(R"("<b>&#\n" [label=)"));
  const std::string mermaid = to_mermaid(dag.topology());
  EXPECT_THAT(mermaid, HasSubstr("n0[\"a#quot;]; x -#gt; y [label=#quot;\\\"]"));
  EXPECT_THAT(mermaid, HasSubstr("n1[\"#lt;b#gt;#amp;#35;<br/>\"]"));
}

}  // namespace
}  // namespace millrace::runtime
