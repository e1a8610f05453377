#include "graph/compile/digraph.h"

#include <cstddef>
#include <cstdint>

#include <gtest/gtest.h>

namespace millrace::graph {
namespace {

TEST(DigraphTest, FindsStrongComponents) {
  Digraph graph(6);
  graph.add_edge(0, 1);
  graph.add_edge(1, 2);
  graph.add_edge(2, 0);
  graph.add_edge(2, 3);
  graph.add_edge(3, 4);
  graph.add_edge(4, 3);
  const StrongComponents found = find_strong_components(graph);
  EXPECT_EQ(found.count, 3U);
  EXPECT_EQ(found.of[0], found.of[2]);
  EXPECT_EQ(found.of[3], found.of[4]);
  EXPECT_NE(found.of[0], found.of[3]);
  EXPECT_EQ(found.sizes[found.of[1]], 3U);
  EXPECT_EQ(found.sizes[found.of[5]], 1U);
  EXPECT_TRUE(graph.has_edge(2, 3));
  EXPECT_FALSE(graph.has_edge(3, 2));
}

TEST(DigraphTest, G5_LongChainsAndRingsDoNotRecurse) {
  constexpr std::size_t kCount = 200'000;
  Digraph graph(kCount);
  for (std::uint32_t i = 0; i + 1 < kCount; ++i) graph.add_edge(i, i + 1);
  EXPECT_EQ(find_strong_components(graph).count, kCount);
  graph.add_edge(kCount - 1, 0);
  EXPECT_EQ(find_strong_components(graph).count, 1U);
}

}  // namespace
}  // namespace millrace::graph
