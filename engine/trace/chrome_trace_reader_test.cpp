#include "trace/chrome_trace_reader.h"

#include <chrono>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "trace/chrome_trace.h"
#include "trace/trace_fixture.h"

namespace millrace::trace {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using namespace std::chrono_literals;

std::string written_diamond() {
  TraceScript script;
  script.run_start(1'000).queued(0, 1'000, 1'500).end(0, 2'000).queued(1, 2'000, 2'001);
  script.queued(2, 2'000, 2'002).end(1, 5'000).end(2, 6'000).inlined(3, 2, 6'000);
  script.end(3, 7'123).run_end(8'000, {.status = SpanStatus::Ok, .executed_count = 4});
  std::ostringstream out;
  ChromeTraceSink sink(out);
  sink.consume({.trace_id = TraceId(TraceScript::kTraceId),
                .records = script.records(),
                .topology = std::make_shared<const TraceTopology>(
                    TraceScript::dag(4, {{0, 1}, {0, 2}, {1, 3}, {2, 3}}))});
  EXPECT_TRUE(sink.close());
  return out.str();
}

TEST(ChromeTraceReaderTest, ReadsWhatTheSinkWrites) {
  const auto runs = read_chrome_trace(written_diamond());
  ASSERT_TRUE(runs.has_value()) << runs.error().to_string();
  ASSERT_EQ(runs->size(), 1U);
  const FiledRun& run = runs->front();
  EXPECT_EQ(run.status, "ok");
  EXPECT_EQ(run.duration, 7'000ns);
  ASSERT_EQ(run.nodes.size(), 4U);
  EXPECT_EQ(run.nodes[0].begin, 500ns);
  EXPECT_EQ(run.nodes[0].end, 1'000ns);
  EXPECT_THAT(run.nodes[0].producers, IsEmpty());
  EXPECT_THAT(run.nodes[1].producers, ElementsAre(0));
  EXPECT_THAT(run.nodes[2].producers, ElementsAre(0));
  EXPECT_THAT(run.nodes[3].producers, ::testing::UnorderedElementsAre(1, 2));
  EXPECT_EQ(run.nodes[3].end, 6'123ns);
}

TEST(ChromeTraceReaderTest, RefusesWhatIsNoTraceOfRuns) {
  for (const char* text : {"",
                           "nonsense",
                           "[]",
                           "{}",
                           R"({"traceEvents": 7})",
                           R"({"traceEvents": [{"ph": "X", "cat": "node", "ts": 1, "dur": 2}]})"}) {
    EXPECT_FALSE(read_chrome_trace(text).has_value()) << text;
  }
  EXPECT_THAT(read_chrome_trace("{").error().message(), HasSubstr("line 1"));
  EXPECT_THAT(read_chrome_trace("[]").error().message(), HasSubstr("--dump-run-trace"));
}

TEST(ChromeTraceReaderTest, SurvivesEventsThatMakeNoSense) {
  const auto runs = read_chrome_trace(R"({"traceEvents": [
    7, {}, {"ph": "f", "cat": "edge", "id": "0x1"},
    {"ph": "b", "cat": "run", "id": "0x1", "ts": 1e300, "name": "a"},
    {"ph": "e", "cat": "run", "id": "0x1", "ts": -1e300},
    {"ph": "X", "cat": "node", "ts": "x", "args": {"trace_id": "0x1", "node_id": 3}},
    {"ph": "s", "cat": "edge", "id": "0x2"}, {"ph": "f", "cat": "edge", "id": "0x2"},
    {"ph": "b", "cat": "run", "id": "0x9", "ts": 1}]})");
  ASSERT_TRUE(runs.has_value());
  EXPECT_EQ(runs->size(), 1U) << "a run without its end is left out";
}

}  // namespace
}  // namespace millrace::trace
