#include "graph/compile/compiled_graph.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/format.h"
#include "graph/graph_fixture.h"

namespace millrace::graph {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(CompiledGraphTest, EdgesAreFoundFromBothEnds) {
  GraphText graph;
  graph.source("a").step("b").step("c").edge("a", "b").edge("a", "c").edge("b", "c");
  const CompiledGraph compiled = compile_good(graph.text());
  const auto out = compiled.out(0);
  const auto in = compiled.in(2);
  EXPECT_THAT(std::vector<std::uint32_t>(out.begin(), out.end()), ElementsAre(0, 1));
  EXPECT_THAT(std::vector<std::uint32_t>(in.begin(), in.end()), ElementsAre(1, 2));
  EXPECT_EQ(compiled.find_component("c"), 2U);
  EXPECT_EQ(compiled.find_component("x"), std::nullopt);
}

TEST(CompiledGraphTest, G1_EqualInputGivesAnEqualOrder) {
  GraphText graph;
  for (int i = 0; i < 50; ++i) graph.step(base::format("n{}", i));
  for (int i = 0; i < 50; ++i)
    graph.edge(base::format("n{}", i), base::format("n{}", (i * 7 + 3) % 50), "delay");
  EXPECT_EQ(region_ids(compile_good(graph.text())), region_ids(compile_good(graph.text())));
}

TEST(CompiledGraphTest, G5_AChainOf4096CompilesWithoutRecursion) {
  GraphText graph;
  constexpr int kCount = 4096;
  graph.source("n0");
  for (int i = 1; i < kCount; ++i) graph.step(base::format("n{}", i));
  for (int i = 1; i < kCount; ++i) graph.edge(base::format("n{}", i - 1), base::format("n{}", i));
  const CompiledGraph compiled = compile_good(graph.text());
  EXPECT_EQ(compiled.regions.size(), static_cast<std::size_t>(kCount));
  EXPECT_EQ(compiled.stages.size(), static_cast<std::size_t>(kCount));
  EXPECT_EQ(compiled.regions.back().id, "n4095");
}

TEST(CompiledGraphTest, FreeRunningWarnsOnlyWhereNothingWaits) {
  const std::string counter = "{id: a, type: core.counter, execution: {lane: main}}";
  EXPECT_THAT(diagnose(GraphText{.components = {counter}}.text()),
              ElementsAre("free_running_component components[0] 6:5"));
  EXPECT_THAT(diagnose(GraphText{.lanes = {"main: {type: fixed_rate, period: 1ms}"},
                                 .components = {counter}}
                           .text()),
              IsEmpty());
  EXPECT_THAT(
      diagnose(
          GraphText{.components = {"{id: a, type: core.input, execution: {lane: main}}"}}.text()),
      IsEmpty());
}

}  // namespace
}  // namespace millrace::graph
