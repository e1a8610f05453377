#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "graph/compile/compiled_graph.h"

namespace millrace::graph {

struct SvgRect {
  double x = 0;
  double y = 0;
  double width = 0;
  double height = 0;

  [[nodiscard]] bool overlaps(const SvgRect& other) const {
    return x < other.x + other.width && other.x < x + width && y < other.y + other.height &&
           other.y < y + height;
  }
};

/// The box of one component.
struct SvgBox {
  SvgRect rect;
  std::vector<std::string> lines;  ///< first the id
};

/// The line of one edge, from left to right.
struct SvgLine {
  struct Point {
    double x = 0;
    double y = 0;
  };
  std::vector<Point> points = {};  ///< pairs: between two of a pair it is straight
  bool is_backward = false;        ///< the arrow is at the left end
  std::string label = {};
  SvgRect label_rect = {};
};

/// Places of everything in the picture of a graph.
struct SvgLayout {
  std::vector<SvgBox> boxes;   ///< as the components
  std::vector<SvgLine> lines;  ///< as the edges
  double width = 0;
  double height = 0;
};

/// Width of a character, as part of the size of the font, which is monospaced.
inline constexpr double kCharacterWidth = 0.62;
inline constexpr double kIdFontSize = 12;
inline constexpr double kSmallFontSize = 10;
/// Room above the boxes for title and legend.
inline constexpr double kHeadHeight = 74;

[[nodiscard]] SvgLayout lay_out_svg(const CompiledGraph& graph);

}  // namespace millrace::graph
