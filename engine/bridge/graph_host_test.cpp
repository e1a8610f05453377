#include "bridge/graph_host.h"

#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/formats/json_reader.h"
#include "bridge/graph_project_fixture.h"

namespace millrace::bridge {
namespace {

using ::testing::HasSubstr;

/// A counter whose values go to two tables in the same epoch, a thousand times a second.
constexpr const char* kTwoTables = R"(schema_version: 1
graph: {name: twins, kind: internal_test}
lanes:
  tick: {type: fixed_rate, period: 1ms, wall_clock_enabled: true}
components:
  - {id: n, type: core.counter, execution: {lane: tick}}
  - {id: both, type: core.collect, trigger_policy: {type: any_input, inputs: [n]}, execution: {lane: tick}}
  - {id: a, type: core.table, config: {table: a, key: '1'}, trigger_policy: {type: any_input, inputs: [in]}, execution: {lane: tick}}
  - {id: b, type: core.table, config: {table: b, key: '1'}, trigger_policy: {type: any_input, inputs: [in]}, execution: {lane: tick}}
edges:
  - {id: e1, kind: immediate, from: n.out, to: both.n}
  - {id: e2, kind: immediate, from: both.out, to: a.in}
  - {id: e3, kind: immediate, from: both.out, to: b.in}
)";

/// Reads the first list, sleeps while the graph goes on, and reads the second.
constexpr const char* kTwoReads =
    R"({"id":"src","op":"list","inputs":[],"params":{"endpoint":"g","pattern":"a:1"}},)"
    R"({"id":"wait","op":"sleep","inputs":["src"],"params":{"duration_ms":20}},)"
    R"({"id":"other","op":"list","inputs":["wait"],"params":{"endpoint":"g","pattern":"b:1"}},)"
    R"({"id":"all","op":"concat","inputs":["wait","other"],"params":{}})";

std::string between(const std::string& text, const std::string& from, char to) {
  const std::size_t begin = text.find(from);
  if (begin == std::string::npos) return "not there";
  return text.substr(begin + from.size(), text.find(to, begin + from.size()) - begin - from.size());
}

TEST(GraphHostTest, G70_ARequestSeesOneEpochOfAllTablesWheneverItReads) {
  GraphProject project(kTwoTables, "'a', 'b'");
  project.add_plan("two", kTwoReads, "all");
  ASSERT_EQ(project.start(), "");
  std::string last;
  int changes = 0;
  for (int i = 0; i < 10; ++i) {
    const std::string answer = project.ask("two");
    const std::string epoch_a = between(answer, R"("tables":{"a":)", ',');
    EXPECT_EQ(between(answer, R"(,"b":)", '}'), epoch_a) << answer;
    // The number in both lists is the epoch: the first gives a candidate, the second one below it.
    if (epoch_a == "0") continue;  // the graph has only just started
    for (const std::string& parent : {std::string("null"), epoch_a}) {
      EXPECT_THAT(answer,
                  HasSubstr("{\"id\":" + epoch_a + ",\"fields\":{\"parent_id\":" + parent + ","));
    }
    changes += epoch_a != last ? 1 : 0;
    last = epoch_a;
  }
  EXPECT_GT(changes, 1) << "the graph goes on beside the requests";
}

TEST(GraphHostTest, G70_AFailedGraphKeepsItsTablesAndSaysWhy) {
  GraphProject project(R"(schema_version: 1
graph: {name: broken, kind: internal_test}
lanes:
  main: {type: event_loop}
components:
  - {id: n, type: core.counter, config: {count: 3}, execution: {lane: main}}
  - {id: fail, type: core.fail, config: {fail_at: [2]}, trigger_policy: {type: any_input, inputs: [in]}, execution: {lane: main}}
  - {id: all, type: core.collect, trigger_policy: {type: any_input, inputs: [in]}, execution: {lane: main}}
  - {id: t, type: core.table, config: {table: t, key: '1'}, trigger_policy: {type: any_input, inputs: [in]}, execution: {lane: main}}
edges:
  - {id: e1, kind: immediate, from: n.out, to: fail.in}
  - {id: e2, kind: immediate, from: fail.out, to: all.in}
  - {id: e3, kind: immediate, from: all.out, to: t.in}
)");
  project.add_plan(
      "one",
      R"({"id":"src","op":"list","inputs":[],"params":{"endpoint":"g","pattern":"t:1"}})",
      "src");
  ASSERT_EQ(project.start(), "");
  while (!project.graph->problem()) std::this_thread::yield();
  EXPECT_EQ(*project.graph->problem(), "component 'fail' failed: failed as configured");
  EXPECT_THAT(project.ask("one"), HasSubstr(R"("candidates":[{"id":1)"));
  EXPECT_THAT(project.graph->summary(), HasSubstr(R"("state":"failed","problem":"component)"));
  project.graph->stop();
  EXPECT_THAT(project.ask("one"), HasSubstr(R"("candidates":[{"id":1)")) << "also once stopped";
}

TEST(GraphHostTest, S59_ThePagesShowPlanEpochsLanesHealthAndTables) {
  GraphProject project(kTwoTables, "'a', 'b'");
  ASSERT_EQ(project.start(), "");
  const std::string page = project.graph->page();
  const auto document = base::read_json(page);
  ASSERT_TRUE(document) << page;
  for (const char* const member : {"name",
                                   "state",
                                   "epochs",
                                   "invocations",
                                   "lanes",
                                   "health_events",
                                   "state_tables",
                                   "plan"}) {
    EXPECT_TRUE(document->root().find_member(member)) << member;
  }
  EXPECT_THAT(page, HasSubstr(R"("lanes":[{"lane":"tick","runtime.scheduler.tick_count":)"));
  EXPECT_THAT(page, HasSubstr(R"("region_order")"));
  EXPECT_THAT(project.graph->summary(),
              HasSubstr(R"({"name":"twins","state":"running","epochs":{)"));
  EXPECT_TRUE(project.graph->has_component("both"));
  EXPECT_FALSE(project.graph->has_component("none"));
  EXPECT_THAT(project.graph->why("both"), HasSubstr(R"("component":"both","epoch":)"));
  project.graph->stop();
  EXPECT_THAT(project.graph->summary(), HasSubstr(R"("state":"ended")"));
  EXPECT_THAT(project.graph->page(), HasSubstr(R"("lane":"tick")"));
  EXPECT_THAT(project.graph->why("both"), HasSubstr("The graph is ended"));
}

TEST(GraphHostTest, S59_LanesStandBesideThePlansInTheMetricsOfTheProcess) {
  GraphProject project(kTwoTables, "'a', 'b'");
  ASSERT_EQ(project.start(), "");
  bool has_lane = false;
  for (const base::MetricSnapshot& metric : project.engine->metrics().snapshot()) {
    if (metric.descriptor.name != "runtime.scheduler.tick_count") continue;
    for (const base::SeriesSnapshot& series : metric.series)
      has_lane = has_lane || series.label_values == std::vector<std::string>{"tick"};
  }
  EXPECT_TRUE(has_lane);
}

TEST(GraphHostTest, G70_WhatIsWrongIsSaidBeforeAnythingRuns) {
  GraphProject table(kTwoTables, "'a', 'bb'");
  EXPECT_THAT(table.open(),
              HasSubstr("Endpoint 'g': no component of the graph 'twins' writes the "
                        "state table 'bb'"));
  GraphProject plan(kTwoTables, "'a', 'b'");
  plan.add_plan("p",
                R"({"id":"src","op":"list","inputs":[],"params":{"endpoint":"g","pattern":"c:1"}})",
                "src");
  EXPECT_THAT(plan.open(), HasSubstr("The graph endpoint 'g' has no table 'c'"));
  GraphProject file("schema_version: 1\nlanes: {}\n");
  EXPECT_THAT(file.open(), HasSubstr("missing_field"));
  GraphProject stream(R"(schema_version: 1
graph: {name: s, kind: internal_test}
lanes: {main: {type: event_loop}}
components:
  - {id: i, type: core.stdin, execution: {lane: main}}
edges: []
)");
  EXPECT_THAT(stream.open(), HasSubstr("Component 'i' is a core.stdin"));
  EXPECT_EQ(GraphHost::load("/no/such/graph.yaml").error().text,
            "Graph /no/such/graph.yaml: Cannot open the file");
}

TEST(GraphHostTest, G70_WithoutAGraphTheEndpointIsDown) {
  GraphProject project(kTwoTables, "'a', 'b'");
  project.add_plan("two", kTwoReads, "all");
  ASSERT_EQ(project.open(false), "");
  EXPECT_THAT(project.ask("two"), HasSubstr("start it with --graph FILE"));
}

}  // namespace
}  // namespace millrace::bridge
