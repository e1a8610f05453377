#include "graph/report/explain.h"

#include <string>

#include <gtest/gtest.h>

#include "base/formats/json_writer.h"
#include "graph/compile/compiled_graph.h"
#include "graph/graph_fixture.h"

namespace millrace::graph {
namespace {

CompiledGraph explained_graph() {
  GraphText graph;
  graph.lanes.push_back("pool: {type: thread_pool}");
  graph.source("a")
      .step("b", "lane: pool, priority: low, reentrant: true, budget: 2ms")
      .edge("a", "b");
  return compile_good(graph.text());
}

TEST(GraphExplainTest, SaysWhereWhenAndWithWhichSettings) {
  EXPECT_EQ(explanation_text(explained_graph(), 1),
            "b (core.linear)\n"
            "  runs on lane pool (thread_pool) in domain main (ready)\n"
            "  region b, 1 in order, stage 1\n"
            "  triggered by any_input on in\n"
            "  input in from a.out (immediate edge e0, latest, capacity 1, overwrite)\n"
            "  priority: low\n"
            "  budget: 2ms\n"
            "  on_error: fail_fast\n"
            "  max_threads: 1 (the file says 0)\n"
            "  width: 1\n"
            "  queue_capacity: no bound\n");
}

TEST(GraphExplainTest, G68_TheJsonHasTheDocumentedShape) {
  std::string text;
  base::JsonWriter json(text);
  write_explanation_json(explained_graph(), 1, json);
  EXPECT_EQ(
      text,
      R"({"component":"b","region":"b","stage":1,"domain":"main","lane":"pool",)"
      R"("triggers":[{"type":"any_input","inputs":["in"]}],)"
      R"("inputs":[{"port":"in","edge":"e0","kind":"immediate","from":"a.out"}],"outputs":[],)"
      R"("settings":{"requested":{"priority":"low","budget":"2ms","on_error":"fail_fast","max_threads":"0"},)"
      R"("effective":{"priority":"low","budget":"2ms","on_error":"fail_fast","max_threads":"1","width":"1","queue_capacity":"no bound"}}})");
}

}  // namespace
}  // namespace millrace::graph
