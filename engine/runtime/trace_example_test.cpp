#include <cstdint>
#include <sstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/clock.h"
#include "base/result.h"
#include "trace/chrome_trace.h"
#include "trace/critical_path.h"
#include "trace/critical_path_render.h"
#include "trace/trace.h"
#include "trace/trace_buffer.h"
#include "trace/trace_collector.h"
#include "trace/trace_fixture.h"
#include "trace/trace_record.h"
#include "trace/trace_sink.h"
#include "trace/trace_writer.h"

// The code of docs/guides/trace.md: it compiles here, and the test checks that it does what the
// guide says.

namespace millrace::runtime {
namespace {

using ::testing::HasSubstr;

base::TimePoint at(std::int64_t ns) { return trace::TraceScript::at(ns); }

TEST(TraceExampleTest, GuideRecordsARunAndReadsIt) {
  std::ostringstream file;
  std::ostringstream terminal;

  // snippet-begin: collect
  trace::TraceCollector collector;
  trace::MemorySink memory;
  trace::ChromeTraceSink chrome(file);
  collector.add_sink(memory);
  collector.add_sink(chrome);
  trace::TraceBuffer& worker = collector.add_buffer("worker 0");
  const trace::TraceTopologyId topology = collector.add_topology({
      .plan = "greeting",
      .nodes = {{.id = "fetch", .op = "lookup"}, {.id = "score", .op = "vm"}},
      .edges = {{.producer = 0, .consumer = 1}},
  });
  // snippet-end: collect

  // snippet-begin: write
  const trace::TraceContext run(trace::TraceId(1), trace::TraceFlag::All, topology);
  trace::TraceWriter trace(worker, run);
  trace.run_start(at(0));
  trace.node_start_queued(0, /*queued_at=*/at(0), at(20'000));
  trace.node_end(0, at(90'000), trace::SpanStatus::Ok);
  trace.node_start_inlined(1, /*parent=*/0, /*depth=*/1, at(90'000));
  trace.node_end(1, at(100'000), trace::SpanStatus::Ok);
  trace.run_end(at(101'000), {.status = trace::SpanStatus::Ok, .executed_count = 2});
  // snippet-end: write

  // snippet-begin: read
  collector.collect();
  for (const trace::MemorySink::StoredRun& stored : memory.take()) {
    const auto analysis = trace::analyse_run(stored.records, *stored.topology);
    if (analysis) terminal << trace::render_text(*analysis, *stored.topology, {.width = 80});
  }
  const base::Status written = chrome.close();
  // snippet-end: read

  ASSERT_TRUE(written.has_value());
  EXPECT_THAT(file.str(), HasSubstr("\"name\":\"score\""));
  const std::string expected =
      R"(
run 0x0000000000000001  plan greeting  ok  101.000 us
LS fetch                    |·······██████████████████████████     |   70.000 us
LS score                    |                                 ████ |   10.000 us

Critical path by latency (end - ready), in ns
       waiting        queued       service  node
             0         20000         70000  fetch
             0             0         10000  score
          1000                              (to the end of the run)
spans 100000 + gaps 1000 = latency 101000

Critical path by service (end - start), in ns
       waiting        queued       service  node
             0         20000         70000  fetch
             0             0         10000  score
          1000                              (to the end of the run)
spans 80000 + gaps 21000 = latency 101000
)";
  EXPECT_EQ("\n" + terminal.str(), expected);
}

}  // namespace
}  // namespace millrace::runtime
