#include "graph/report/plan_diff.h"

#include <string>

#include <gtest/gtest.h>

#include "base/formats/json_writer.h"
#include "graph/compile/compiled_graph.h"
#include "graph/graph_fixture.h"

namespace millrace::graph {
namespace {

PlanDiff compare_texts(const GraphText& before, const GraphText& after) {
  const CompileResult old_plan = compile_yaml(before.text());
  const CompileResult new_plan = compile_yaml(after.text());
  return compare_plans({.graph = *old_plan.graph, .report = old_plan.report},
                       {.graph = *new_plan.graph, .report = new_plan.report});
}

TEST(PlanDiffTest, EqualPlansHaveNoDifference) {
  GraphText graph;
  graph.source("a").step("b").edge("a", "b");
  EXPECT_EQ(diff_text(compare_texts(graph, graph)), "The plans are equal.\n");
}

TEST(PlanDiffTest, G68_NamesWhatWasAddedRemovedAndChanged) {
  GraphText before;
  before.source("a").source("b").step("c").edge("a", "c");
  GraphText after;
  after.lanes = {"main: {type: event_loop, priority: 2}"};
  after.source("a").source("b", "lane: main, priority: high").step("d").edge("a", "d", "delay");
  const PlanDiff diff = compare_texts(before, after);
  EXPECT_EQ(diff_text(diff),
            "regions\n  + d\n  - c\n  ~ b\n  ~ a\nedges\n  ~ e0\nlanes\n  ~ main\n"
            "diagnostics\n  + advisory_lane_field_ignored lanes.main.priority\n");
  std::string text;
  base::JsonWriter json(text);
  write_diff_json(diff, json);
  EXPECT_EQ(
      text,
      R"({"regions":{"added":["d"],"removed":["c"],"moved":["b","a"]},)"
      R"("edges":{"added":[],"removed":[],"changed":["e0"]},)"
      R"("lanes":{"added":[],"removed":[],"changed":["main"]},)"
      R"("diagnostics":{"added":["advisory_lane_field_ignored lanes.main.priority"],"removed":[]}})");
}

}  // namespace
}  // namespace millrace::graph
