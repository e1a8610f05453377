#include "scheduler/shape.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scheduler/ideal.h"
#include "scheduler/suite.h"

namespace millrace::bench {
namespace {

std::size_t edge_count(const Shape& shape) {
  std::size_t edges = 0;
  for (const auto& dependents : shape.dependents) edges += dependents.size();
  return edges;
}

TEST(ShapeTest, ShapesHaveTheStatedSizes) {
  EXPECT_EQ(make_chain(64).node_count(), 64U);
  EXPECT_EQ(edge_count(make_chain(64)), 63U);
  EXPECT_EQ(make_fan(512).node_count(), 514U);
  EXPECT_EQ(edge_count(make_fan(512)), 1024U);
  EXPECT_EQ(edge_count(make_binary_tree(255)), 254U);
  EXPECT_EQ(make_diamond_ladder(64).node_count(), 193U);
  EXPECT_EQ(edge_count(make_diamond_ladder(64)), 256U);
  EXPECT_EQ(make_wavefront(32).node_count(), 1024U);
  EXPECT_EQ(edge_count(make_wavefront(32)), 2U * 32 * 31);
}

TEST(ShapeTest, RankingIsTenNodesSevenDeep) {
  const Shape ranking = make_ranking();
  EXPECT_EQ(ranking.node_count(), 10U);
  EXPECT_EQ(critical_path(ranking), 7U);
}

TEST(ShapeTest, EdgesAreMirroredAndDistinctAndEveryCaseIsAcyclic) {
  for (const Case& entry : make_suite(1)) {
    const Shape& shape = entry.shape;
    EXPECT_EQ(topological_order(shape).size(), shape.node_count()) << entry.name;
    for (NodeIndex node = 0; node < shape.node_count(); ++node) {
      const auto& producers = shape.producers[node];
      EXPECT_EQ(std::set<NodeIndex>(producers.begin(), producers.end()).size(), producers.size());
      for (const NodeIndex producer : producers) {
        EXPECT_THAT(shape.dependents[producer], testing::Contains(node)) << entry.name;
      }
    }
  }
}

TEST(ShapeTest, EveryNodeBelowTheFirstLayerHasAProducer) {
  EXPECT_EQ(sources(make_random_layered(500, 7)).size(), 10U);
}

TEST(ShapeTest, SeedDecidesTheShape) {
  EXPECT_EQ(make_random_layered(200, 1).dependents, make_random_layered(200, 1).dependents);
  EXPECT_NE(make_random_layered(200, 1).dependents, make_random_layered(200, 2).dependents);
}

TEST(ShapeTest, MixedLatencyIsFourFifthsFast) {
  const Shape mixed = make_mixed_latency(200, 3);
  EXPECT_EQ(std::ranges::count(mixed.cost, 1U), 160);
  EXPECT_EQ(std::ranges::count(mixed.cost, 100U), 40);
}

TEST(ShapeTest, UnevenBranchesDoubleFromOneToTheNext) {
  const Shape uneven = make_uneven_ranking();
  EXPECT_EQ(uneven.node_count(), 24U);
  EXPECT_EQ(uneven.dependents[0].size(), 4U);
  for (const std::uint32_t cost : {2U, 4U, 8U})
    EXPECT_EQ(std::ranges::count(uneven.cost, cost), 5) << cost;
  EXPECT_EQ(sources(uneven).size(), 1U);
}

TEST(ShapeTest, SuiteNamesEveryCaseOnce) {
  std::set<std::string> names;
  for (const Case& entry : make_suite(1)) {
    EXPECT_TRUE(names.insert(entry.name + " " + entry.body).second) << entry.name;
  }
  // Thirteen shapes and one in flight with eight bodies each, one mixed case, and 63 widths warm
  // and cold.
  EXPECT_EQ(names.size(), 8U * 14 + 1 + 2 * 63);
}

}  // namespace
}  // namespace millrace::bench
