#include "graph/report/live_table.h"

#include <algorithm>
#include <chrono>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/format.h"
#include "base/formats/json_writer.h"
#include "graph/compile/compiled_graph.h"
#include "graph/report/run_report.h"
#include "graph/run/run_fixture.h"
#include "graph/run/run_result.h"

namespace millrace::graph {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// A counter that overruns the edge behind it.
RunText overrun_graph() {
  return {.components = {"id: tick, type: core.counter, config: {count: 9, per_invocation: 3}, "
                         "execution: {lane: main}",
                         "id: show, type: core.linear, trigger_policy: {type: any_input, inputs: "
                         "[in]}, execution: {lane: main}"},
          .edges = {"id: narrow, kind: immediate, from: tick.out, to: show.in, policy: {mode: "
                    "queue, capacity: 2, overflow: drop_oldest}"}};
}

std::string status_json(const RunStatus& status) {
  const TestTypes types;
  const RunText parts = overrun_graph();
  const CompiledGraph graph = types.compile(parts.text());
  const RuntimeRunnerResult result = run_graph(parts);
  std::string text;
  base::JsonWriter json(text);
  write_status_json(graph, result, status, json);
  return text;
}

TEST(LiveTableTest, ReadsWhatARunSaysOfItself) {
  const auto sample = read_live_sample(status_json({.time = std::chrono::seconds(2)}));
  ASSERT_TRUE(sample) << sample.error().to_string();
  EXPECT_EQ(sample->graph, "t");
  EXPECT_EQ(sample->status, "running");
  EXPECT_EQ(sample->time_ms, 2000);
  ASSERT_EQ(sample->components.size(), 2U);
  EXPECT_EQ(sample->components[1].id, "show");
  EXPECT_EQ(sample->components[1].value("execution_count"), 6);
  ASSERT_EQ(sample->edges.size(), 1U);
  EXPECT_EQ(sample->edges[0].value("overwrite_count"), 3);
  EXPECT_THAT(sample->health, testing::Contains(HasSubstr("channel_overflow at narrow: 3 times")));
}

TEST(LiveTableTest, TheStatusSaysWhetherItIsPausedOrOver) {
  EXPECT_EQ(read_live_sample(status_json({.is_paused = true}))->status, "paused");
  EXPECT_EQ(read_live_sample(status_json({.is_paused = true, .has_ended = true}))->status, "ended");
}

TEST(LiveTableTest, RatesAreThoseSinceTheLastLook) {
  LiveSample before{.graph = "g", .status = "running", .time_ms = 1000, .invocations = 100};
  before.components.push_back({.id = "c", .values = {{"execution_count", 10}}});
  before.domains.push_back({.domain = "main", .count = 50});
  LiveSample now = before;
  now.time_ms = 3000;
  now.invocations = 300;
  now.components[0].values["execution_count"] = 40;
  now.domains[0].count = 150;
  const std::string table = live_table(now, &before);
  EXPECT_THAT(table, HasSubstr("g: running for 3.0 s, 300 invocations, 100.0/s\n"));
  EXPECT_THAT(table, testing::ContainsRegex("main +150 +50.0\n"));
  EXPECT_THAT(table, testing::ContainsRegex("c +40 +15.0 "));
  // The first look has the mean since the start.
  EXPECT_THAT(live_table(now, nullptr), testing::ContainsRegex("main +150 +50.0\n"));
}

TEST(LiveTableTest, WhatIsWrongIsNeverCutOff) {
  LiveSample sample{.graph = "g", .status = "ended", .time_ms = 1000};
  sample.errors.push_back("component_execute of c: broken");
  for (int i = 0; i < 50; ++i) sample.components.push_back({.id = base::format("c{}", i)});
  const std::string table = live_table(sample, nullptr, {.rows_max = 10});
  EXPECT_EQ(std::ranges::count(table, '\n'), 10);
  EXPECT_THAT(table, HasSubstr("component_execute of c: broken"));
  EXPECT_THAT(table, HasSubstr("lines more\n"));
  EXPECT_THAT(live_table(sample, nullptr), Not(HasSubstr("lines more")));
}

TEST(LiveTableTest, WhatIsNoStatusIsRefused) {
  EXPECT_FALSE(read_live_sample("{}"));
  EXPECT_FALSE(read_live_sample("[1]"));
  EXPECT_FALSE(read_live_sample(R"({"graph":"g","status":"running"})"));
  EXPECT_FALSE(read_live_sample("<html>"));
  EXPECT_TRUE(read_live_sample(R"({"graph":"g","status":"running","epochs":{}})"));
}

}  // namespace
}  // namespace millrace::graph
