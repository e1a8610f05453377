#include "graph/report/run_report.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/formats/json_writer.h"
#include "graph/run/run_fixture.h"
#include "graph/run/why.h"

namespace millrace::graph {
namespace {

using ::testing::HasSubstr;

const RunText kLine{
    .components = {"id: s, type: core.counter, config: {count: 2}, execution: {lane: main}",
                   "id: t, type: core.table, config: {table: x}, trigger_policy: {type: "
                   "any_input}, execution: {lane: main, on_error: isolate}",
                   "id: o, type: core.stdout, config: {time: true, ids: true}, trigger_policy: "
                   "{type: any_input}, execution: {lane: main}"},
    .edges = {"id: e, kind: immediate, from: s.out, to: o.in",
              "id: f, kind: immediate, from: v.out, to: t.in"}};

RunText with_values() {
  RunText parts = kLine;
  parts.components.push_back(
      "id: v, type: core.values, config: {values: [{a: 1}, 2]}, execution: {lane: main}");
  return parts;
}

TEST(RunReport, G68_RunPrintsOneObject) {
  const CompiledGraph graph = TestTypes().compile(with_values().text());
  const auto result = run_graph(with_values());
  std::string text;
  base::JsonWriter json(text);
  write_run_json(graph, result, json);
  EXPECT_THAT(
      text,
      ::testing::StartsWith(
          R"({"ok":true,"graph":"t","scheduler_stop_reason":"idle","epochs":{"main":2},"invocations":8,"errors":[],"loop_stop_reason":{},"health_events":[{"kind":"component_isolated","component_id":"t","count":1}],"runtime_metrics":[{"name":"runtime.scheduler.tick_count","value":2,"lane":"main"})"));
  EXPECT_THAT(text, ::testing::EndsWith(R"("state":{"x":{"epoch":1,"values":{"a":1}}}})"));
  EXPECT_EQ(run_summary(graph, result),
            "t: ok (idle) after 0 ms, 8 invocations\n  domain main: 2 epochs\n"
            "  component_isolated at t: 1 time\n");
  EXPECT_THAT(metrics_text(result),
              HasSubstr("runtime.component.execution_count                s                2\n"));
}

TEST(RunReport, G8_WhatLanesAskedTheSystemForIsPrinted) {
  const CompiledGraph graph = TestTypes().compile(with_values().text());
  RuntimeRunnerResult result;
  result.ok = true;
  result.lane_settings = {
      {.lane = "pool", .field = "nice_priority", .requested = "-5", .effective = "0", .error = 13},
      {.lane = "pool", .field = "thread_name", .requested = "gh", .effective = "gh"}};
  std::string text;
  base::JsonWriter json(text);
  write_run_json(graph, result, json);
  EXPECT_THAT(
      text,
      ::testing::EndsWith(
          R"("lane_settings":[{"lane":"pool","field":"nice_priority","requested":"-5","effective":"0","errno":13},{"lane":"pool","field":"thread_name","requested":"gh","effective":"gh","errno":0}]})"));
  EXPECT_THAT(run_summary(graph, result),
              HasSubstr("  lane pool: nice_priority is 0, -5 was asked for (errno 13)\n"
                        "  lane pool: thread_name is gh\n"));
}

TEST(RunReport, G67_StdoutLinesHaveTimeAndIdsIfAskedFor) {
  const CompiledGraph graph = TestTypes().compile(with_values().text());
  const auto result = run_graph(with_values());
  ASSERT_EQ(result.outputs.size(), 2U);
  EXPECT_EQ(
      output_line(graph, result.outputs[1]),
      R"({"component":"o","epoch":2,"value":2,"time_us":0,"correlation":"s#2","causation":"e#2"})");
}

TEST(RunReport, G71_WhyIsPrintedAsObjectAndAsText) {
  const WhyReport report{.component = "c",
                         .epoch = 3,
                         .reason = "no message on 'b'",
                         .since = 2,
                         .waits_for = {{.input = "b", .missing_since_epoch = 2}},
                         .due_at = std::chrono::milliseconds(5),
                         .lane_state = "waits for input"};
  std::string text;
  base::JsonWriter json(text);
  write_why_json(report, json);
  EXPECT_EQ(
      text,
      R"({"component":"c","epoch":3,"ran":false,"reason":"no message on 'b'","since":2,"waits_for":[{"input":"b","missing_since_epoch":2}],"due_at":5,"lane_state":"waits for input"})");
  EXPECT_EQ(why_text(report),
            "c did not run in epoch 3: no message on 'b'\n  input b: nothing since epoch 2\n"
            "  due at 5 ms\n  lane: waits for input\n");
}

}  // namespace
}  // namespace millrace::graph
