#include "graph/report/svg_layout.h"

#include <algorithm>
#include <cstddef>
#include <string>

#include <gtest/gtest.h>

#include "base/format.h"
#include "base/random.h"
#include "graph/compile/compiled_graph.h"
#include "graph/graph_fixture.h"

namespace millrace::graph {
namespace {

/// A graph of so many components: layers of processing with fan-out, fan-in, long edges, feedback
/// and two domains.
CompiledGraph generated_graph(std::size_t count) {
  base::SplitMix64 random(11);
  GraphText graph;
  graph.lanes.push_back("side: {type: isolated_thread}");
  const auto name = [](std::size_t i) { return base::format("component_{}", i); };
  for (std::size_t i = 0; i < count; ++i) {
    const bool is_source = i < 8;
    const std::string lane = i % 9 == 8 ? "lane: side" : "lane: main";
    is_source ? graph.source(name(i), lane) : graph.step(name(i), lane);
  }
  for (std::size_t i = 8; i < count; ++i) {
    const std::size_t near = i - 1 - random.below(std::min<std::size_t>(i, 14));
    graph.edge(name(near), name(i), near % 9 == 8 || i % 9 == 8 ? "async" : "immediate");
    if (i % 5 == 0) graph.edge(name(random.below(i)), name(i), "delay");
    if (i % 17 == 0) graph.edge(name(i), name(random.below(i - 8) + 8), "async");
    if (i % 40 == 0) graph.edge(name(i), name(i), "delay");
  }
  return compile_good(graph.text());
}

TEST(SvgLayoutTest, NoBoxesOverlapAndNoLabelCoversABox) {
  const SvgLayout layout = lay_out_svg(generated_graph(200));
  ASSERT_EQ(layout.boxes.size(), 200U);
  for (std::size_t i = 0; i < layout.boxes.size(); ++i) {
    const SvgRect& rect = layout.boxes[i].rect;
    EXPECT_GE(rect.y, kHeadHeight);
    EXPECT_LE(rect.x + rect.width, layout.width);
    EXPECT_LE(rect.y + rect.height, layout.height);
    for (std::size_t k = i + 1; k < layout.boxes.size(); ++k) {
      EXPECT_FALSE(rect.overlaps(layout.boxes[k].rect)) << i << " and " << k;
    }
  }
  for (const SvgLine& line : layout.lines) {
    for (const SvgBox& box : layout.boxes) {
      EXPECT_FALSE(line.label_rect.overlaps(box.rect)) << line.label;
    }
  }
}

TEST(SvgLayoutTest, LabelsDoNotOverlapAndTextFitsItsBox) {
  const SvgLayout layout = lay_out_svg(generated_graph(200));
  for (std::size_t i = 0; i < layout.lines.size(); ++i) {
    for (std::size_t k = i + 1; k < layout.lines.size(); ++k) {
      EXPECT_FALSE(layout.lines[i].label_rect.overlaps(layout.lines[k].label_rect))
          << i << " " << k;
    }
  }
  for (const SvgBox& box : layout.boxes) {
    EXPECT_LT(static_cast<double>(box.lines[0].size()) * kIdFontSize * kCharacterWidth,
              box.rect.width);
  }
}

TEST(SvgLayoutTest, StraightPartsOfLinesDoNotCrossBoxes) {
  const SvgLayout layout = lay_out_svg(generated_graph(200));
  for (const SvgLine& line : layout.lines) {
    for (std::size_t i = 0; i + 1 < line.points.size(); i += 2) {
      const auto& from = line.points[i];
      const auto& to = line.points[i + 1];
      const SvgRect part{.x = std::min(from.x, to.x) + 0.1,
                         .y = std::min(from.y, to.y) - 0.1,
                         .width = std::max(from.x, to.x) - std::min(from.x, to.x) - 0.2,
                         .height = 0.2};
      for (const SvgBox& box : layout.boxes) EXPECT_FALSE(part.overlaps(box.rect)) << line.label;
    }
  }
}

}  // namespace
}  // namespace millrace::graph
