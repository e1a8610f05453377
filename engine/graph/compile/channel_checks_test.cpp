#include "graph/compile/channel_checks.h"

#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/format.h"
#include "graph/graph_fixture.h"

namespace millrace::graph {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> with_policy(std::string_view policy, std::string_view lane = "main") {
  GraphText graph;
  graph.lanes.push_back("iso: {type: isolated_thread}");
  graph.source("a", base::format("lane: {}", lane)).step("b");
  graph.edges = {
      base::format("{{id: e, kind: async, from: a.out, to: b.in, policy: {{{}}}}}", policy)};
  return diagnose(graph.text());
}

TEST(ChannelChecksTest, BuffersOfOneValueRefuseWhatNeedsMore) {
  EXPECT_THAT(with_policy("mode: queue, capacity: 8, overflow: drop_newest"), IsEmpty());
  EXPECT_THAT(with_policy("mode: latched, overflow: reject"), IsEmpty());
  EXPECT_THAT(with_policy("mode: latched, capacity: 2"),
              ElementsAre("invalid_channel_policy edges[0].policy.capacity 10:83"));
  EXPECT_THAT(with_policy("max_inflight: 2"), IsEmpty());
}

TEST(ChannelChecksTest, OnlyIsolatedLanesCanBlock) {
  EXPECT_THAT(with_policy("mode: queue, overflow: block", "iso"), IsEmpty());
  EXPECT_THAT(with_policy("mode: queue, overflow: block"),
              ElementsAre("block_without_isolated_lane edges[0].policy.overflow 10:81"));
}

}  // namespace
}  // namespace millrace::graph
