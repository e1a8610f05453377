#include "graph/report/svg_layout.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/format.h"
#include "graph/compile/compiled_graph.h"
#include "graph/format/words.h"
#include "graph/report/layered_layout.h"

namespace millrace::graph {
namespace {

constexpr double kMargin = 24;
constexpr double kSlotHeight = 16;  // of an edge at the side of a box
constexpr double kLineHeight = 14;  // of text in a box
constexpr double kBoxPadding = 10;
constexpr double kGapBesidesLabel = 64;
constexpr double kLabelIndent = 6;
constexpr double kLabelHeight = 11;
constexpr std::size_t kLabelMax = 22;  // characters

std::string shortened(std::string_view text, std::size_t length_max) {
  if (text.size() <= length_max) return std::string(text);
  return std::string(text.substr(0, length_max - 2)) + "..";
}

double text_width(std::string_view text, double font_size) {
  return static_cast<double>(text.size()) * font_size * kCharacterWidth;
}

std::vector<std::string> box_lines(const CompiledGraph& graph, const CompiledComponent& component) {
  constexpr std::size_t kBoxTextMax = 34;
  const CompiledRegion& region = graph.regions[component.region];
  std::vector<std::string> lines = {shortened(component.id, kBoxTextMax),
                                    shortened(component.type, kBoxTextMax)};
  std::string lane = "lane " + graph.lanes[component.lane].id;
  if (component.execution.priority != PriorityClass::kNormal) {
    lane += base::format(", {}", to_string(component.execution.priority));
  }
  lines.push_back(shortened(lane, kBoxTextMax));
  if (region.is_loop) lines.push_back(shortened("loop " + region.id, kBoxTextMax));
  return lines;
}

/// Where an edge touches a box: which edge, on which side, and the height of its other end.
struct Slot {
  std::uint32_t edge;
  double other_end;
  bool is_self_return;  // the second end of an edge from a component to itself
};

class SvgPlacer {
 public:
  explicit SvgPlacer(const CompiledGraph& graph) : graph_(graph) {}

  SvgLayout run() {
    orient_edges();
    measure_boxes();
    output_ = lay_out(input_);
    place_boxes();
    find_slots();
    for (std::uint32_t i = 0; i < graph_.edges.size(); ++i) draw(i);
    return std::move(layout_);
  }

 private:
  /// Orders components so that most edges go forward: after all their producers where that is
  /// possible. Where feedback forbids it, the first in region order is next, whose immediate edges
  /// then go forward at least.
  [[nodiscard]] std::vector<std::uint32_t> drawing_positions() const {
    const std::size_t count = graph_.components.size();
    std::vector<std::uint32_t> position(count, UINT32_MAX);
    std::vector<std::size_t> open_count(count, 0);
    // Edges within a region go round, so they do not count.
    const auto is_inner = [this](const CompiledEdge& edge) {
      return graph_.components[edge.from].region == graph_.components[edge.to].region;
    };
    for (const CompiledEdge& edge : graph_.edges) open_count[edge.to] += is_inner(edge) ? 0 : 1;
    std::vector<std::uint32_t> ready;
    std::uint32_t placed = 0;
    const auto place = [&](std::uint32_t component) {
      position[component] = placed++;
      for (const std::uint32_t edge : graph_.out(component)) {
        const std::uint32_t target = graph_.edges[edge].to;
        if (is_inner(graph_.edges[edge])) continue;
        if (--open_count[target] == 0 && position[target] == UINT32_MAX) ready.push_back(target);
      }
    };
    for (const std::uint32_t component : graph_.region_members) {
      if (open_count[component] == 0) ready.push_back(component);
    }
    std::size_t next = 0;
    for (const std::uint32_t component : graph_.region_members) {
      for (; next < ready.size(); ++next) place(ready[next]);
      if (position[component] == UINT32_MAX) place(component);
    }
    for (; next < ready.size(); ++next) place(ready[next]);
    return position;
  }

  /// Every edge is drawn from left to right, whichever way its data goes.
  void orient_edges() {
    const std::vector<std::uint32_t> position = drawing_positions();
    layout_.lines.resize(graph_.edges.size());
    for (std::uint32_t i = 0; i < graph_.edges.size(); ++i) {
      const CompiledEdge& edge = graph_.edges[i];
      SvgLine& line = layout_.lines[i];
      line.is_backward = position[edge.from] > position[edge.to];
      line.label = shortened(edge.id, kLabelMax);
      input_index_.push_back(input_.edges.size());
      left_.push_back(line.is_backward ? edge.to : edge.from);
      right_.push_back(line.is_backward ? edge.from : edge.to);
      if (left_[i] != right_[i]) input_.edges.emplace_back(left_[i], right_[i]);
    }
  }

  void measure_boxes() {
    std::vector<std::uint32_t> left_count(graph_.components.size(), 0);
    std::vector<std::uint32_t> right_count(graph_.components.size(), 0);
    for (std::size_t i = 0; i < left_.size(); ++i) {
      ++right_count[left_[i]];
      ++(left_[i] == right_[i] ? right_count : left_count)[right_[i]];
    }
    for (std::uint32_t i = 0; i < graph_.components.size(); ++i) {
      SvgBox& box = layout_.boxes.emplace_back();
      box.lines = box_lines(graph_, graph_.components[i]);
      for (std::size_t k = 0; k < box.lines.size(); ++k) {
        box.rect.width = std::max(box.rect.width,
                                  text_width(box.lines[k], k == 0 ? kIdFontSize : kSmallFontSize));
      }
      box.rect.width += 2 * kBoxPadding;
      const double text_height =
          static_cast<double>(box.lines.size()) * kLineHeight + 2 * kBoxPadding;
      const double slots = std::max(left_count[i], right_count[i]);
      box.rect.height = std::max(text_height, (slots + 1) * kSlotHeight);
      input_.heights.push_back(box.rect.height);
    }
  }

