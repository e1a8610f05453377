#include "graph/report/render_svg.h"

#include <cstddef>
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/graph_fixture.h"

namespace millrace::graph {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::size_t count_parts(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos;
       at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

TEST(RenderSvgTest, DrawsEveryComponentAndEdge) {
  GraphText graph;
  graph.source("a").step("b").edge("a", "b").edge("b", "b", "delay").edge("b", "b", "async");
  const std::string svg = render_svg(compile_good(graph.text()));
  EXPECT_THAT(svg, StartsWith("<svg xmlns="));
  EXPECT_THAT(svg, HasSubstr(">core.counter</text>"));
  EXPECT_THAT(svg, HasSubstr("main (ready)"));
  EXPECT_EQ(count_parts(svg, "marker-end=") + count_parts(svg, "marker-start="), 3U);
  EXPECT_EQ(count_parts(svg, "<svg"), count_parts(svg, "</svg>"));
}

}  // namespace
}  // namespace millrace::graph
