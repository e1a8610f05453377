#include "graph/report/plan_report.h"

#include <string>

#include <gtest/gtest.h>

#include "base/formats/json_reader.h"
#include "base/formats/json_writer.h"
#include "graph/compile/compiled_graph.h"
#include "graph/graph_fixture.h"

namespace millrace::graph {
namespace {

GraphText sample_graph() {
  GraphText graph;
  graph.lanes = {"main: {type: event_loop, priority: 3}",
                 "pool: {type: thread_pool, max_threads: 2}"};
  graph.source("a").step("x").step("y").step("b", "lane: pool, priority: high");
  graph.edge("a", "x").edge("x", "y").edge("y", "x").edge("y", "b");
  graph.loops = {
      "{id: ring, components: [x, y], loop_policy: {type: fixed_point, max_iterations: 3}}"};
  return graph;
}

TEST(PlanReportTest, G68_TheJsonHasTheDocumentedShape) {
  const CompileResult result = compile_yaml(sample_graph().text());
  ASSERT_TRUE(result.graph);
  std::string text;
  base::JsonWriter json(text);
  write_plan_json(*result.graph, result.report, json);
  ASSERT_TRUE(base::read_json(text));
  EXPECT_EQ(
      text,
      R"({"graph":"t","schema_version":1,"domains":[{"id":"main","rank":0,"pace":"ready","lanes":["main","pool"]}],)"
      R"("regions":[{"id":"a","kind":"component","components":["a"],"domain":"main","priority":"normal","stage":0,"incoming":[],"outgoing":["e0"]},)"
      R"({"id":"ring","kind":"loop","components":["x","y"],"domain":"main","priority":"normal","stage":1,"incoming":["e0"],"outgoing":["e3"]},)"
      R"({"id":"b","kind":"component","components":["b"],"domain":"main","priority":"high","stage":2,"incoming":["e3"],"outgoing":[]}],)"
      R"("region_order":["a","ring","b"],"stages":[["a"],["ring"],["b"]],)"
      R"("edges":[{"id":"e0","kind":"immediate","from":"a.out","to":"x.in","mode":"latest","capacity":1,"overflow":"overwrite","crosses_domains":false},)"
      R"({"id":"e1","kind":"immediate","from":"x.out","to":"y.in","mode":"latest","capacity":1,"overflow":"overwrite","crosses_domains":false},)"
      R"({"id":"e2","kind":"immediate","from":"y.out","to":"x.in","mode":"latest","capacity":1,"overflow":"overwrite","crosses_domains":false},)"
      R"({"id":"e3","kind":"immediate","from":"y.out","to":"b.in","mode":"latest","capacity":1,"overflow":"overwrite","crosses_domains":false}],)"
      R"("lane_capabilities":[{"id":"main","type":"event_loop","domain":"main","implemented":["deterministic_region_order","stop_checks","runtime_owned_publication_commit","runtime_priority_ordering","cooperative_cancellation","timeout_budget_observation","live_watchdog"],"advisory_fields":["priority"],"future_extensions":["hard_preemption","hard_real_time"],"max_threads":null,"queue_capacity":null,"overflow":null,"overrun_policy":null},)"
      R"({"id":"pool","type":"thread_pool","domain":"main","implemented":["deterministic_region_order","stop_checks","runtime_owned_publication_commit","runtime_priority_ordering","cooperative_cancellation","timeout_budget_observation","live_watchdog","persistent_workers","bounded_priority_queue","queue_admission","overflow_policy","starvation_guard","non_reentrant_serialization","worker_id_trace","batch_trace_span","thread_naming","abandon","os_settings"],"advisory_fields":[],"future_extensions":["hard_preemption","hard_real_time"],"max_threads":2,"queue_capacity":null,"overflow":"reject","overrun_policy":null}],)"
      R"("diagnostics":[{"code":"advisory_lane_field_ignored","severity":"warning","path":"lanes.main.priority","line":4,"column":38,"message":"priority of lane 'main' is not applied","suggested_fix":"write enforce: best_effort or enforce: require to have it applied"}]})");
}

TEST(PlanReportTest, TheTextShowsStagesInOrder) {
  EXPECT_EQ(plan_text(compile_good(sample_graph().text())),
            "graph t: 4 components in 3 regions, 4 edges, 2 lanes\n"
            "domain main (ready)\n"
            "  lane main: event_loop\n"
            "  lane pool: thread_pool, 2 threads\n"
            "  stage 0\n"
            "    0   a  core.counter on main\n"
            "  stage 1\n"
            "    1   ring = loop of x y\n"
            "  stage 2\n"
            "    2   b  core.linear on pool, high\n");
}

}  // namespace
}  // namespace millrace::graph
