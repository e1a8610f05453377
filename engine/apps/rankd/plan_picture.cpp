#include "apps/rankd/plan_picture.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/format.h"
#include "base/formats/xml_text.h"
#include "graph/report/layered_layout.h"
#include "rank/loaded_plan.h"
#include "runtime/flow/flow_drawing.h"

namespace millrace::rankd {
namespace {

constexpr double kBoxHeight = 40;
constexpr double kLayerGap = 60;
constexpr double kMargin = 20;
constexpr double kHeadHeight = 36;
constexpr double kCharacterWidth = 7.5;

base::Result<std::unique_ptr<rank::LoadedPlan>> load(const plan::CompiledPlanRef& plan,
                                                     const host::Project& project) {
  return rank::LoadedPlan::load(plan, project.registry(), project.tasks());
}

std::string_view fill_of(plan::TaskKind kind) {
  switch (kind) {
    case plan::TaskKind::kAsync:
      return "#e8f1fb";
    case plan::TaskKind::kCheap:
      return "#f3f3e3";
    case plan::TaskKind::kCpu:
      break;
  }
  return "#e9f7ec";
}

class PlanSvg {
 public:
  explicit PlanSvg(const plan::CompiledPlan& plan) : plan_(plan) {
    graph::LayerInput input;
    input.heights.assign(plan.nodes.size(), kBoxHeight);
    for (std::uint32_t node = 0; node < plan.nodes.size(); ++node) {
      for (const plan::PlanInput& from : plan.nodes[node].inputs) {
        if (const auto* const other = std::get_if<plan::NodeInput>(&from)) add(other->node, node);
      }
      for (const std::uint32_t other : plan.nodes[node].waits_for) add(other, node);
    }
    input.edges = edges_;
    layout_ = graph::lay_out(input);
    widths_.assign(layout_.layer_count, 0);
    for (std::uint32_t node = 0; node < plan.nodes.size(); ++node) {
      const plan::CompiledNode& compiled = plan.nodes[node];
      const std::size_t letters = std::max(compiled.id.size(), compiled.task->op.size());
      double& width = widths_[layout_.layer[node]];
      width = std::max(width, kCharacterWidth * static_cast<double>(letters) + 20);
    }
    double x = kMargin;
    for (const double width : widths_) {
      lefts_.push_back(x);
      x += width + kLayerGap;
    }
    width_ = std::max(x - kLayerGap + kMargin, 420.0);
  }

  std::string draw() {
    out_ = base::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" "
        "width=\"{0:.0f}\" height=\"{1:.0f}\" font-family=\"monospace\" font-size=\"12\">\n"
        "<title>{2}</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
        "<defs><marker id=\"end\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"8\" "
        "markerHeight=\"8\" orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" fill=\"#37474f\"/></marker>"
        "</defs>\n<text x=\"{3:.0f}\" y=\"22\">{2}: blue fetches, green computes, thick is an "
        "output</text>\n",
        width_,
        layout_.height + kHeadHeight + 2 * kMargin,
        base::xml_text(plan_.name),
        kMargin);
    for (std::size_t edge = 0; edge < edges_.size(); ++edge) draw_edge(edge);
    for (std::uint32_t node = 0; node < plan_.nodes.size(); ++node) draw_node(node);
    return out_ + "</svg>\n";
  }

 private:
  void add(std::uint32_t from, std::uint32_t to) {
    const std::pair<std::uint32_t, std::uint32_t> edge{from, to};
    if (std::ranges::find(edges_, edge) == edges_.end()) edges_.push_back(edge);
  }

  [[nodiscard]] double top_of(std::uint32_t node) const {
    return layout_.top[node] + kHeadHeight + kMargin;
  }

  void draw_edge(std::size_t edge) {
    const auto [from, to] = edges_[edge];
    std::uint32_t layer = layout_.layer[from];
    std::string path = base::format(
        "M{:.0f} {:.0f}", lefts_[layer] + widths_[layer], top_of(from) + kBoxHeight / 2);
    // A straight line where the edge passes a layer, and a curve between two layers.
    double x = lefts_[layer] + widths_[layer];
    double y = top_of(from) + kBoxHeight / 2;
    const auto curve_to = [&](double next_x, double next_y) {
      const double middle = (x + next_x) / 2;
      path += base::format(
          "C{:.0f} {:.0f} {:.0f} {:.0f} {:.0f} {:.0f}", middle, y, middle, next_y, next_x, next_y);
      x = next_x;
      y = next_y;
    };
    for (const double bend : layout_.bends[edge]) {
      ++layer;
      curve_to(lefts_[layer], bend + kHeadHeight + kMargin);
      x += widths_[layer];
      path += base::format("H{:.0f}", x);
    }
    curve_to(lefts_[layout_.layer[to]], top_of(to) + kBoxHeight / 2);
    out_ += base::format(
        "<path d=\"{}\" fill=\"none\" stroke=\"#37474f\" marker-end=\"url(#end)\"/>\n", path);
  }

  void draw_node(std::uint32_t node) {
    const plan::CompiledNode& compiled = plan_.nodes[node];
    const std::uint32_t layer = layout_.layer[node];
    const bool is_output = std::ranges::find(plan_.outputs, node) != plan_.outputs.end();
    out_ += base::format(
        "<g><title>{0} ({1})</title><rect x=\"{2:.0f}\" y=\"{3:.0f}\" width=\"{4:.0f}\" "
        "height=\"{5:.0f}\" rx=\"4\" fill=\"{6}\" stroke=\"#37474f\" stroke-width=\"{7}\"/>"
        "<text x=\"{8:.0f}\" y=\"{9:.0f}\" font-weight=\"bold\">{0}</text>"
        "<text x=\"{8:.0f}\" y=\"{10:.0f}\" fill=\"#546e7a\">{1}</text></g>\n",
        base::xml_text(compiled.id),
        base::xml_text(compiled.task->op),
        lefts_[layer],
        top_of(node),
        widths_[layer],
        kBoxHeight,
        fill_of(compiled.task->kind),
        is_output ? 3 : 1,
        lefts_[layer] + 10,
        top_of(node) + 17,
        top_of(node) + 32);
  }

  const plan::CompiledPlan& plan_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges_;
  graph::LayerOutput layout_;
  std::vector<double> widths_;  // by layer
  std::vector<double> lefts_;   // by layer
  double width_ = 0;
  std::string out_;
};

}  // namespace

base::Result<std::string> plan_to_dot(const plan::CompiledPlanRef& plan,
                                      const host::Project& project) {
  MR_TRY(const auto loaded, load(plan, project));
  return runtime::to_dot(loaded->topology());
}

base::Result<std::string> plan_to_mermaid(const plan::CompiledPlanRef& plan,
                                          const host::Project& project) {
  MR_TRY(const auto loaded, load(plan, project));
  return runtime::to_mermaid(loaded->topology());
}

std::string plan_to_svg(const plan::CompiledPlan& plan) { return PlanSvg(plan).draw(); }

}  // namespace millrace::rankd
