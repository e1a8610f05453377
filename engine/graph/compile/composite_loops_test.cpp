#include "graph/compile/composite_loops.h"

#include <cstdint>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/compile/compiled_graph.h"
#include "graph/graph_fixture.h"

namespace millrace::graph {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(CompositeLoopsTest, G2_AnUndeclaredCycleNamesItsMembers) {
  GraphText graph;
  graph.step("a").step("b").step("c").edge("a", "b").edge("b", "c").edge("c", "a");
  const CompileResult result = compile_yaml(graph.text());
  EXPECT_THAT(list_diagnostics(result.report),
              ElementsAre("immediate_cycle_without_loop edges[2] 12:5"));
  EXPECT_THAT(result.report.problems()[0].message, HasSubstr("a, b, c"));
}

TEST(CompositeLoopsTest, G2_ALoopIsExactlyItsCycle) {
  GraphText graph;
  graph.step("a").step("b").step("c").edge("a", "b").edge("b", "a").edge("b", "c");
  const auto with_members = [&graph](const std::string& members) {
    GraphText changed = graph;
    changed.loops = {"{id: l, components: [" + members + "], loop_policy: {type: fixed_point}}"};
    return compile_yaml(changed.text());
  };
  EXPECT_TRUE(with_members("b, a").graph);
  EXPECT_THAT(list_diagnostics(with_members("a").report),
              ElementsAre("partial_composite_loop composite_loops[0].components 14:25"));
  const CompileResult superset = with_members("a, b, c");
  EXPECT_THAT(list_diagnostics(superset.report),
              ElementsAre("decorative_composite_loop composite_loops[0].components 14:25"));
  EXPECT_THAT(superset.report.problems()[0].message, HasSubstr(": c"));
}

TEST(CompositeLoopsTest, ComponentsStartAfterWhatTheyDependOn) {
  GraphText graph;
  const auto add = [&graph](const std::string& id, const std::string& depends_on) {
    graph.components.push_back("{id: " + id + ", type: core.values, config: {values: []}, " +
                               "execution: {lane: main}, depends_on: [" + depends_on + "]}");
  };
  add("a", "c");
  add("b", "");
  add("c", "d");
  add("d", "");
  EXPECT_THAT(compile_good(graph.text()).start_order, ElementsAre(1, 3, 2, 0));
}

}  // namespace
}  // namespace millrace::graph
