#include "rank/run_tracer.h"

#include <cmath>
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/formats/json_reader.h"
#include "rank/explain/explain_fixture.h"
#include "trace/trace_sink.h"

namespace millrace::rank {
namespace {

using base::JsonValue;
using testing::ExplainEngine;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::TextCall;

constexpr std::string_view kNodes = R"([
    {"id": "s", "op": "fixed_source", "inputs": [], "params": {"row_count": 10}},
    {"id": "w", "op": "sleep", "inputs": ["s"], "params": {"duration_ms": 1}},
    {"id": "v", "op": "vm", "inputs": ["w"], "params": {"out_key": "score", "expr": "id * 2"}},
    {"id": "o", "op": "sort", "inputs": ["v"], "params": {"key": "score"}},
    {"id": "t", "op": "take", "inputs": ["o"], "params": {"count": 3}}])";

double number(JsonValue value, std::string_view name) {
  return value.find_member(name).value().find_number().value();
}

TEST(RunTracerTest, TRC2_T5_TheCriticalPathAndItsGapsAddUpToTheLatency) {
  ExplainEngine engine;
  engine.load(kNodes, R"(["t"])");
  const auto response = base::read_json(engine.ask(R"({"user_id": 1, "trace": true})"));
  ASSERT_TRUE(response);
  const JsonValue trace = response->root().find_member("trace").value();
  const JsonValue path = trace.find_member("critical_path").value();
  double sum = number(path, "final_gap_us");
  std::string steps;
  for (const JsonValue step : path.find_member("steps")->children()) {
    sum += number(step, "waiting_us") + number(step, "queued_us") + number(step, "service_us");
    steps += std::string(*step.find_member("node")->find_string()) + " ";
  }
  EXPECT_EQ(steps, "s w v t ");
  const double latency = number(trace, "latency_us");
  EXPECT_GT(latency, 0);
  EXPECT_NEAR(sum, latency, 0.01);
  EXPECT_NEAR(number(path, "span_us") + number(path, "gap_us"), latency, 0.01);
}

TEST(RunTracerTest, TRC1_NodesTellTheirTimesRowsAndHowTheyWereStarted) {
  ExplainEngine engine;
  engine.load(kNodes, R"(["t"])");
  const auto response = base::read_json(engine.ask(R"({"user_id": 1, "trace": true})"));
  ASSERT_TRUE(response);
  const JsonValue trace = response->root().find_member("trace").value();
  EXPECT_EQ(trace.find_member("status")->find_string(), "ok");
  const JsonValue nodes = trace.find_member("nodes").value();
  ASSERT_EQ(nodes.size(), 4U);
  JsonValue last = *nodes.children().begin();
  for (const JsonValue node : nodes.children()) {
    EXPECT_LE(number(node, "start_us"), number(node, "end_us"));
    EXPECT_NE(node.find_member("inlined_after").has_value(),
              node.find_member("queue_delay_us").has_value());
    last = node;
  }
  EXPECT_EQ(last.find_member("source_nodes")->size(), 2U);
  EXPECT_EQ(number(last, "rows_in"), 10);
  EXPECT_EQ(number(last, "rows_out"), 3);
}

TEST(RunTracerTest, TRC3_ARequestThatDoesNotAskIsNotTraced) {
  ExplainEngine engine;
  engine.load(kNodes, R"(["t"])");
  EXPECT_FALSE(engine.tracer().begin(engine.plan(), false).enabled());
  EXPECT_THAT(engine.ask(R"({"user_id": 1})"), Not(HasSubstr("trace")));
  engine.tracer().flush();
  const trace::TraceStats stats = engine.tracer().collector().stats();
  EXPECT_EQ(stats.complete_runs + stats.incomplete_runs, 0U);
}

TEST(RunTracerTest, TRC4_ADumpGetsEveryRunAndResponsesStayWithoutTraces) {
  trace::MemorySink dump;
  ExplainEngine engine;
  engine.tracer().dump_to(dump);
  engine.load(kNodes, R"(["t"])");
  for (int request = 0; request < 40; ++request)
    EXPECT_THAT(engine.ask(R"({"user_id": 1})"), Not(HasSubstr("\"trace\"")));
  engine.tracer().flush();
  const auto runs = dump.take();
  ASSERT_EQ(runs.size(), 40U);
  for (const auto& run : runs) {
    EXPECT_TRUE(run.is_complete);
    ASSERT_NE(run.topology, nullptr);
    EXPECT_EQ(run.topology->plan, "p");
    EXPECT_EQ(run.topology->nodes.back().id, "o+t");
  }
}

