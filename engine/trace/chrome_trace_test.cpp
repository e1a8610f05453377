#include "trace/chrome_trace.h"

#include <cstdint>
#include <ios>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "trace/trace.h"
#include "trace/trace_fixture.h"
#include "trace/trace_record.h"
#include "trace/trace_sink.h"

namespace millrace::trace {
namespace {

using Json = nlohmann::json;

std::shared_ptr<const TraceTopology> shared(TraceTopology topology) {
  return std::make_shared<const TraceTopology>(std::move(topology));
}

RunTrace trace_of(const std::vector<TraceRecord>& records,
                  std::shared_ptr<const TraceTopology> topology) {
  return {.trace_id = TraceId(TraceScript::kTraceId),
          .records = records,
          .topology = std::move(topology)};
}

std::vector<Json> events_of(const Json& document, const std::string& phase) {
  std::vector<Json> out;
  for (const Json& event : document["traceEvents"]) {
    if (event["ph"] == phase) out.push_back(event);
  }
  return out;
}

// 0 → 1, 0 → 2, both into 3; 1 and 2 are async.
TraceTopology diamond() {
  TraceTopology topology = TraceScript::dag(4, {{0, 1}, {0, 2}, {1, 3}, {2, 3}});
  topology.nodes[1].is_async = true;
  topology.nodes[2].is_async = true;
  return topology;
}

std::vector<TraceRecord> diamond_records() {
  TraceScript script;
  script.run_start(1'000).queued(0, 1'000, 1'500).end(0, 2'000).queued(1, 2'000, 2'001);
  script.queued(2, 2'000, 2'002)
      .end(1, 5'000)
      .end(2, 6'000, SpanStatus::Error)
      .inlined(3, 2, 6'000);
  script.end(3, 7'123).run_end(8'000, {.status = SpanStatus::Ok, .executed_count = 4});
  return script.records();
}

Json written(const RunTrace& run) {
  std::ostringstream out;
  ChromeTraceSink sink(out);
  sink.name_track(0, "loop 0");
  sink.consume(run);
  EXPECT_TRUE(sink.close().has_value());
  return Json::parse(out.str());
}

TEST(ChromeTraceTest, NodesAreSlicesWithExactTimesAndArguments) {
  const auto records = diamond_records();
  const std::vector<Json> slices = events_of(written(trace_of(records, shared(diamond()))), "X");
  ASSERT_EQ(slices.size(), 4u);
  EXPECT_EQ(slices[0]["name"], "n0");
  EXPECT_DOUBLE_EQ(slices[0]["ts"].get<double>(), 1.5);
  EXPECT_DOUBLE_EQ(slices[0]["dur"].get<double>(), 0.5);
  EXPECT_EQ(slices[0]["args"]["op"], "op");
  EXPECT_EQ(slices[0]["args"]["status"], "ok");
  EXPECT_EQ(slices[0]["args"]["queue_delay_ns"], 500);
  EXPECT_FALSE(slices[0]["args"].contains("inline_depth"));
  EXPECT_EQ(slices[2]["args"]["status"], "error");
  EXPECT_EQ(slices[2]["args"]["error"], "node_failed");
  EXPECT_DOUBLE_EQ(slices[3]["dur"].get<double>(), 1.123);
  EXPECT_EQ(slices[3]["args"]["inline_parent"], "n2");
  EXPECT_EQ(slices[3]["args"]["inline_depth"], 1);
  EXPECT_FALSE(slices[3]["args"].contains("queue_delay_ns"));
}

TEST(ChromeTraceTest, RunIsAnAsyncSlice) {
  const auto records = diamond_records();
  const Json document = written(trace_of(records, shared(diamond())));
  const std::vector<Json> begins = events_of(document, "b");
  const std::vector<Json> ends = events_of(document, "e");
  ASSERT_EQ(begins.size(), 1u);
  ASSERT_EQ(ends.size(), 1u);
  EXPECT_EQ(begins[0]["name"], "plan");
  EXPECT_EQ(begins[0]["id"], ends[0]["id"]);
  EXPECT_EQ(begins[0]["args"]["executed_count"], 4);
  EXPECT_DOUBLE_EQ(ends[0]["ts"].get<double>(), 8.0);
}

TEST(ChromeTraceTest, OverlappingAsyncNodesGetSubTracks) {
  const auto records = diamond_records();
  const Json document = written(trace_of(records, shared(diamond())));
  const std::vector<Json> slices = events_of(document, "X");
  EXPECT_EQ(slices[0]["tid"], 0);
  EXPECT_EQ(slices[1]["tid"], 1);
  EXPECT_EQ(slices[2]["tid"], 2);
  EXPECT_EQ(slices[3]["tid"], 0);
  std::map<int, std::string> names;
  for (const Json& event : events_of(document, "M")) {
    if (event["name"] == "thread_name") names[event["tid"]] = event["args"]["name"];
  }
  EXPECT_EQ(names[0], "loop 0");
  EXPECT_EQ(names[1], "loop 0 io 1");
  EXPECT_EQ(names[2], "loop 0 io 2");
}

TEST(ChromeTraceTest, SubTracksAreReusedOnceFree) {
  std::ostringstream out;
  ChromeTraceSink sink(out);
  const auto topology = shared(diamond());
  const auto records = diamond_records();
  for (std::int64_t i = 0; i < 50; ++i) {
    std::vector<TraceRecord> later = records;
    for (TraceRecord& record : later) record.time_ns += i * 10'000;
    sink.consume(trace_of(later, topology));
  }
  ASSERT_TRUE(sink.close().has_value());
  for (const Json& slice : events_of(Json::parse(out.str()), "X")) EXPECT_LE(slice["tid"], 2);
}

TEST(ChromeTraceTest, EveryEdgeIsAnArrowFromInsideItsProducerToItsConsumer) {
  const auto records = diamond_records();
  const Json document = written(trace_of(records, shared(diamond())));
  std::map<std::string, std::pair<int, double>> starts;
  for (const Json& event : events_of(document, "s")) {
    EXPECT_TRUE(starts.try_emplace(event["id"], event["tid"], event["ts"]).second);
  }
  const std::vector<Json> finishes = events_of(document, "f");
  ASSERT_EQ(finishes.size(), 4u);
  ASSERT_EQ(starts.size(), 4u);
  for (const Json& event : finishes) EXPECT_TRUE(starts.contains(event["id"])) << event;
  EXPECT_EQ(starts[finishes[0]["id"]].first, 0);
  EXPECT_DOUBLE_EQ(starts[finishes[0]["id"]].second, 1.999);
  EXPECT_EQ(finishes[0]["tid"], 1);
  EXPECT_DOUBLE_EQ(finishes[0]["ts"].get<double>(), 2.001);
}

TEST(ChromeTraceTest, AnyNameGivesValidJson) {
  TraceTopology topology = TraceScript::dag(1, {});
  topology.plan = "a\"plan\\\n";
  topology.nodes[0] = {.id = std::string("\0\xff\"},{", 6), .op = "</script>\t\xc3"};
  TraceScript script;
  script.run_start(0).queued(0, 0, 1).end(0, 2).run_end(2, {.executed_count = 1});
  const auto records = script.records();
  const Json document = written(trace_of(records, shared(std::move(topology))));
  EXPECT_EQ(events_of(document, "X")[0]["args"]["op"], "</script>\t\xef\xbf\xbd");
  EXPECT_EQ(events_of(document, "b")[0]["name"], "a\"plan\\\n");
}

TEST(ChromeTraceTest, RunWithoutTopologyOrEndsIsStillWritten) {
  TraceScript script;
  script.queued(4, 0, 1'000).queued(5, 0, 3'000);
  const auto records = script.records();
  RunTrace run = trace_of(records, nullptr);
  run.is_complete = false;
  const Json document = written(run);
  const std::vector<Json> slices = events_of(document, "X");
  ASSERT_EQ(slices.size(), 2u);
  EXPECT_EQ(slices[0]["name"], "node 4");
  EXPECT_EQ(slices[0]["args"]["status"], "unfinished");
  EXPECT_DOUBLE_EQ(slices[0]["dur"].get<double>(), 2.0);
  EXPECT_EQ(document["otherData"]["incomplete_runs"], 1);
}

TEST(ChromeTraceTest, T4_DropsAreInTheFile) {
  std::ostringstream out;
  ChromeTraceSink sink(out);
  sink.note_dropped(17);
  ASSERT_TRUE(sink.close().has_value());
  EXPECT_EQ(Json::parse(out.str())["otherData"]["dropped_records"], 17);
}

TEST(ChromeTraceTest, FileWithoutRunsIsValidAndDestructionCloses) {
  std::ostringstream out;
  {
    ChromeTraceSink sink(out);
  }
  EXPECT_TRUE(Json::accept(out.str()));
}

TEST(ChromeTraceTest, NothingIsWrittenAfterClose) {
  std::ostringstream out;
  ChromeTraceSink sink(out);
  ASSERT_TRUE(sink.close().has_value());
  const std::string closed = out.str();
  const auto records = diamond_records();
  sink.consume(trace_of(records, nullptr));
  sink.name_track(1, "worker");
  ASSERT_TRUE(sink.close().has_value());
  EXPECT_EQ(out.str(), closed);
}

TEST(ChromeTraceTest, FailedStreamIsReported) {
  std::ostringstream out;
  ChromeTraceSink sink(out);
  out.setstate(std::ios::badbit);
  EXPECT_EQ(sink.close().error().code(), base::ErrorCode::kUnavailable);
}

}  // namespace
}  // namespace millrace::trace
