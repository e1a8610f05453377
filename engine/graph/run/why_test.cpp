#include "graph/run/why.h"

#include <chrono>
#include <string>

#include <gtest/gtest.h>

#include "graph/run/run_fixture.h"
#include "graph/run/runtime.h"

namespace millrace::graph {
namespace {

using namespace std::chrono_literals;

struct WhyTest : testing::Test {
  static WhyReport why(const RunText& parts, const char* component, std::uint64_t epochs) {
    const TestTypes types;
    const CompiledGraph graph = types.compile(parts.text());
    Runtime runtime(graph, types.registry(), {.virtual_time = true});
    EXPECT_TRUE(runtime.start());
    if (epochs > 0) EXPECT_TRUE(runtime.step({}, epochs));
    return runtime.why(component).value();
  }
};

const RunText kPair{.lanes = {"t: {type: fixed_rate, period: 10ms}"},
                    .components = {"id: a, type: core.counter, event_sources: [{type: timer, "
                                   "period: 20ms}], execution: {lane: t}",
                                   "id: b, type: core.input, execution: {lane: t}",
                                   "id: c, type: core.collect, trigger_policy: {type: all_inputs, "
                                   "inputs: [a, b]}, execution: {lane: t}"},
                    .edges = {"id: ea, kind: immediate, from: a.out, to: c.a",
                              "id: eb, kind: immediate, from: b.out, to: c.b"}};

TEST_F(WhyTest, G71_SaysWhatCausedTheLastRun) {
  const WhyReport report = why(kPair, "a", 1);
  EXPECT_TRUE(report.ran);
  EXPECT_EQ(report.reason, "its timer was due");
}

TEST_F(WhyTest, G71_SaysWhichInputIsMissingAndSinceWhen) {
  const WhyReport report = why(kPair, "c", 3);
  EXPECT_FALSE(report.ran);
  EXPECT_EQ(report.epoch, 3U);
  EXPECT_EQ(report.reason, "no message on 'b'");
  ASSERT_EQ(report.waits_for.size(), 1U);
  EXPECT_EQ(report.waits_for.front().input, "b");
  EXPECT_EQ(report.waits_for.front().missing_since_epoch, 1U);
  EXPECT_EQ(report.lane_state, "next epoch at 30 ms");
}

TEST_F(WhyTest, G71_SaysWhichRuleWaitsUntilWhen) {
  const WhyReport report = why(kPair, "a", 2);
  EXPECT_FALSE(report.ran);
  EXPECT_EQ(report.due_at, 20ms);
  EXPECT_EQ(report.reason, "timer holds it back until 20 ms");
}

TEST_F(WhyTest, G71_SaysThatItIsIsolatedFinishedOrRejected) {
  RunText parts{
      .lanes = {"main: {type: event_loop}", "pool: {type: thread_pool, queue_capacity: 0}"},
      .components = {"id: s, type: core.counter, config: {count: 2}, execution: {lane: main}",
                     "id: f, type: core.fail, config: {fail_at: [1]}, trigger_policy: {type: "
                     "any_input}, execution: {lane: main, on_error: isolate}",
                     "id: h, type: core.fail, trigger_policy: {type: any_input}, execution: {lane: "
                     "pool, priority: high}",
                     "id: l, type: core.fail, trigger_policy: {type: any_input}, execution: {lane: "
                     "pool, priority: low}",
                     "id: later, type: core.counter, config: {count: 9}, execution: {lane: main}"},
      .edges = {"id: sf, kind: immediate, from: s.out, to: f.in",
                "id: sh, kind: immediate, from: s.out, to: h.in",
                "id: sl, kind: immediate, from: s.out, to: l.in"}};
  parts.lanes[1] = "pool: {type: thread_pool, max_threads: 1, queue_capacity: 0}";
  EXPECT_EQ(why(parts, "f", 2).reason, "it is isolated since it failed");
  EXPECT_EQ(why(parts, "l", 2).reason, "its lane was full and rejected it");
  EXPECT_EQ(why(parts, "s", 3).reason, "it has finished");
  EXPECT_EQ(why(parts, "s", 0).reason, "its domain has not had an epoch yet");
  EXPECT_EQ(why(parts, "h", 1).reason, "message sh#1 was there");
}

}  // namespace
}  // namespace millrace::graph
