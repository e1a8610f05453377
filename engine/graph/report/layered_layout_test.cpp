#include "graph/report/layered_layout.h"

#include <cstddef>

#include <gtest/gtest.h>

namespace millrace::graph {
namespace {

TEST(LayeredLayoutTest, EdgesGoToLaterLayersAndHavePlacesInThoseBetween) {
  const LayerInput input{.heights = {10, 10, 10, 10}, .edges = {{0, 1}, {1, 2}, {0, 2}, {0, 3}}};
  const LayerOutput output = lay_out(input);
  EXPECT_EQ(output.layer_count, 3U);
  for (const auto& [from, to] : input.edges) EXPECT_LT(output.layer[from], output.layer[to]);
  ASSERT_EQ(output.bends[2].size(), 1U);
  // The bend of 0 → 2 passes above or below the nodes of its layer.
  for (const std::size_t node : {1U, 3U}) {
    const bool is_outside = output.bends[2][0] < output.top[node] ||
                            output.bends[2][0] > output.top[node] + input.heights[node];
    EXPECT_TRUE(is_outside);
  }
}

TEST(LayeredLayoutTest, ASourceStandsBesideItsTarget) {
  const LayerOutput output =
      lay_out({.heights = {10, 10, 10, 10}, .edges = {{0, 1}, {1, 2}, {3, 2}}});
  EXPECT_EQ(output.layer[3], 1U);
}

TEST(LayeredLayoutTest, NothingIsFine) {
  EXPECT_EQ(lay_out({.heights = {}, .edges = {}}).layer_count, 0U);
}

}  // namespace
}  // namespace millrace::graph