TEST(RunTracerTest, TRC5_AFailedRunIsInTheDumpButItsErrorHasNoTrace) {
  trace::MemorySink dump;
  ExplainEngine engine;
  engine.tracer().dump_to(dump);
  engine.load(R"([{"id": "s", "op": "fixed_source", "inputs": [], "params": {}},
    {"id": "w", "op": "sleep", "inputs": ["s"],
     "params": {"duration_ms": 1, "fail_after_sleep": true}}])",
              R"(["w"])");
  const std::string response = engine.ask(R"({"user_id": 1, "trace": true})");
  EXPECT_THAT(response, HasSubstr("\"error\""));
  EXPECT_THAT(response, Not(HasSubstr("\"trace\"")));
  engine.tracer().flush();
  EXPECT_EQ(dump.take().size(), 1U);
}

TEST(RunTracerTest, PlansThatAreGoneAreForgotten) {
  ExplainEngine engine;
  engine.load(kNodes, R"(["t"])");
  (void)engine.ask(R"({"user_id": 1, "trace": true})");
  RunTracer& tracer = engine.tracer();
  for (int reload = 0; reload < 100; ++reload) {
    const auto plan = engine.load_apart(kNodes, R"(["t"])");
    const trace::TraceContext context = tracer.begin(*plan, true);
    EXPECT_TRUE(context.enabled());
    tracer.forget(context.trace_id);
  }
  tracer.collector().collect();
  EXPECT_EQ(tracer.collector().stats().topology_count, 1U) << "the plan that still is there";
  EXPECT_THAT(engine.ask(R"({"user_id": 1, "trace": true})"), HasSubstr("\"node\":\"s\""));
}

TEST(RunTracerTest, S41_ACapturedRunHasRecordsNamesAndRowsAlsoIfItFails) {
  ExplainEngine engine;
  engine.load(kNodes, R"(["t"])");
  TextCall call;
  EXPECT_THAT(call.run(engine.ranker(), R"({"user_id": 1})", {.captures = true}),
              Not(HasSubstr("\"trace\"")));
  const auto capture = call.take_capture();
  ASSERT_NE(capture, nullptr);
  EXPECT_EQ(capture->records.back().kind, trace::TraceKind::kRunEnd);
  EXPECT_EQ(capture->topology->plan, "p");
  ASSERT_EQ(capture->nodes.size(), capture->topology->nodes.size());
  EXPECT_EQ(capture->nodes.back().rows_in, 10U);
  EXPECT_EQ(capture->nodes.back().rows_out, 3U);
  (void)call.run(engine.ranker(), R"({"user_id": 1})");
  EXPECT_EQ(call.take_capture(), nullptr);

  ExplainEngine failing;
  failing.load(R"([{"id": "s", "op": "fixed_source", "inputs": [], "params": {}},
    {"id": "w", "op": "sleep", "inputs": ["s"],
     "params": {"duration_ms": 1, "fail_after_sleep": true}}])",
               R"(["w"])");
  TextCall failed;
  EXPECT_THAT(failed.run(failing.ranker(), R"({"user_id": 1})", {.captures = true}),
              HasSubstr("\"error\""));
  const auto what = failed.take_capture();
  ASSERT_NE(what, nullptr);
  ASSERT_FALSE(what->records.empty());
  EXPECT_EQ(what->records.back().status, trace::SpanStatus::Error);
}

TEST(RunTracerTest, ATraceWithoutItsRecordsSaysWhatIsMissing) {
  ExplainEngine engine;
  engine.load(kNodes, R"(["t"])");
  std::string out;
  write_trace(*engine.plan().make_run(), {}, out);
  EXPECT_THAT(out, HasSubstr(R"({"error":"Cannot analyse trace: RunStart is missing"})"));
}

}  // namespace
}  // namespace millrace::rank
