#include "trace/critical_path_render.h"

#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "trace/critical_path.h"
#include "trace/trace.h"
#include "trace/trace_fixture.h"
#include "trace/trace_record.h"

namespace millrace::trace {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

struct Example {
  TraceTopology topology;
  RunAnalysis run;
};

// 0 → 1 → 2; node 3 stands alone and is on no path.
Example example() {
  Example out{.topology = TraceScript::dag(4, {{0, 1}, {1, 2}}), .run = {}};
  TraceScript script;
  script.run_start(1'000)
      .queued(0, 1'000, 1'100)
      .end(0, 1'400)
      .queued(3, 1'000, 1'000)
      .end(3, 1'050);
  script.inlined(1, 0, 1'400).end(1, 1'400).queued(2, 1'400, 1'700);
  script.end(2, 1'900, SpanStatus::Deadline);
  script.run_end(2'000, {.status = SpanStatus::Deadline, .executed_count = 4, .late_count = 1});
  out.run = analyse_run(script.records(), out.topology).value();
  return out;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

TEST(CriticalPathRenderTest, DrawsABarPerNode) {
  const Example made = example();
  const auto lines =
      lines_of(render_text(made.run, made.topology, {.width = 62, .use_unicode = false}));
  ASSERT_GE(lines.size(), 5u);
  EXPECT_THAT(lines[0], HasSubstr("plan plan"));
  EXPECT_THAT(lines[0], HasSubstr("deadline  1.000 us"));
  // 20 columns for 1000 ns: 50 ns each.
  EXPECT_EQ(lines[1], "   n3                       |#                   |       50 ns");
  EXPECT_EQ(lines[2], "LS n0                       |..######            |      300 ns");
  EXPECT_EQ(lines[3], "LS n1                       |        #           |        0 ns");
  EXPECT_EQ(lines[4], "LS n2                       |        ......####  |      200 ns deadline");
}

TEST(CriticalPathRenderTest, ShowsBothPathsWithTheirSums) {
  const Example made = example();
  const std::string text = render_text(made.run, made.topology);
  EXPECT_THAT(text, HasSubstr("by latency (end - ready)"));
  EXPECT_THAT(text, HasSubstr("spans 900 + gaps 100 = latency 1000"));
  EXPECT_THAT(text, HasSubstr("by service (end - start)"));
  EXPECT_THAT(text, HasSubstr("spans 500 + gaps 500 = latency 1000"));
}

TEST(CriticalPathRenderTest, LeavesOutNodesPastTheLimitButNoneOnAPath) {
  const Example made = example();
  const std::string text = render_text(made.run, made.topology, {.rows_max = 0});
  EXPECT_THAT(text, Not(HasSubstr("n3")));
  EXPECT_THAT(text, HasSubstr("(1 more nodes)"));
  EXPECT_THAT(text, HasSubstr("LS n2"));
}

TEST(CriticalPathRenderTest, RunOfNoLengthIsDrawn) {
  const TraceTopology topology = TraceScript::dag(1, {});
  TraceScript script;
  script.run_start(5).queued(0, 5, 5).end(0, 5).run_end(5, {.executed_count = 1});
  const RunAnalysis run = analyse_run(script.records(), topology).value();
  EXPECT_THAT(render_text(run, topology, {.use_unicode = false}), HasSubstr("|#"));
}

TEST(CriticalPathRenderTest, JsonHoldsTheSameNumbers) {
  Example made = example();
  made.topology.nodes[2].id = "a \"strange\" \xff name";
  const auto json = nlohmann::json::parse(render_json(made.run, made.topology).c_str());
  EXPECT_EQ(json["trace_id"], "0x0000000000000007");
  EXPECT_EQ(json["status"], "deadline");
  EXPECT_EQ(json["latency_ns"], 1000);
  EXPECT_EQ(json["nodes"].size(), 4u);
  EXPECT_EQ(json["nodes"][1]["start_ns"], 100);
  for (const char* path : {"latency_path", "service_path"}) {
    std::int64_t sum = json[path]["final_gap_ns"];
    for (const auto& step : json[path]["steps"]) {
      sum += step["waiting_ns"].get<std::int64_t>() + step["queued_ns"].get<std::int64_t>() +
             step["service_ns"].get<std::int64_t>();
    }
    EXPECT_EQ(sum, 1000);
    EXPECT_EQ(json[path]["span_total_ns"].get<int>() + json[path]["gap_total_ns"].get<int>(), 1000);
  }
  EXPECT_EQ(json["latency_path"]["steps"][2]["node_id"], "a \"strange\" \xef\xbf\xbd name");
}

}  // namespace
}  // namespace millrace::trace
