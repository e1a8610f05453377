#include "trace/waterfall.h"

#include <chrono>
#include <numeric>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace millrace::trace {
namespace {

using ::testing::HasSubstr;
using namespace std::chrono_literals;

FiledNode node(std::string id,
               base::Duration begin,
               base::Duration end,
               std::vector<std::size_t> producers) {
  return {.id = std::move(id),
          .op = "vm",
          .status = "ok",
          .thread = "loop",
          .begin = begin,
          .end = end,
          .producers = std::move(producers)};
}

FiledRun diamond() {
  return {.name = "plan",
          .trace_id = "0x1",
          .status = "ok",
          .duration = 10ms,
          .nodes = {node("a", 1ms, 2ms, {}),
                    node("b", 2ms, 4ms, {0}),
                    node("c", 3ms, 8ms, {0}),
                    node("d", 8ms, 9ms, {1, 2})}};
}

base::Duration sum_of(const FiledPath& path) {
  return std::accumulate(
      path.steps.begin(),
      path.steps.end(),
      path.after,
      [](base::Duration sum, const FiledStep& step) { return sum + step.waited + step.ran; });
}

TEST(WaterfallTest, PathFollowsWhatEndedLast) {
  const FiledPath path = find_path(diamond());
  ASSERT_EQ(path.steps.size(), 3U);
  EXPECT_EQ(path.steps[0].node, 0U);
  EXPECT_EQ(path.steps[1].node, 2U);
  EXPECT_EQ(path.steps[1].waited, 1ms);
  EXPECT_EQ(path.steps[1].ran, 5ms);
  EXPECT_EQ(path.steps[2].node, 3U);
  EXPECT_EQ(path.after, 1ms);
  EXPECT_EQ(sum_of(path), 10ms);
}

TEST(WaterfallTest, WhatEndsAfterTheAnswerIsNotOnThePath) {
  FiledRun run = diamond();
  run.duration = 5ms;  // a deadline
  const FiledPath path = find_path(run);
  ASSERT_EQ(path.steps.size(), 2U);
  EXPECT_EQ(path.steps[1].node, 1U);
  EXPECT_EQ(sum_of(path), 5ms);
}

TEST(WaterfallTest, DrawsALinePerNode) {
  EXPECT_EQ(draw_waterfall(diamond(), {.columns = 60, .use_unicode = false}),
            "plan 0x1: ok in 10.000 ms\n"
            "* a (vm) |   #####                            |    1.000 ms\n"
            "  b (vm) |       ########                     |    2.000 ms\n"
            "* c (vm) |          ###################       |    5.000 ms\n"
            "* d (vm) |                            #####   |    1.000 ms\n"
            "critical path: a > c > d\n"
            "  nodes ran                   7.000 ms  70.0 %\n"
            "  nodes waited to run         2.000 ms  20.0 %\n"
            "  after the last node         1.000 ms  10.0 %\n"
            "  together                   10.000 ms 100.0 %\n");
}

TEST(WaterfallTest, DrawsRunsThatMakeNoSense) {
  const FiledRun empty;
  EXPECT_THAT(draw_waterfall(empty, {}), HasSubstr("ended"));
  FiledRun odd = diamond();
  odd.duration = -1ms;
  odd.nodes[0].begin = -5ms;
  odd.nodes[1].end = 0ms;
  odd.nodes[2].id = std::string(500, 'x') + "\x1b[2J";
  const std::string text = draw_waterfall(odd, {.columns = 1});
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace millrace::trace
