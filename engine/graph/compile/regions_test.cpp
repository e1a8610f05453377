#include "graph/compile/regions.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/format.h"
#include "base/random.h"
#include "graph/compile/compiled_graph.h"
#include "graph/format/words.h"
#include "graph/graph_fixture.h"

namespace millrace::graph {
namespace {

using ::testing::ElementsAre;

TEST(RegionsTest, G1_PlacedByClassThenByDeclaration) {
  GraphText graph;
  graph.source("a")
      .source("b", "lane: main, priority: background")
      .source("c", "lane: main, priority: high");
  graph.step("d").step("e", "lane: main, priority: high").step("f");
  graph.edge("a", "e").edge("b", "f");
  // 'e' is of the highest class but waits for 'a'; then it goes before 'd', which was declared
  // first.
  EXPECT_THAT(region_ids(compile_good(GraphText(graph).edge("a", "d").text())),
              ElementsAre("c", "a", "e", "d", "b", "f"));
}

TEST(RegionsTest, G1_ALoopHasTheClassOfItsBestMemberAndThePlaceOfItsFirst) {
  GraphText graph;
  graph.source("a").source("b").step("x").source("c").step("y", "lane: main, priority: high");
  graph.edges = {"{id: e, kind: immediate, from: x.out, to: y.in}",
                 "{id: f, kind: immediate, from: y.out, to: x.in}"};
  graph.loops = {"{id: ring, components: [y, x], loop_policy: {type: fixed_point}}"};
  const CompiledGraph compiled = compile_good(graph.text());
  EXPECT_THAT(region_ids(compiled), ElementsAre("ring", "a", "b", "c"));
  EXPECT_EQ(compiled.regions[0].priority, PriorityClass::kHigh);
}

TEST(RegionsTest, G4_MembersRunAsListedAndIdsDoNotMatter) {
  GraphText graph;
  graph.step("x").step("y").step("z").edge("x", "y").edge("y", "z").edge("z", "x");
  graph.loops = {"{id: ring, components: [z, x, y], loop_policy: {type: fixed_point}}"};
  const CompiledGraph compiled = compile_good(graph.text());
  const auto members = compiled.members(compiled.regions[0]);
  EXPECT_THAT(std::vector<std::uint32_t>(members.begin(), members.end()), ElementsAre(2, 0, 1));
  std::string renamed = graph.text();
  for (const auto& [from, to] : {std::pair{"x", "q"}, {"y", "p"}, {"z", "a"}}) {
    for (const std::string& form : {base::format("id: {},", from), base::format("{}.", from)}) {
      std::string target = form;
      target.replace(target.find(from), 1, to);
      for (std::size_t at = renamed.find(form); at != std::string::npos;
           at = renamed.find(form, at + 1)) {
        renamed.replace(at, form.size(), target);
      }
    }
  }
  renamed.replace(renamed.find("[z, x, y]"), 9, "[a, q, p]");
  const CompiledGraph other = compile_good(renamed);
  EXPECT_EQ(other.region_members, compiled.region_members);
}

TEST(RegionsTest, G57_StagesAreGreedyRunsWithoutDependencies) {
  GraphText graph;
  graph.source("a").source("b").step("c").step("d").step("e");
  graph.edge("a", "c").edge("b", "d").edge("c", "e");
  EXPECT_THAT(stage_ids(compile_good(graph.text())),
              ElementsAre(ElementsAre("a", "b"), ElementsAre("c", "d"), ElementsAre("e")));
}

TEST(RegionsTest, G57_PriorityMovesRegionsAndSoTheCuts) {
  GraphText graph;
  graph.source("a")
      .source("c", "lane: main, priority: low")
      .step("b", "lane: main, priority: high");
  graph.edge("a", "b");
  // Order a, b, c: b depends on a, so it opens a stage, which c joins.
  EXPECT_THAT(stage_ids(compile_good(graph.text())),
              ElementsAre(ElementsAre("a"), ElementsAre("b", "c")));
}

TEST(RegionsTest, G57_EachDomainHasStagesOfItsOwn) {
  GraphText graph;
  graph.lanes.push_back("iso: {type: isolated_thread}");
  graph.source("a").source("x", "lane: iso").step("b").step("y", "lane: iso");
  graph.edge("a", "b").edge("x", "y");
  EXPECT_THAT(stage_ids(compile_good(graph.text())),
              ElementsAre(ElementsAre("a"), ElementsAre("b"), ElementsAre("x"), ElementsAre("y")));
}

TEST(RegionsTest, G3_DeferredFeedbackIsNoCycle) {
  for (const char* kind : {"delay", "state", "async"}) {
    GraphText graph;
    graph.step("a").step("b").edge("a", "b").edge("b", "a", kind).edge("b", "b", kind);
    EXPECT_THAT(region_ids(compile_good(graph.text())), ElementsAre("a", "b")) << kind;
  }
}

TEST(RegionsTest, G1_G57_RandomGraphsKeepTheRules) {
  base::SplitMix64 random(7);
  constexpr const char* kClasses[] = {"high", "normal", "low", "background"};
  for (int round = 0; round < 60; ++round) {
    GraphText graph;
    const std::size_t count = 2 + random.below(30);
    for (std::size_t i = 0; i < count; ++i) {
      graph.step(base::format("n{}", i),
                 base::format("lane: main, priority: {}", kClasses[random.below(4)]));
    }
    for (std::size_t i = 0; i < count * 2; ++i) {
      const std::size_t from = random.below(count);
      const std::size_t to = random.below(count);
      if (from != to)
        graph.edge(base::format("n{}", std::min(from, to)),
                   base::format("n{}", std::max(from, to)));
    }
    for (std::size_t i = 0; i < count; ++i)
      graph.edge(base::format("n{}", i), base::format("n{}", i), "delay");
    const CompiledGraph compiled = compile_good(graph.text());
    ASSERT_EQ(compiled.regions.size(), count);
    std::vector<bool> is_placed(count, false);
    const auto is_ready = [&](std::size_t component) {
      for (const std::uint32_t edge : compiled.in(static_cast<std::uint32_t>(component))) {
        const CompiledEdge& in = compiled.edges[edge];
        if (in.kind == EdgeKind::kImmediate && !is_placed[in.from]) return false;
      }
      return !is_placed[component];
    };
    for (const CompiledRegion& region : compiled.regions) {
      const std::uint32_t chosen = compiled.members(region).front();
      ASSERT_TRUE(is_ready(chosen));
      for (std::size_t other = 0; other < count; ++other) {
        if (other == chosen || !is_ready(other)) continue;
        const PriorityClass priority = compiled.components[other].execution.priority;
        EXPECT_TRUE(region.priority < priority || (region.priority == priority && chosen < other));
      }
      is_placed[chosen] = true;
      for (const std::uint32_t edge : compiled.in(chosen)) {
        const CompiledEdge& in = compiled.edges[edge];
        if (in.kind != EdgeKind::kImmediate) continue;
        EXPECT_LT(compiled.regions[compiled.components[in.from].region].stage, region.stage);
      }
    }
  }
}

}  // namespace
}  // namespace millrace::graph
