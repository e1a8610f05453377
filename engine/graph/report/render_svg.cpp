#include "graph/report/render_svg.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/format.h"
#include "base/formats/json_writer.h"
#include "base/formats/xml_text.h"
#include "graph/compile/compiled_graph.h"
#include "graph/format/words.h"
#include "graph/report/svg_layout.h"

namespace millrace::graph {
namespace {

constexpr std::array<std::string_view, 8> kDomainFills = {
    "#e8f1fb", "#e9f7ec", "#fdf1e0", "#f4eafa", "#fdeaea", "#e6f6f6", "#f3f3e3", "#ececf4"};
constexpr std::array<std::string_view, 4> kKindColors = {
    "#37474f", "#1565c0", "#2e7d32", "#ad1457"};
constexpr std::array<std::string_view, 4> kKindDashes = {"", "7 4", "2 3", "10 3 2 3"};
constexpr double kLeft = 24;

std::string_view fill_of(std::uint32_t domain) {
  return kDomainFills[domain % kDomainFills.size()];
}

class SvgWriter {
 public:
  SvgWriter(const CompiledGraph& graph, const SvgLayout& layout) : graph_(graph), layout_(layout) {}

  std::string run() {
    constexpr double kWidthMin = 640;
    out_ += base::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
        "viewBox=\"0 0 {0:.0f} {1:.0f}\" font-family=\"DejaVu Sans Mono, monospace\">\n",
        std::max(layout_.width, kWidthMin),
        layout_.height);
    write_markers();
    out_ += "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n";
    write_head();
    for (std::size_t i = 0; i < layout_.lines.size(); ++i) write_line(i);
    for (std::size_t i = 0; i < layout_.boxes.size(); ++i) write_box(i);
    for (const SvgLine& line : layout_.lines) write_label(line);
    out_ += "</svg>\n";
    return std::move(out_);
  }

 private:
  void write_markers() {
    out_ += "<defs>\n";
    for (std::size_t i = 0; i < kKindColors.size(); ++i) {
      out_ += base::format(
          "<marker id=\"arrow{}\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"8\" "
          "markerHeight=\"8\" markerUnits=\"userSpaceOnUse\" orient=\"auto-start-reverse\">"
          "<path d=\"M0 0L8 4L0 8z\" fill=\"{}\"/></marker>\n",
          i,
          kKindColors[i]);
    }
    out_ += "</defs>\n";
  }

  void write_text(double x, double y, double size, std::string_view text, std::string_view more) {
    out_ += base::format("<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"{}\"{}>{}</text>\n",
                         x,
                         y,
                         size,
                         more,
                         base::xml_text(text));
  }

  /// Title, then the domains with their colours, then the kinds of edges with their strokes.
  void write_head() {
    constexpr double kTitleSize = 16;
    constexpr double kStep = 14;
    write_text(kLeft, 26, kTitleSize, graph_.name, " font-weight=\"bold\"");
    double x = kLeft;
    for (std::uint32_t i = 0; i < graph_.domains.size(); ++i) {
      const std::string text =
          base::format("{} ({})", graph_.domains[i].id, to_string(graph_.domains[i].pace));
      out_ += base::format(
          "<rect x=\"{:.1f}\" y=\"38\" width=\"12\" height=\"12\" fill=\"{}\" "
          "stroke=\"#90a4ae\"/>\n",
          x,
          fill_of(i));
      write_text(x + 17, 48, kSmallFontSize, text, "");
      x += 17 + static_cast<double>(text.size()) * kSmallFontSize * kCharacterWidth + kStep;
    }
    x = kLeft;
    for (std::size_t i = 0; i < kKindColors.size(); ++i) {
      const std::string_view name = to_string(static_cast<EdgeKind>(i));
      out_ += base::format(
          "<path d=\"M{:.1f} 64h30\" stroke=\"{}\" stroke-dasharray=\"{}\" fill=\"none\"/>\n",
          x,
          kKindColors[i],
          kKindDashes[i]);
      write_text(x + 35, 67, kSmallFontSize, name, "");
      x += 35 + static_cast<double>(name.size()) * kSmallFontSize * kCharacterWidth + kStep;
    }
  }