  void place_boxes() {
    std::vector<double> widths(output_.layer_count, 0);
    std::vector<double> gaps(output_.layer_count, kGapBesidesLabel);
    for (std::size_t i = 0; i < layout_.boxes.size(); ++i) {
      double& width = widths[output_.layer[i]];
      width = std::max(width, layout_.boxes[i].rect.width);
    }
    for (std::size_t i = 0; i < layout_.lines.size(); ++i) {
      double& gap = gaps[output_.layer[left_[i]]];
      gap = std::max(gap, text_width(layout_.lines[i].label, kSmallFontSize) + kGapBesidesLabel);
    }
    double x = kMargin;
    for (std::size_t layer = 0; layer < widths.size(); ++layer) {
      layer_left_.push_back(x);
      layer_right_.push_back(x + widths[layer]);
      x += widths[layer] + gaps[layer];
    }
    for (std::size_t i = 0; i < layout_.boxes.size(); ++i) {
      SvgRect& rect = layout_.boxes[i].rect;
      const std::uint32_t layer = output_.layer[i];
      rect.x = layer_left_[layer];
      rect.y = kHeadHeight + kMargin + output_.top[i];
      rect.width = widths[layer];
    }
    layout_.width = x;
    layout_.height = kHeadHeight + 2 * kMargin + output_.height;
  }

  [[nodiscard]] double center(std::uint32_t component) const {
    const SvgRect& rect = layout_.boxes[component].rect;
    return rect.y + rect.height / 2;
  }

  /// Gives each edge a height at the side of each box it touches, in the order of the other ends,
  /// so that edges of one box do not cross beside it.
  void find_slots() {
    std::vector<std::vector<Slot>> right_side(graph_.components.size());
    std::vector<std::vector<Slot>> left_side(graph_.components.size());
    start_.resize(graph_.edges.size());
    end_.resize(graph_.edges.size());
    for (std::uint32_t i = 0; i < graph_.edges.size(); ++i) {
      if (left_[i] == right_[i]) {
        right_side[left_[i]].push_back({.edge = i, .other_end = -2, .is_self_return = false});
        right_side[left_[i]].push_back({.edge = i, .other_end = -1, .is_self_return = true});
        continue;
      }
      const std::vector<double>& bends = output_.bends[input_index_[i]];
      const double top = kHeadHeight + kMargin;
      const double next = bends.empty() ? center(right_[i]) : bends.front() + top;
      const double before = bends.empty() ? center(left_[i]) : bends.back() + top;
      right_side[left_[i]].push_back({.edge = i, .other_end = next, .is_self_return = false});
      left_side[right_[i]].push_back({.edge = i, .other_end = before, .is_self_return = false});
    }
    for (std::uint32_t i = 0; i < graph_.components.size(); ++i) {
      assign_side(i, right_side[i], true);
      assign_side(i, left_side[i], false);
    }
  }

  void assign_side(std::uint32_t component, std::vector<Slot>& slots, bool is_right) {
    std::ranges::sort(
        slots, {}, [](const Slot& slot) { return std::pair(slot.other_end, slot.edge); });
    const SvgRect& rect = layout_.boxes[component].rect;
    const double step = rect.height / static_cast<double>(slots.size() + 1);
    for (std::size_t i = 0; i < slots.size(); ++i) {
      const double y = rect.y + step * static_cast<double>(i + 1);
      const bool is_start = is_right && !slots[i].is_self_return;
      (is_start ? start_ : end_)[slots[i].edge] = y;
    }
  }

  void draw(std::uint32_t index) {
    SvgLine& line = layout_.lines[index];
    const std::uint32_t layer = output_.layer[left_[index]];
    const double label_width = text_width(line.label, kSmallFontSize);
    const double x = layer_right_[layer];
    const double label_end = x + kLabelIndent + label_width + kLabelIndent;
    line.label_rect = {.x = x + kLabelIndent,
                       .y = start_[index] - kLabelHeight - 1,
                       .width = label_width,
                       .height = kLabelHeight};
    line.points = {{x, start_[index]}, {label_end, start_[index]}};
    if (left_[index] == right_[index]) {
      line.points.push_back({label_end, end_[index]});
      line.points.push_back({x, end_[index]});
      return;
    }
    std::uint32_t passed = layer;
    for (const double bend : output_.bends[input_index_[index]]) {
      ++passed;
      const double y = bend + kHeadHeight + kMargin;
      line.points.push_back({layer_left_[passed], y});
      line.points.push_back({layer_right_[passed], y});
    }
    const double last = layer_left_[output_.layer[right_[index]]];
    line.points.push_back({last - kLabelIndent, end_[index]});
    line.points.push_back({last, end_[index]});
  }

  const CompiledGraph& graph_;
  LayerInput input_;
  LayerOutput output_;
  SvgLayout layout_;
  std::vector<std::size_t> input_index_;  // edge → edge of the layout
  std::vector<std::uint32_t> left_, right_;
  std::vector<double> layer_left_, layer_right_;
  std::vector<double> start_, end_;  // heights of each edge at its left and right end
};

}  // namespace

SvgLayout lay_out_svg(const CompiledGraph& graph) { return SvgPlacer(graph).run(); }

}  // namespace millrace::graph
