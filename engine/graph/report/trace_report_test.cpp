#include "graph/report/trace_report.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/formats/json_reader.h"
#include "base/formats/json_writer.h"
#include "graph/run/run_fixture.h"

namespace millrace::graph {
namespace {

using ::testing::HasSubstr;

const RunText kPool{
    .lanes = {"main: {type: event_loop}", "pool: {type: thread_pool, max_threads: 2}"},
    .components = {"id: s, type: core.counter, config: {count: 2, per_invocation: 2}, execution: "
                   "{lane: main}",
                   "id: w, type: core.spend, config: {cost: 1ms}, trigger_policy: {type: "
                   "any_input}, execution: {lane: pool, reentrant: true}"},
    .edges = {"id: e, kind: immediate, from: s.out, to: w.in, policy: {mode: queue, capacity: 4}"}};

TEST(TraceReport, G68_EventsHaveDomainEpochTimePlaceAndAttributes) {
  const CompiledGraph graph = TestTypes().compile(kPool.text());
  RuntimeRunnerOptions options;
  options.trace = true;
  const auto result = run_graph(kPool, options);
  std::string text;
  base::JsonWriter json(text);
  write_trace_json(graph, result, json);
  EXPECT_THAT(
      text,
      ::testing::StartsWith(
          R"({"ok":true,"trace_schema_version":1,"dropped":0,"events":[{"name":"scheduler_iteration_begin","domain":"main","epoch":1,"time_us":0,"attributes":{}},)"));
  EXPECT_THAT(
      text,
      HasSubstr(
          R"({"name":"component_execute","domain":"main","epoch":1,"time_us":0,"duration_us":1000,"lane":"pool","component_id":"w","worker_id":1,"attributes":{"messages":1,"failed":false}})"));
  EXPECT_THAT(
      text,
      HasSubstr(
          R"("name":"thread_pool_batch","domain":"main","epoch":1,"time_us":0,"duration_us":1000,"lane":"pool","attributes":{"worker_ids":[0,1],"batch_size":2,"rejected":0}})"));
  EXPECT_THAT(trace_text(graph, result), HasSubstr("component_execute_begin"));
}

TEST(TraceReport, G51_ABatchNamesAllItsWorkers) {
  RunText parts = kPool;
  parts.lanes[1] = "pool: {type: thread_pool, max_threads: 70}";
  parts.components[0] =
      "id: s, type: core.counter, config: {count: 138, per_invocation: 69}, execution: {lane: "
      "main}";
  parts.edges[0] =
      "id: e, kind: immediate, from: s.out, to: w.in, policy: {mode: queue, capacity: 70}";
  const CompiledGraph graph = TestTypes().compile(parts.text());
  RuntimeRunnerOptions options;
  options.trace = true;
  const std::string text = trace_text(graph, run_graph(parts, options));
  const std::string end = R"(62,63,64,65,66,67,68],"batch_size":69,"rejected":0})";
  const std::size_t first = text.find(end);
  EXPECT_NE(first, std::string::npos);
  EXPECT_NE(text.find(end, first + 1), std::string::npos) << "in the second epoch too";
}

TEST(TraceReport, AFullTraceSaysHowMuchItLost) {
  RuntimeRunnerOptions options;
  options.trace = true;
  options.trace_events_max = 3;
  const auto result = run_graph(kPool, options);
  EXPECT_EQ(result.events.size(), 3U);
  EXPECT_GT(result.events_dropped, 3U);
  EXPECT_EQ(result.metric("runtime.trace.event_count"), 3);
  EXPECT_EQ(result.metric("runtime.trace.dropped_count"),
            static_cast<double>(result.events_dropped));
}

TEST(TraceReport, ChromeTraceIsValidJsonWithSpans) {
  const CompiledGraph graph = TestTypes().compile(kPool.text());
  RuntimeRunnerOptions options;
  options.trace = true;
  const std::string text = chrome_trace(graph, run_graph(kPool, options));
  EXPECT_TRUE(base::read_json(text)) << text;
  EXPECT_THAT(
      text,
      HasSubstr(R"({"name":"w","cat":"graph","ph":"X","ts":0,"dur":1000,"pid":0,"tid":2001,)"));
}

}  // namespace
}  // namespace millrace::graph