  void write_line(std::size_t index) {
    const SvgLine& line = layout_.lines[index];
    const auto kind = static_cast<std::size_t>(graph_.edges[index].kind);
    std::string path = base::format("M{:.1f} {:.1f}", line.points[0].x, line.points[0].y);
    for (std::size_t i = 1; i < line.points.size(); ++i) {
      const auto& from = line.points[i - 1];
      const auto& to = line.points[i];
      if (i % 2 == 1) {
        path += base::format("L{:.1f} {:.1f}", to.x, to.y);
        continue;
      }
      const double middle = from.x == to.x ? from.x + 12 : (from.x + to.x) / 2;
      path += base::format(
          "C{0:.1f} {1:.1f} {0:.1f} {2:.1f} {3:.1f} {2:.1f}", middle, from.y, to.y, to.x);
    }
    out_ += base::format(
        "<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-dasharray=\"{}\" "
        "marker-{}=\"url(#arrow{})\"/>\n",
        path,
        kKindColors[kind],
        kKindDashes[kind],
        line.is_backward ? "start" : "end",
        kind);
  }

  void write_box(std::size_t index) {
    const SvgBox& box = layout_.boxes[index];
    const CompiledComponent& component = graph_.components[index];
    const bool is_loop = graph_.regions[component.region].is_loop;
    const bool is_boundary = component.role != BoundaryRole::kNone;
    out_ += base::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"{}\" fill=\"{}\" "
        "stroke=\"{}\" stroke-width=\"{}\"{}/>\n",
        box.rect.x,
        box.rect.y,
        box.rect.width,
        box.rect.height,
        is_boundary ? 14 : 4,
        fill_of(component.domain),
        is_loop ? "#7b1fa2" : "#607d8b",
        is_boundary ? 2 : 1,
        is_loop ? " stroke-dasharray=\"5 3\"" : "");
    double y = box.rect.y + 20;
    for (std::size_t i = 0; i < box.lines.size(); ++i, y += 14) {
      write_text(box.rect.x + 10,
                 y,
                 i == 0 ? kIdFontSize : kSmallFontSize,
                 box.lines[i],
                 i == 0 ? " font-weight=\"bold\"" : " fill=\"#455a64\"");
    }
  }

  void write_label(const SvgLine& line) {
    write_text(line.label_rect.x,
               line.label_rect.y + line.label_rect.height - 2,
               kSmallFontSize,
               line.label,
               " fill=\"#37474f\" stroke=\"#ffffff\" stroke-width=\"3\" paint-order=\"stroke\"");
  }

  const CompiledGraph& graph_;
  const SvgLayout& layout_;
  std::string out_;
};

}  // namespace

std::string render_svg(const CompiledGraph& graph) {
  const SvgLayout layout = lay_out_svg(graph);
  return SvgWriter(graph, layout).run();
}

void write_picture_json(const CompiledGraph& graph, base::JsonWriter& json) {
  const SvgLayout layout = lay_out_svg(graph);
  json.begin_object();
  json.member("graph", graph.name);
  json.member("width", layout.width);
  json.member("height", layout.height);
  json.key("components");
  json.begin_array();
  for (std::size_t i = 0; i < layout.boxes.size(); ++i) {
    const SvgRect& rect = layout.boxes[i].rect;
    json.begin_object();
    json.member("id", graph.components[i].id);
    json.member("x", rect.x);
    json.member("y", rect.y);
    json.member("width", rect.width);
    json.member("height", rect.height);
    json.end_object();
  }
  json.end_array();
  json.key("edges");
  json.begin_array();
  for (std::size_t i = 0; i < layout.lines.size(); ++i) {
    const SvgLine& line = layout.lines[i];
    json.begin_object();
    json.member("id", graph.edges[i].id);
    json.member("backward", line.is_backward);
    json.key("points");
    json.begin_array();
    for (const SvgLine::Point& point : line.points) {
      json.begin_array();
      json.value(point.x);
      json.value(point.y);
      json.end_array();
    }
    json.end_array();
    json.end_object();
  }
  json.end_array();
  json.end_object();
}

}  // namespace millrace::graph
